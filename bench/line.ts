// Measures a page of the line, without and with explanations and ETAs, for several lengths of the line. Also measures
// what they read: the front of the line, which serves all explanations of a page, the whole line, which pages far back
// need, and the facts of a forecast, which serve all pages of ten seconds. Each cell of the table of `benchLine` has two
// figures: the CPU time of this process (PostgreSQL is not included), and the median of the elapsed time.
import { execute, parse } from 'graphql';
import type { Context } from '../src/context.ts';
import { graphQLContext, type RequestServices } from '../src/graphql/context.ts';
import { interlockSchema } from '../src/graphql/schema.ts';
import { loadQueueAsOf } from '../src/modules/queue/api/as-of.loader.ts';
import { loadForecastFacts } from '../src/modules/queue/api/forecast.facts.ts';
import type { Transaction } from '../src/platform/database.ts';
import { withInstallation, type BenchInstallation } from './installation.ts';
import { figure, type Figure } from './figures.ts';
import { insertPullRequests } from './pull-requests.ts';
import { ms, table, timed, type Timing } from './timing.ts';

const services = { temporal: { health: () => null } } as unknown as RequestServices;

const modes = {
  linear: 'max_parallel_builds: 10',
  adaptive: 'max_parallel_builds: 10\n  speculation: adaptive',
} as const;

const pages: Readonly<Record<string, string>> = {
  'a page of 50': 'position pullRequest { number title }',
  'with explanations': 'position pullRequest { number title } explain { kind who conditions { kind } }',
  'with explanations and ETAs': 'position pullRequest { number title } explain { sentence eta { p90 } } eta { p50 }',
};

const reads: Readonly<Record<string, (ctx: Context, tx: Transaction, queueId: string) => Promise<unknown>>> = {
  'the front': async (ctx, tx, queueId) => await loadQueueAsOf(ctx, tx, { queueId, at: null, front: 256 }),
  'the whole line': async (ctx, tx, queueId) => await loadQueueAsOf(ctx, tx, { queueId, at: null }),
  'facts of a forecast': async (ctx, tx, queueId) => await loadForecastFacts(ctx, tx, queueId),
};

/** Compares the first page of a long line with that of a short line, and measures the page's explanations and ETAs. */
export async function measureLongLine(size: number, times: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  await withInstallation(async (installation) => {
    const short = await fillLine(installation, { name: 'linear short', size: 100, yaml: modes.linear });
    const long = await fillLine(installation, { name: 'linear long', size, yaml: modes.linear });
    await installation.owner.query('vacuum analyze');
    const plain = pages['a page of 50'] ?? '';
    const explained = pages['with explanations and ETAs'] ?? '';
    const timing = async (ctx: Context, selection: string): Promise<Timing> =>
      await timed(times, async () => await askPage(ctx, selection));
    const [ofShort, ofLong] = [await timing(short.ctx, plain), await timing(long.ctx, plain)];
    const page = { today: ofLong.p50, rival: ofShort.p50, unit: 'ms', atMost: 1.2 };
    figures.push(
      figure({ what: `a page of 50 of a line of ${size}, compared with a line of 100, p50`, ...page }),
      figure({
        what: `CPU of a page with explanations and ETAs, ${size} in line`,
        today: (await timing(long.ctx, explained)).cpu,
        unit: 'ms',
        atMost: 20,
      }),
    );
  });
  return figures;
}

export async function benchLine(sizes: readonly number[], times: number): Promise<void> {
  await withInstallation(async (installation) => {
    const rows: string[][] = [];
    for (const [mode, yaml] of Object.entries(modes)) {
      for (const size of sizes) {
        const { ctx, queueId } = await fillLine(installation, { name: `${mode} ${size}`, size, yaml });
        await installation.owner.query('vacuum analyze');
        const cells: Timing[] = [];
        for (const read of Object.values(reads))
          cells.push(
            await timed(
              times,
              async () => await ctx.db.transaction(ctx.accountId, async (tx) => await read(ctx, tx, queueId)),
            ),
          );
        for (const selection of Object.values(pages))
          cells.push(await timed(times, async () => await askPage(ctx, selection)));
        rows.push([mode, String(size), ...cells.map(({ cpu, p50 }) => `${ms(cpu)}, ${ms(p50)}`)]);
      }
    }
    console.log(table(['speculation', 'in line', ...Object.keys(reads), ...Object.keys(pages)], rows));
  });
}

