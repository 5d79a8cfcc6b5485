// The beginning of a world: an account, a repository with its first commit, and what the service knows of it. It is
// made once for each set of first files in a test run, and copied from then on.
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { createAccount, generateSecrets, type Secrets } from '../../src/modules/accounts/index.ts';
import { hosted, syncBase } from '../../src/modules/queue/index.ts';
import { createRepository } from '../../src/modules/repositories/index.ts';
import type { Service } from '../../src/service.ts';
import { commitAsUser } from './user-commits.ts';
import { asAdmin, withAdminLock } from './postgres.ts';

export const worldName = { owner: 'acme', name: 'shop' } as const;

export interface WorldStart {
  readonly accountId: string;
  readonly token: string;
  readonly secrets: Secrets;
}

export type FirstFiles = Readonly<Record<string, string>>;

/** Makes it all in a database and a data directory that hold nothing. */
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
  await service.localHost.reconcile(hosted(repository));
  await service.settle();
  await syncBase(ctx, hosted(repository), 'main');
  return { accountId, token, secrets };
}

export interface WorldTemplate {
  readonly database: string;
  readonly dataDir: string;
  readonly start: WorldStart;
}

/** The template with these first files. Its first user makes it, with `make`, and the others wait for that. */
export async function findTemplate(
  files: FirstFiles,
  make: (database: string, dataDir: string) => Promise<WorldStart>,
): Promise<WorldTemplate> {
  const key = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  const folder = join(inject('worldTemplates'), key);
  const database = `world_${key}`;
  const dataDir = join(folder, 'data');
  const read = async (): Promise<WorldStart | null> => {
    const text = await readFile(join(folder, 'start.json'), 'utf8').catch(() => null);
    return text === null ? null : (JSON.parse(text) as WorldStart);
  };
  const start =
    (await read()) ??
    (await withAdminLock(Number.parseInt(key.slice(0, 8), 16), async () => {
      const made = await read();
      if (made !== null) return made;
      await asAdmin(`create database ${database} template ${inject('postgres').template} strategy file_copy`);
      await mkdir(dataDir, { recursive: true });
      const fresh = await make(database, dataDir);
      await asAdmin(`alter database ${database} with is_template true allow_connections false`);
      await writeFile(join(folder, 'start.json.draft'), JSON.stringify(fresh));
      await rename(join(folder, 'start.json.draft'), join(folder, 'start.json'));
      return fresh;
    }));
  return { database, dataDir, start };
}

/** The template's files, in a data directory that is empty. */
export async function copyTemplate({ dataDir }: WorldTemplate, into: string): Promise<void> {
  await cp(dataDir, into, { recursive: true });
}
