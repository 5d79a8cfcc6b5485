// The accounts of the bench `load`. Each has a repository acme/shop with open pull requests in a paused queue. One more
// account has a queue in which pull requests are opened, land and are cleaned up while the bench runs.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../src/demo/client.ts';
import { shop, type LoadAccount } from './load.requests.ts';
import { openShop, pause, queueOne, untilChecked, untilLanded, untilQuiet, type Program } from './program.ts';
import { createTenants } from './tenants.ts';

export interface LoadWorld {
  readonly accounts: readonly LoadAccount[];
  readonly pullRequestsOfAccount: number;
  readonly landing: LoadAccount;
  /**
   * Opens a pull request in the account `landing`, and queues it. Deletes the branches of pull requests that have
   * landed.
   */
  openNext(): Promise<void>;
  landed(): Promise<number>;
  /** Waits until all pull requests that were opened have landed and are cleaned up. */
  untilLanded(): Promise<void>;
  close(): Promise<void>;
}

const pullRequestsOfAccount = 10;
/** There is an account for this many reads a second, so that a small load has fewer accounts. */
const readsOfAccount = 10;
const maxAccounts = 20;

export async function openLoadWorld(
  program: Program,
  { secret, reads }: { readonly secret: string; readonly reads: number },
): Promise<LoadWorld> {
  const count = Math.min(maxAccounts, Math.max(2, Math.ceil(reads / readsOfAccount)));
  const { tenants } = await createTenants(program.databaseUrl, count + 1, secret);
  const [landing, ...accounts] = tenants;
  if (landing === undefined) throw new Error('The bench has no account.');
  const as = ({ token }: LoadAccount): Program => ({
    ...program,
    client: createClient({ url: program.client.url, token }),
  });
  for (const account of accounts) {
    await openShop(as(account), { name: shop.name, batch: 4, pullRequests: pullRequestsOfAccount });
    await pause(as(account), shop, true);
  }
  const lander = await openLander(as(landing), landing.accountId);
  await untilChecked(program);
  return { accounts, pullRequestsOfAccount, landing, ...lander };
}

type Lander = Pick<LoadWorld, 'openNext' | 'landed' | 'untilLanded' | 'close'>;

async function openLander(program: Program, accountId: string): Promise<Lander> {
  const { client, rows } = program;
  await openShop(program, { name: shop.name, batch: 4, pullRequests: 1 });
  const remote = `${client.url}/git/${shop.owner}/${shop.name}.git`;
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-load-'));
  await client.git(folder, 'clone', '--quiet', '--bare', remote, '.');
  const landed = async (): Promise<number> =>
    (await rows<{ count: number }>('select count(*)::int from landed_member'))[0]?.count ?? 0;
  const push = async (...refs: readonly string[]): Promise<unknown> =>
    await client.git(folder, 'push', '--quiet', remote, ...refs);
  let opened = 1;
  /** The pull requests that were opened and queued. A request that fails counts as a failure, and is not awaited. */
  let queued = 0;
  const removed = new Set<string>();
  /** The refspecs that delete the branches of pull requests that have landed since the last call. */
  const takeLanded = async (): Promise<string[]> => {
    const merged = await rows<{ head: string }>(
      "select head_branch as head from pull_request where account_id = $1 and status = 'merged' and not head_branch = any($2::text[])",
      [accountId, [...removed]],
    );
    for (const { head } of merged) removed.add(head);
    return merged.map(({ head }) => `:refs/heads/${head}`);
  };
  return {
    landed,
    async openNext() {
      opened += 1;
      const branch = `change-${opened}`;
      await importBranch(folder, branch);
      await push(branch, ...(await takeLanded()));
      const answer = await client.graphql<{ openPullRequest: { pullRequest: { number: number } } }>(
        'mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { number } } }',
        { input: { repository: shop, title: branch, headBranch: branch, baseBranch: 'main' } },
      );
      await queueOne(program, shop, answer.openPullRequest.pullRequest.number);
      queued += 1;
    },
    async untilLanded() {
      await untilLanded(program, queued);
      const refs = await takeLanded();
      if (refs.length > 0) await push(...refs);
      await untilQuiet(program);
    },
    close: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/** Makes a branch with one commit, from the base branch as it was at the beginning. */
async function importBranch(directory: string, branch: string): Promise<void> {
  const stream = `commit refs/heads/${branch}
committer Ada <ada@example.org> 1700000000 +0000
data 6
Change
from refs/heads/main^0
M 100644 inline ${branch}.txt
data 4
new

done
`;
  const importing = promisify(execFile)('git', ['fast-import', '--quiet', '--done'], { cwd: directory });
  importing.child.stdin?.end(stream);
  await importing;
}
