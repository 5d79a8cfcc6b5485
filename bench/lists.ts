// Measures the depth of queues, the first page of every list, and later pages of two lists, with few rows and with many.
// The cost of a page must not depend on the number of rows. Rare matches are the hard case: nearly all rows have another
// author, base branch and status than the filter.
import { execute, parse, type DocumentNode } from 'graphql';
import type { Context } from '../src/context.ts';
import { graphQLContext, type RequestServices } from '../src/graphql/context.ts';
import { interlockSchema } from '../src/graphql/schema.ts';
import { withInstallation, type BenchInstallation } from './installation.ts';
import { ms, table, timedInTurn } from './timing.ts';

const services = { temporal: { health: () => null } } as unknown as RequestServices;

const pullRequests = (argument: string): string =>
  `pullRequests(first: 50 ${argument}) { nodes { number title status } pageInfo { endCursor } }`;
const after = (n: number): string => `after: "${Buffer.from(JSON.stringify([n])).toString('base64url')}"`;

interface List {
  readonly name: string;
  readonly selection: (filled: Filled) => string;
  /** Whether the read returns all rows and not a page. The cost of such a read grows with the number of rows. */
  readonly isWhole?: boolean;
}

const inShop = (selection: string): string => `repository(owner: "acme", name: "shop") { ${selection} }`;

const lists: readonly List[] = [
  { name: 'queueDepth', selection: () => inShop('queueDepth { queued processing waiting }') },
  { name: 'pullRequests', selection: () => inShop(pullRequests('')) },
  { name: 'pullRequests, from the middle', selection: ({ middle }) => inShop(pullRequests(after(middle))) },
  { name: 'pullRequests by a common status', selection: () => inShop(pullRequests('filter: {statuses: [QUEUED]}')) },
  {
    name: 'pullRequests by a rare status',
    selection: () => inShop(pullRequests('filter: {statuses: [BLOCKED, OPEN]}')),
  },
  { name: 'pullRequests by a rare author', selection: () => inShop(pullRequests('filter: {author: "rare"}')) },
  { name: 'pullRequests by an unknown author', selection: () => inShop(pullRequests('filter: {author: "nobody"}')) },
  { name: 'pullRequests by a rare base', selection: () => inShop(pullRequests('filter: {baseBranch: "release"}')) },
  {
    name: 'pullRequests by author and base, each common, together rare',
    selection: () => inShop(pullRequests('filter: {author: "often", baseBranch: "next"}')),
  },
  {
    name: 'pullRequests by all three',
    selection: () => inShop(pullRequests('filter: {author: "often", baseBranch: "main", statuses: [MERGED]}')),
  },
  {
    name: 'batches',
    selection: () => inShop('queue(baseBranch: "main") { batches(first: 50) { nodes { id state } } }'),
  },
  {
    name: 'batches, live, of which there are none',
    selection: () => inShop('queue(baseBranch: "main") { batches(first: 50, live: true) { nodes { id } } }'),
  },
  { name: 'events', selection: () => inShop('events(first: 50) { nodes { action at } }') },
  { name: 'configurationHistory', selection: () => inShop('configurationHistory(first: 20) { nodes { diff } }') },
  { name: 'queuedPullRequests: all of them', selection: () => inShop('queuedPullRequests { number }'), isWhole: true },
  { name: 'userActions', selection: () => 'userActions(first: 50) { nodes { action } }' },
  { name: 'userActions, a later page', selection: () => 'userActions(first: 20, page: 3) { nodes { action } }' },
  {
    name: 'userActions of a common entity',
    selection: () => 'userActions(first: 50, entity: MERGE_QUEUE) { nodes { action } }',
  },
  {
    name: 'userActions of a rare entity',
    selection: () => 'userActions(first: 50, entity: BILLING) { nodes { action } }',
  },
  {
    name: 'userActions by a common action',
    selection: () => 'userActions(first: 50, action: "pull_request_queued") { nodes { action } }',
  },
  {
    name: 'userActions by a common action, of another entity',
    selection: () => 'userActions(first: 50, action: "pull_request_queued", entity: USER) { nodes { action } }',
  },
  {
    name: 'userActions by an action nobody did',
    selection: () => 'userActions(first: 50, action: "queue_halted") { nodes { action } }',
  },
];

/** An account with a repository acme/shop, and as many rows of each kind as its size. */
interface Filled {
  readonly ctx: Context;
  /** The id of a pull request in the middle of the line. */
  readonly middle: number;
}