async function askPage(ctx: Context, selection: string): Promise<void> {
  const document = parse(
    `{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") { line(first: 50) { nodes { ${selection} } } } } }`,
  );
  const contextValue = graphQLContext(ctx, services, 'graphql_api');
  const { errors } = await execute({ schema: interlockSchema(), document, contextValue });
  if (errors) throw errors[0] ?? new Error('The page was refused.');
}

/**
 * Fills a line. The builds of its first ten pull requests run. Each pull request has one own check, three versions of
 * its row and three events.
 */
export async function fillLine(
  { owner, account, repository }: Pick<BenchInstallation, 'owner' | 'account' | 'repository'>,
  { name, size, yaml }: { readonly name: string; readonly size: number; readonly yaml: string },
): Promise<{ ctx: Context; repositoryId: string; queueId: string }> {
  const ctx = await account(name);
  const repositoryId = await repository(ctx, 'shop');
  const values = [ctx.accountId, repositoryId];
  await owner.query('update repository set configuration_yaml = $3 where account_id = $1 and id = $2', [
    ...values,
    `merge_rules:\n  labels:\n    trigger: mergequeue\n  merge_mode:\n    type: parallel\n    parallel_mode:\n      ${yaml}\n`,
  ]);
  const made = await owner.query<{ id: string }>(
    `insert into queue (account_id, repository_id, base_branch, waiting, base_tip, base_tree) values ($1, $2, 'main', $3, md5('tip'), md5('tree')) returning id`,
    [...values, size],
  );
  const queueId = made.rows[0]?.id ?? '';
  const inQueue = [...values, queueId];
  await insertPullRequests(
    owner,
    `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch,
       base_branch, head_sha, url, status, rank, approvals, queued_at, created_at, version_since)
     select $1, $2, $3, n, 'Change ' || n, 'author-' || n % 20, 'A', 'a@example.test', 'b' || n, 'main', md5('head' || n), '', 'queued', n, 2,
       now(), now(), now() from generate_series(1, $4::int) n`,
    [...inQueue, size],
  );
  // What the trigger keeps of an update, for all rows at once.
  await owner.query(
    `insert into pull_request_past (account_id, pull_request_id, queue_id, is_in_line, since, until_at, facts)
     select account_id, id, queue_id, true, version_since - approvals.ago, version_since - approvals.ago + interval '1 second',
       to_jsonb(p) || jsonb_build_object('title', '', 'approvals', approvals.given)
     from pull_request p, (values (0, interval '2 seconds'), (1, interval '1 second')) approvals (given, ago)
     where account_id = $1 and repository_id = $2 and queue_id = $3`,
    inQueue,
  );
  await owner.query(
    `insert into build (account_id, repository_id, commit, tree, base_commit, started_at, complete)
     select $1, $2, md5('head' || n), md5('tree' || n), md5('tip'), now(), true from generate_series(1, $3::int) n`,
    [...values, size],
  );
  await owner.query(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, started_at, completed_at)
     select $1, $2, md5('head' || n), 'test', 1, 'success', now(), now() from generate_series(1, $3::int) n`,
    [...values, size],
  );
  await owner.query(
    `with head as (select coalesce(max(position), 0) as position from event where account_id = $1)
     insert into event (account_id, repository_id, queue_id, pull_request_id, action, at, position)
     select $1, $2, $3, p.id, action, now(), head.position + row_number() over ()
     from head, pull_request p, unnest(array['opened', 'labeled', 'queued']) action where p.account_id = $1 and p.queue_id = $3`,
    inQueue,
  );
  await owner.query(
    `with made as (
       insert into batch (account_id, queue_id, repository_id, position, side_build, cause, mode, state, parent_commit, base_commit, strategy, batch_commit,
         build_keys_hash, group_message, commit, tree, tested_commit, created_at, build_started_at)
       select $1, $3, $2, n, case when $4 then 'speculative' end, 'new', 'parallel', 'building', md5('tip'), md5('tip'), 'squash', 'group', '', '', md5('batch' || n), md5('b' || n),
         md5('batch' || n), now(), now() from generate_series(1, 10) n returning id, position)
     insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
     select $1, made.id, 0, p.id, p.head_sha, '', '', '' from made join pull_request p on p.account_id = $1 and p.queue_id = $3 and p.number = made.position`,
    [...inQueue, name.startsWith('adaptive')],
  );
  return { ctx, repositoryId, queueId };
}
