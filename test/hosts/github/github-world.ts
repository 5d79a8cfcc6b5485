// Repositories at an emulator of GitHub, and the host `github` for them. A test file has one emulator and one database.
// Each world is a repository.
import { mkdtemp, rm } from 'node:fs/promises';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Octokit } from '@octokit/rest';
import pg from 'pg';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../github-emulator/index.ts';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import type { HostAdapter, HostRepository } from '../../../src/hosts/port.ts';
import type { Database } from '../../../src/platform/database.ts';
import { takeDatabase } from '../../support/kept-databases.ts';
import { commit, git } from '../commits.ts';

export interface GitHubWorld {
  readonly host: HostAdapter;
  readonly repository: HostRepository;
  readonly place: { readonly owner: string; readonly repo: string };
  /** The repository of the person who pushes. */
  readonly directory: string;
  /** Pushes a commit as a person would, and returns its id. */
  readonly push: (input: {
    branch: string;
    from?: string | undefined;
    files: Readonly<Record<string, string>>;
  }) => Promise<string>;
  /** Pushes with the token of a person to another repository that has the same objects. */
  readonly pushTo: (name: string, refspec: string) => Promise<void>;
}

export interface GitHub {
  /** The options for the host of another process. */
  readonly hostOptions: () => Parameters<typeof createGitHubHost>[0];
  readonly emulator: Emulator;
  readonly db: Database;
  readonly person: Octokit;
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  readonly world: () => Promise<GitHubWorld>;
  close(): Promise<void>;
}

const run = promisify(execFile);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** In tests, pushes are not spread over a minute. */
export const quickPace = { perMinute: 100_000, gatherMs: 0 };

export async function github(options: EmulatorOptions = {}): Promise<GitHub> {
  const emulator = await startEmulator(options);
  const database = await takeDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'ghw-'));
  const db = database.database;
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await owner.query<Row>(text, [...values])).rows;
  const person = new Octokit({ baseUrl: emulator.apiUrl, auth: emulator.token, log: silent });
  const [account] = await sql<{ id: string }>("insert into account (name) values ('acme') returning id::text as id");
  const accountId = account?.id ?? '';
  const ids = new Map<string, string>();
  const hostOptions = (): Parameters<typeof createGitHubHost>[0] => ({
    dataDir: join(folder, 'data'),
    db,
    clock: () => new Date(),
    pace: quickPace,
    findInstallation: async ({ name }) =>
      await Promise.resolve({
        githubId: ids.get(name) ?? '0',
        installation: {
          id: emulator.installationId,
          app: {
            id: emulator.appId,
            slug: emulator.slug,
            clientId: emulator.clientId,
            privateKey: readFileSync(emulator.keyFile, 'utf8'),
            apiUrl: emulator.apiUrl,
            webUrl: emulator.webUrl,
          },
        },
      }),
  });
  const host = createGitHubHost(hostOptions());
  let worlds = 0;
  return {
    emulator,
    db,
    person,
    sql,
    hostOptions,
    async world() {
      worlds += 1;
      const name = `shop-${worlds}`;
      const { data } = await person.repos.createInOrg({ org: emulator.owner, name, private: false });
      ids.set(name, String(data.id));
      const [row] = await sql<{ id: string }>(
        `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash) values ($1, $2, $3, 'github', '', '') returning id::text as id`,
        [accountId, emulator.owner, name],
      );
      const directory = mkdtempSync(join(folder, 'user-'));
      git(directory, 'init', '--quiet', '--bare', '.');
      const pushTo = async (repo: string, refspec: string): Promise<void> => {
        const header = `Authorization: Basic ${Buffer.from(`x-access-token:${emulator.token}`).toString('base64')}`;
        const url = `${emulator.url}/${repo}.git`;
        // The emulator runs in this process, so this process must not block while it waits for git.
        await run('git', ['-c', `http.extraHeader=${header}`, 'push', '--quiet', '--force', url, refspec], {
          cwd: directory,
        });
        await emulator.core.settled();
      };
      return {
        host,
        repository: { accountId, id: row?.id ?? '', owner: emulator.owner, name },
        place: { owner: emulator.owner, repo: name },
        directory,
        pushTo,
        push: async ({ branch, from, files }) => {
          const made = commit(directory, { branch, files, ...(from === undefined ? {} : { from }) });
          await pushTo(`${emulator.owner}/${name}`, `+refs/heads/${branch}:refs/heads/${branch}`);
          return made;
        },
      };
    },
    async close() {
      await host.stop();
      await emulator.stop();
      await owner.end();
      await db.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