interface Asked {
  readonly ctx: Context;
  readonly document: DocumentNode;
}

/** The sizes of one list are read in turn, so that a disturbance of the machine affects all sizes. */
export async function benchLists(sizes: readonly number[], times: number): Promise<void> {
  await withInstallation(async (installation) => {
    const ask = async ({ ctx, document }: Asked): Promise<void> => {
      const contextValue = graphQLContext(ctx, services, 'graphql_api');
      const { errors } = await execute({ schema: interlockSchema(), document, contextValue });
      if (errors) throw errors[0] ?? new Error('The list was refused.');
    };
    const filled: Filled[] = [];
    for (const size of sizes) filled.push(await fill(installation, size));
    await installation.owner.query('vacuum analyze');
    const rows: string[][] = [];
    for (const { name, selection, isWhole = false } of lists) {
      const works = filled.map((account) => {
        const asked = { ctx: account.ctx, document: parse(`{ ${selection(account)} }`) };
        return async () => await ask(asked);
      });
      const medians = await timedInTurn(isWhole ? Math.ceil(times / 20) : times, works);
      rows.push([name, ...medians.map(ms), ((medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN)).toFixed(1)]);
    }
    console.log(table(['list', ...sizes.map((size) => `at ${size}`), 'the last to the first'], rows));
  });
}

async function fill({ owner, account, repository }: BenchInstallation, size: number): Promise<Filled> {
  const ctx = await account(`of ${size}`);
  const repositoryId = await repository(ctx, 'shop');
  const values = [ctx.accountId, repositoryId, size];
  const queue = async (base: string, waiting: number): Promise<string> =>
    (
      await owner.query<{ id: string }>(
        'insert into queue (account_id, repository_id, base_branch, waiting) values ($1, $2, $3, $4) returning id',
        [ctx.accountId, repositoryId, base, waiting],
      )
    ).rows[0]?.id ?? '';
  const main = await queue('main', size);
  await queue('next', 0);
  // The author `often` has only pull requests for `main`, and the author `other` only pull requests for `next`. So the
  // author `often` and the base `next` each match half of the rows, and together they match none. These pull requests
  // are queued. One blocked pull request has the author `rare` and the base `release`.
  const { rows } = await owner.query<{ middle: number }>(
    `with made as (
       insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch,
         base_branch, head_sha, url, status, rank, queued_at, created_at)
       select $1, $2, $4::bigint, n, 'Change ' || n,
         case when n % 2 = 0 then 'often' when n = 1 then 'rare' else 'other' end, 'A', 'a@example.test', 'b' || n,
         case when n = 1 then 'release' when n % 2 = 0 then 'main' else 'next' end, md5(n::text), '',
         case when n = 1 then 'blocked' else 'queued' end, case when n > 1 then n end, now(), now()
       from generate_series(1, $3::int) n returning id)
     select (min(id) + $3::int / 2)::int as middle from made`,
    [...values, main],
  );
  await owner.query(
    `insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy,
       batch_commit, build_keys_hash, group_message, created_at, cleaned_up_at)
     select $1, $4::bigint, $2, n, 'new', 'parallel', 'landed', '', '', 'squash', 'group', '', '', now(), now() from generate_series(1, $3::int) n`,
    [...values, main],
  );
  // The older half of the account's events belongs to this repository, and the newer half to another repository.
  const other = await repository(ctx, 'beside');
  await owner.query(
    `with head as (select coalesce(max(position), 0) as position from event where account_id = $1)
     insert into event (account_id, repository_id, action, at, position)
     select $1, case when n <= $3::int then $2::bigint else $4::bigint end, 'queued', now(), head.position + n
     from head, generate_series(1, 2 * $3::int) n`,
    [...values, other],
  );
  await owner.query(
    `insert into configuration_change (account_id, repository_id, yaml, diff, modified_at)
     select $1, $2, '', 'diff', now() - ($3::int - n) * interval '1 minute' from generate_series(1, $3::int) n`,
    values,
  );
  await owner.query(
    `insert into user_action (account_id, action, actor, entity, at)
     select $1, 'pull_request_queued', 'a@example.test', 'merge_queue', now() from generate_series(1, $2::int) n`,
    [ctx.accountId, size],
  );
  return { ctx, middle: rows[0]?.middle ?? 0 };
}
