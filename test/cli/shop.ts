// Starts a service with the repository acme/shop. Makes a checkout, and opens pull request 1 from the branch `topic`.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { documentsOf, isDocumented } from './documented.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runIn, type CommandRun, type Terminal } from './terminal.ts';

const author = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Ada'],
    [`GIT_${who}_EMAIL`, 'ada@example.test'],
  ]),
);

export const repository = { owner: 'acme', name: 'shop' };

export interface Shop extends AsyncDisposable {
  readonly s: TestServer;
  readonly checkout: string;
  /** A folder that is not a checkout. It also has the user's configuration. */
  readonly elsewhere: string;
  git(...args: string[]): Promise<string>;
  /** Opens a pull request with one new file from a new branch, and returns its number. */
  propose(branch: string): Promise<number>;
  status(number: number): Promise<string>;
  mutate(name: string, input: object): Promise<void>;
  /** Adds the project `shop` with the environment `production`. Reports say how its deployments end. */
  addEnvironment(): Promise<void>;
  /** Runs a command in the checkout, on the branch `topic`, with the token of the account. */
  run(...argv: string[]): Promise<CommandRun>;
  runWith(terminal: Partial<Terminal>, ...argv: string[]): Promise<CommandRun>;
  readonly env: Readonly<Record<string, string>>;
}

export async function openShop(options: Parameters<typeof startServer>[0] = {}): Promise<Shop> {
  const s = await startServer(options);
  const checkout = await mkdtemp(join(tmpdir(), 'interlock-cli-'));
  const elsewhere = await mkdtemp(join(tmpdir(), 'interlock-cli-'));
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: checkout, env: { ...process.env, ...author } })).stdout.trim();
  await s.graphql(
    'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
  );
  const remote = new URL(`${s.url}/git/acme/shop.git`);
  Object.assign(remote, { username: 'token', password: s.token });
  await git('init', '-q', '-b', 'main');
  await git('remote', 'add', 'origin', remote.href);
  await writeFile(join(checkout, 'README.md'), 'shop\n');
  await git('add', '.');
  await git('commit', '-q', '-m', 'First');
  await git('push', '-q', 'origin', 'main');
  const env = { INTERLOCK_URL: s.url, INTERLOCK_TOKEN: s.token, XDG_CONFIG_HOME: elsewhere };

  const shop: Shop = {
    s,
    checkout,
    elsewhere,
    git,
    env,
    async propose(branch) {
      await git('checkout', '-q', '-b', branch, 'main');
      await writeFile(join(checkout, branch), `${branch}\n`);
      await git('add', '.');
      await git('commit', '-q', '-m', `Sell ${branch}`);
      await git('push', '-q', 'origin', branch);
      const { data } = await s.graphql<{ openPullRequest: { pullRequest: { number: number } } }>(
        `mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { number } } }`,
        { input: { repository, title: `Sell ${branch}`, headBranch: branch, baseBranch: 'main' } },
      );
      return data.openPullRequest.pullRequest.number;
    },
    async status(number) {
      const { data } = await s.graphql<{ repository: { pullRequest: { status: string } } }>(
        `query ($number: Int!) { repository(owner: "acme", name: "shop") { pullRequest(number: $number) { status } } }`,
        { number },
      );
      return data.repository.pullRequest.status;
    },
    async mutate(name, input) {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
      const document = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
      expect((await s.graphql(document, { input })).errors).toEqual([]);
    },
    async addEnvironment() {
      await shop.mutate('createReleaseProject', { name: 'shop', repository });
      await shop.mutate('createEnvironment', { project: 'shop', name: 'production', provider: { kind: 'NONE' } });
    },
    run: async (...argv) => await shop.runWith({}, ...argv),
    async runWith(terminal, ...argv) {
      const ran = await runIn({ env, cwd: checkout, ...terminal }, ...argv);
      expect(documentsOf(ran, argv).filter((document) => !isDocumented(document, argv))).toEqual([]);
      return ran;
    },
    async [Symbol.asyncDispose]() {
      await s.close();
      for (const folder of [checkout, elsewhere]) await rm(folder, { recursive: true, force: true });
    },
  };
  await shop.propose('topic');
  return shop;
}
