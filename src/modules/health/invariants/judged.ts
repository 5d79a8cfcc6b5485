// Finds violations of the invariants that the domain checks from rows, and of the invariant that needs git.
import type { Ports } from '../../../context.ts';
import {
  catchUpMs,
  isHeldUp,
  isUndecided,
  judgeHistories,
  judgeLanding,
  type EventOfRepository,
  type Findings,
  type LandingRow,
  type Violation,
} from '../../../domain/health/invariants.ts';
import { toQueueRules } from '../../../domain/configuration/queue-rules.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import { judgeOwnHead, pendingUntil } from '../../../domain/queue/evidence/evidence.ts';
import type { BuildState, CheckState } from '../../../domain/queue/model/snapshot.ts';
import { hostClient, type HostClient } from '../../../hosts/port.ts';
import { running } from './statements.ts';
import { sqlUnrecorded } from '../../queue/index.ts';
import { configurationOf, decideHolds, holdColumns, type HoldRows } from '../../repositories/index.ts';

type Query = Ports['db']['system']['query'];

/** How many of the newest rows of a table are checked. */
export type Reach = number;

const ofEvidence = { account: 'l.account_id', repository: 'l.repository_id', commit: "e ->> 'commit'" };

export async function findUnjustifiedLandings(query: Query, reach: Reach): Promise<readonly Violation[]> {
  const rows = await query<LandingRow>(
    `select l.account_id::text as account, l.id::text as landing, l.commit, l.tree, l.grade,
            nullif(f.body -> 'gate', 'null') as gate, f.body -> 'evidence' as evidence,
            array(select to_jsonb(c) from jsonb_array_elements(f.body -> 'evidence') as of_build (e)
                  cross join lateral (${sqlUnrecorded("e -> 'checks'", ofEvidence)}) c) as unrecorded
     from landing l left join proof f on f.account_id = l.account_id and f.landing_id = l.id
     where l.id > (select coalesce(max(id), 0) from landing) - $1::bigint`,
    [reach],
  );
  return rows.flatMap((row) => {
    const sentence = judgeLanding(row);
    return sentence === null ? [] : [{ invariant: 'green_base' as const, account: row.account, sentence }];
  });
}

interface HeldRepository extends HoldRows {
  readonly paused: boolean;
  readonly queues: readonly { readonly id: string; readonly baseBranch: string }[];
}

/**
 * The ids of the queues that need not make progress, because of a pause or a freeze. A repository may have thousands of
 * queues and of rules, so the rules are read once for all queues of a repository.
 */
export async function findHeldQueues(query: Query, now: Date): Promise<readonly string[]> {
  const repositories = await query<HeldRepository>(
    `select r.paused,
            array(select jsonb_build_object('id', q.id::text, 'baseBranch', q.base_branch)
                  from queue q where q.account_id = r.account_id and q.repository_id = r.id) as queues,
            ${holdColumns('r.account_id', 'r.id', '(f.deleted_at is null or f.deleted_at > $1)')}
     from repository r
     where r.deleted_at is null and (r.paused
       or exists (select from branch_pause b where b.account_id = r.account_id and b.repository_id = r.id and b.paused)
       or exists (select from freeze_rule f where f.account_id = r.account_id and f.repository_id = r.id
                  and (f.deleted_at is null or f.deleted_at > $1)))`,
    [new Date(now.getTime() - catchUpMs).toISOString()],
  );
  return repositories.flatMap((repository) =>
    repository.queues
      .filter(({ baseBranch }) => isHeldUp(decideHolds(repository, { repository, baseBranch }), now.getTime()))
      .map(({ id }) => id),
  );
}

export async function findBrokenHistories(query: Query, reach: Reach): Promise<readonly Violation[]> {
  // The statement reads only those parts of a payload that the grammar of histories needs.
  const events = await query<EventOfRepository>(
    `select e.account_id::text as account, e.repository_id::text as repository, e.action,
            e.pull_request_id::text as "pullRequestId", e.batch_id::text as "batchId",
            jsonb_build_object('number', e.payload -> 'number', 'status', e.payload -> 'status',
              'statusCode', e.payload -> 'statusCode', 'resetCode', e.payload -> 'resetCode',
              'pullRequests', case when e.pull_request_id is null then e.payload -> 'pullRequests' end) as payload
     from event e where (e.pull_request_id is not null or e.batch_id is not null) and e.repository_id is not null
       and e.id > (select coalesce(max(id), 0) from event) - $1::bigint
     order by e.id`,
    [reach],
  );
  return judgeHistories(events);
}

/** SQL: what the code host demands for the base branch of the queue q. */
const hostOfQueue = `jsonb_build_object('hostRequiredChecks', q.host_required_checks, 'hostRules', q.host_rules)`;

