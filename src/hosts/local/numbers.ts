// The highest number of a pull request of a repository. It is stored in the repository itself, because a database that
// is restored from a backup lacks the pull requests that were opened after the backup.
import { readObjects, readRefValue, setRef, writeObject } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import type { Installation } from './installation.ts';

/** The ref of a blob that contains the number. */
const ref = 'refs/interlock/last-number';

export interface Numbers {
  /** The highest number. 0: the repository has had no pull request yet. */
  readLast(): Promise<number>;
  /**
   * Stores the number. Called before the number is visible to any client. The caller has locked the row of the
   * repository.
   */
  note(number: number): Promise<void>;
}

export function numbersOf({ git, directoryOf }: Installation, repository: HostRepository): Numbers {
  const directory = directoryOf(repository);
  return {
    readLast: async () => {
      const id = await readRefValue(directory, ref);
      const [blob] = id === null ? [] : await readObjects(git, directory, { ids: [id], peeled: '' });
      return Number(blob?.body.toString('latin1') ?? 0) || 0;
    },
    note: async (number) =>
      await setRef(git, directory, { ref, to: await writeObject(directory, 'blob', `${number}\n`) }),
  };
}
