// The first state of a world: an account, a repository with its first commit, and the rows of the service about it. A
// test run makes this state once for each set of first files, and then copies it.
import { toHostedRepository } from '../../src/hosts/port.ts';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { createAccount, generateSecrets, type Secrets } from '../../src/modules/accounts/index.ts';
import { syncBase } from '../../src/modules/queue/index.ts';
import { createRepository } from '../../src/modules/repositories/index.ts';
import type { Service } from '../../src/service.ts';
import { commitAsUser } from './user-commits.ts';
import { readState, type DatabaseState } from './kept-databases.ts';
import { createTestDatabase, withAdminLock, type TestDatabase } from './postgres.ts';

export const worldName = { owner: 'acme', name: 'shop' } as const;

export interface WorldStart {
  readonly accountId: string;
  readonly token: string;
  readonly secrets: Secrets;
}

export type FirstFiles = Readonly<Record<string, string>>;

/** Makes the first state in an empty database and an empty data directory. */
export async function beginWorld(service: Service, files: FirstFiles): Promise<WorldStart> {
  const secrets = generateSecrets();
  const { accountId, token } = await createAccount(service.ports, secrets, {
    name: 'world',
    email: 'service@example.test',
  });
  const ctx = systemContext(service.ports, accountId);
  const repository = await createRepository(ctx, { ...worldName, host: 'local' });
  const { git, directoryOf } = service.localHost.installation;
  await commitAsUser(git, directoryOf({ accountId, id: repository.id }), {
    branch: 'main',
    parent: null,
    files,
    message: 'First',
  });
  await service.localHost.reconcile(toHostedRepository(repository));
  await service.drain();
  await syncBase(ctx, toHostedRepository(repository), 'main');
  return { accountId, token, secrets };
}

export interface WorldTemplate {
  readonly state: DatabaseState;
  readonly dataDir: string;
  readonly start: WorldStart;
}

/** The template with these first files. The first caller makes it by `make`, and other callers wait for it. */
export async function findTemplate(
  files: FirstFiles,
  make: (database: TestDatabase, dataDir: string) => Promise<WorldStart>,
): Promise<WorldTemplate> {
  const key = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  const folder = join(inject('worldTemplates'), key);
  const dataDir = join(folder, 'data');
  const read = async (): Promise<Omit<WorldTemplate, 'dataDir'> | null> => {
    const text = await readFile(join(folder, 'world.json'), 'utf8').catch(() => null);
    return text === null ? null : (JSON.parse(text) as Omit<WorldTemplate, 'dataDir'>);
  };
  const found =
    (await read()) ??
    (await withAdminLock(Number.parseInt(key.slice(0, 8), 16), async () => {
      const made = await read();
      if (made !== null) return made;
      const database = await createTestDatabase();
      await mkdir(dataDir, { recursive: true });
      const start = await make(database, dataDir);
      const fresh = { start, state: await readState(database.url) };
      await database.drop();
      await writeFile(join(folder, 'world.json.draft'), JSON.stringify(fresh));
      await rename(join(folder, 'world.json.draft'), join(folder, 'world.json'));
      return fresh;
    }));
  return { ...found, dataDir };
}

/** Copies the template's files into an empty data directory. */
export async function copyTemplate({ dataDir }: WorldTemplate, into: string): Promise<void> {
  await cp(dataDir, into, { recursive: true });
}
