// The highest number that a pull request of a repository was given, kept in the repository itself: a database that was
// restored from a backup does not know of pull requests that were opened since.
import { readObjects, readRefValue, setRef, writeObject } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import type { Installation } from './installation.ts';

/** The ref names a blob that contains the number. */
const ref = 'refs/interlock/last-number';

export interface Numbers {
  /** The highest number. 0: no number was given yet. */
  readLast(): Promise<number>;
  /** Called before the number is shown to anybody. The caller holds the repository's row. */
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