/** SQL: the checks of a build. */
const checksOf = (u: string): string =>
  `array(select jsonb_build_object('name', c.name, 'attempt', c.attempt, 'conclusion', c.conclusion) from check_result c
         where c.account_id = ${u}.account_id and c.repository_id = ${u}.repository_id and c.commit = ${u}.commit)`;

interface Building {
  readonly account: string;
  readonly repository: string;
  readonly name: string;
  readonly yaml: string;
  readonly host: Parameters<typeof toQueueRules>[1];
  readonly checks: readonly CheckState[];
  readonly complete: boolean;
}

/**
 * Finds the repositories in which more builds run than the configuration allows. A build counts while its result is
 * open. Builds that began before the configuration in force are not counted, and neither are those of halted queues, or
 * batches without a pull request of their own: they wait for their turn, or an earlier build of the same tree counts
 * for them.
 */
export async function findTooManyBuilds(query: Query): Promise<readonly Violation[]> {
  const rows = await query<Building>(
    `select r.account_id::text as account, r.id::text as repository, r.owner || '/' || r.name as name, r.configuration_yaml as yaml,
            ${hostOfQueue} as host, u.complete,
            ${checksOf('u')} as checks
     from batch b join repository r on r.account_id = b.account_id and r.id = b.repository_id
     join queue q on q.account_id = b.account_id and q.id = b.queue_id
     join build u on u.account_id = b.account_id and u.repository_id = b.repository_id and u.commit = coalesce(b.tested_commit, b.commit)
     where b.state = 'building' and not b.given_up and q.halted_reason is null and u.finished_at is null and not u.canceled
       and b.created_at > coalesce((select max(c.modified_at) from configuration_change c where c.account_id = r.account_id and c.repository_id = r.id), '-infinity')
       and exists (select from bot_pull_request o where o.account_id = b.account_id and o.batch_id = b.id and o.closed_at is null)
       and not exists (select from check_result c where c.account_id = b.account_id and c.repository_id = b.repository_id
                       and c.commit = u.commit and c.conclusion not in ('pending', 'success', 'skipped', 'neutral'))
       and not exists (select from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                       where m.account_id = b.account_id and m.batch_id = b.id and p.skip_validation)`,
  );
  const running = rows.filter(({ yaml, host, ...build }) => isUndecided(build, rulesOf(yaml, host).requiredChecks));
  return [...Map.groupBy(running, ({ repository }) => repository).values()].flatMap((builds) => {
    const [{ account, name, yaml, host }] = builds as [Building];
    const { mode, maxParallelBuilds: max, maxTopupBuilds } = rulesOf(yaml, host);
    if (mode !== 'parallel' || max === null || builds.length <= max + maxTopupBuilds) return [];
    const sentence = `${builds.length} builds of ${name} run, but its configuration allows ${max}.`;
    return [{ invariant: 'bounded_builds' as const, account, sentence }];
  });
}

interface EndedBuild {
  readonly account: string;
  readonly sentence: string;
  readonly yaml: string;
  readonly host: Parameters<typeof toQueueRules>[1];
  readonly build: BuildState;
  /** The builds of the heads of its pull requests. */
  readonly heads: readonly BuildState[];
}

/** SQL: a build as the planner judges it. */
const toBuildState = (u: string): string =>
  `jsonb_build_object('commit', ${u}.commit, 'tree', ${u}.tree, 'base', ${u}.base_commit, 'complete', ${u}.complete,
     'startedAt', extract(epoch from ${u}.started_at) * 1000, 'finishedAt', extract(epoch from ${u}.finished_at) * 1000,
     'lastEndAt', (select extract(epoch from max(c.completed_at)) * 1000 from check_result c
                   where c.account_id = ${u}.account_id and c.repository_id = ${u}.repository_id and c.commit = ${u}.commit),
     'checks', ${checksOf(u)})`;

/**
 * Finds batches that are first in line, and that neither land nor fail although nothing keeps them from it: neither a
 * check of the build, nor a required check of a head, nor a final gate, nor a head that the host does not show yet.
 */
export async function findStuckBatches(
  query: Query,
  { now, held }: { readonly now: Date; readonly held: readonly string[] },
): Promise<readonly Violation[]> {
  const rows = await query<EndedBuild>(
    `select b.account_id::text as account, r.configuration_yaml as yaml,
            format('Batch %s is first in line and its checks ended at %s, but it has neither landed nor failed.', b.id, u.complete_at) as sentence,
            ${hostOfQueue} as host,
            ${toBuildState('u')} as build,
            array(select ${toBuildState('h')} from batch_member m
                  join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                  join build h on h.account_id = m.account_id and h.repository_id = b.repository_id and h.commit = p.head_sha
                  where m.account_id = b.account_id and m.batch_id = b.id) as heads
     from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
     join repository r on r.account_id = b.account_id and r.id = b.repository_id
     join build u on u.account_id = b.account_id and u.repository_id = b.repository_id and u.commit = coalesce(b.tested_commit, b.commit)
     where b.state = 'building' and b.side_build is null and u.complete and u.complete_at < $1::timestamptz - interval '5 minutes'
       and ${running('$2')} and (q.next_look_at is null or q.next_look_at < $1::timestamptz - interval '1 minute')
       and not exists (select from batch o where o.account_id = b.account_id and o.queue_id = b.queue_id and o.side_build is null
                       and o.state in ('making', 'building', 'landing') and o.position < b.position)
       and not exists (select from gate_run g where g.account_id = b.account_id and g.batch_id = b.id and g.state in ('planned', 'running'))
       and not exists (select from batch_member m join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
                       where m.account_id = b.account_id and m.batch_id = b.id and p.head_unseen)`,
    [now.toISOString(), [...held]],
  );
  return rows
    .filter(({ yaml, host, build, heads }) => {
      const rules = rulesOf(yaml, host);
      const waits = isUndecided(build, rules.requiredChecks) || pendingUntil(build, rules) > now.getTime();
      return !waits && heads.every((head) => judgeOwnHead(head, rules) !== 'pending');
    })
    .map(({ account, sentence }) => ({ invariant: 'line_moves' as const, account, sentence }));
}

function rulesOf(yaml: string, host: Building['host']): QueueRules {
  return toQueueRules(configurationOf({ configurationYaml: yaml }), host);
}

interface Landed {
  readonly account: string;
  readonly repository: string;
  readonly owner: string;
  readonly name: string;
  readonly host: 'local' | 'github';
  readonly branch: string;
  readonly first: string;
  readonly landings: readonly { readonly commit: string; readonly tree: string }[];
}

/**
 * Finds landings whose commit is missing from the base branch or has another tree there. Landings on a branch that was
 * deleted since are left out. `hosts` are the code hosts
 * whose git repositories are read. Inactive repositories cannot be read.
 */
export async function findLostLandings(
  ports: Pick<Ports, 'db' | 'hosts'>,
  { perQueue, hosts }: { readonly perQueue: number; readonly hosts: readonly Landed['host'][] },
): Promise<Findings> {
  const queues = await ports.db.system.query<Landed>(
    `select q.account_id::text as account, r.id::text as repository, r.owner, r.name, r.host, q.base_branch as branch,
            n.first, n.landings
     from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id,
          lateral (select (array_agg(l.first_parent order by l.id))[1] as first,
                          jsonb_agg(jsonb_build_object('commit', l.commit, 'tree', l.tree)) as landings
                   from (select * from landing l where l.account_id = q.account_id and l.queue_id = q.id and l.id > coalesce(q.last_deleted_landing_id, 0)
                         order by l.id desc limit $1) l) n
     where r.active and r.deleted_at is null and r.host = any ($2::text[]) and q.halted_reason is null and n.landings is not null`,
    [perQueue, hosts],
  );
  const found: Record<keyof Findings, Violation[]> = { violations: [], uncompared: [] };
  for (const queue of queues) {
    const { account, owner, name, branch } = queue;
    const asViolation = (sentence: string): Violation => ({ invariant: 'landed_tree', account, sentence });
    try {
      found.violations.push(...(await findLostOf(ports, queue)).map(asViolation));
    } catch (error) {
      found.uncompared.push(asViolation(`${branch} of ${owner}/${name} cannot be read: ${reasonOf(error)}`));
    }
  }
  return found;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function findLostOf(ports: Pick<Ports, 'hosts'>, queue: Landed): Promise<readonly string[]> {
  const { account, repository, owner, name, host, branch, first, landings } = queue;
  const client = hostClient(ports, { accountId: account, id: repository, owner, name, host });
  const tip = await client.readRef(`refs/heads/${branch}`);
  // Somebody has deleted the branch, and the next comparison with the host will say so in the queue's row.
  if (tip === null) return [];
  const trees = await readLine(client, { from: first, to: tip.commit });
  return landings.flatMap(({ commit, tree }) => {
    const there = trees.get(commit);
    if (there === tree) return [];
    const difference = there === undefined ? 'is not on the first-parent line of' : `has the tree ${there} in`;
    return [`${commit} landed, and ${difference} ${branch} of ${owner}/${name}.`];
  });
}

const commitsAtOnce = 10_000;

/** The commits from `to` back to `from`, with their trees. */
async function readLine(
  client: HostClient,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, string>> {
  const trees = new Map<string, string>();
  let next: string | undefined = to;
  while (next !== undefined && next !== from) {
    const page = await client.listFirstParents({ from, to: next, limit: commitsAtOnce });
    for (const { commit, tree } of page) trees.set(commit, tree);
    next = page.at(-1)?.parents[0];
  }
  return trees;
}
