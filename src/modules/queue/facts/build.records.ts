// Records builds and their checks. They are facts about commits, which are read from the host and stored. The key of a
// result is (commit, check, attempt) and not a bot pull request, so that a late result of a superseded build is still
// evidence for its tree.
import type { Context } from '../../../context.ts';
import {
  type CheckReport,
  hostClient,
  type HostedRepository,
  type PinnedChecks,
  type WantedChecks,
} from '../../../hosts/port.ts';
import {
  hasNews,
  runsAgain,
  withdrawnChecks,
  withLastingAttempts,
  type RecordedChecks,
} from '../../../domain/queue/evidence/recorded-checks.ts';
import { isCheckOfCi, isServiceCheck } from '../../../domain/queue/evidence/service-checks.ts';
import type { Transaction } from '../../../platform/database.ts';
import { toStorableJson } from '../../../platform/storable-text.ts';
import { sqlHasOpenedBot } from '../store/batch.rows.ts';
import { rulesOf } from '../store/rules-in-force.ts';
import { planHint } from '../store/host-hints.ts';
import { changeQueue } from '../store/queue.locks.ts';

/** Records that CI may run for a commit. `base` is the commit of the base branch on which the commit was built. */
export async function recordBuild(
  ctx: Context,
  tx: Transaction,
  build: { repositoryId: string; commit: string; tree: string; base: string },
): Promise<void> {
  await tx.send(
    // The row is read first. An insert would wait for a transaction that writes results of the same build, and that
    // transaction waits for the queue's row.
    `insert into build (account_id, repository_id, commit, tree, base_commit, started_at)
     select $1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::timestamptz
     where not exists (select from build where account_id = $1 and repository_id = $2 and commit = $3)
     on conflict (account_id, repository_id, commit) do nothing`,
    [ctx.accountId, build.repositoryId, build.commit, build.tree, build.base, ctx.clock().toISOString()],
  );
}

/** The ids of the queues that must plan again after checks of the commit have ended. */
async function readWaitingQueues(
  ctx: Context,
  tx: Transaction,
  of: { readonly repositoryId: string; readonly commit: string },
): Promise<string[]> {
  const rows = await tx.query<{ queue_id: string }>(
    `select queue_id from batch where account_id = $1 and repository_id = $2 and tested_commit = $3 and state in ('making', 'building', 'landing')
     union
     select queue_id from pull_request
     where account_id = $1 and repository_id = $2 and head_sha = $3 and status in ('pending', 'queued', 'tagged') and queue_id is not null
     union
     -- Automatic updates of branches wait until checks of other branches, and of the same branch, have ended.
     select q.id from queue q join pull_request p on p.account_id = $1 and p.queue_id = q.id
     where q.account_id = $1 and p.repository_id = $2 and p.head_sha = $3 and p.status in ('open', 'blocked') and q.updates_wait
       and exists (select from build where account_id = $1 and repository_id = $2 and commit = $3 and finished_at is not null)
     union
     -- A pull request that nobody has queued may be ready now. Its status comment must then say so.
     select queue_id from pull_request
     where account_id = $1 and repository_id = $2 and head_sha = $3 and status = 'open' and queue_id is not null
       and status_check->>'commit' is distinct from head_sha
       and exists (select from build where account_id = $1 and repository_id = $2 and commit = $3 and finished_at is not null)
     union
     -- After the end of a build, another queue of the repository may start one (max_parallel_builds), for a pull request
     -- that waits, or a second one for a pull request that was built already.
     select id from queue
     where account_id = $1 and repository_id = $2 and waiting + tagged > 0
       and exists (select from batch where account_id = $1 and repository_id = $2 and tested_commit = $3 and state in ('making', 'building', 'landing'))
       and exists (select from build where account_id = $1 and repository_id = $2 and commit = $3 and finished_at is not null)
     order by 1`,
    [ctx.accountId, of.repositoryId, of.commit],
  );
  return rows.map((row) => row.queue_id);
}

/**
 * Reads the checks of a commit from the host and stores what is new. Wakes the queues that wait for this commit if a
 * check ended or runs again, or the host's list became complete. The first start of a check wakes no queue and takes no
 * lock.
 */
export async function recordChecks(ctx: Context, repository: HostedRepository, commit: string): Promise<void> {
  await recordNewChecks(ctx, repository, { commit, kept: await readKeptChecks(ctx, repository.id, commit) });
}

/** Like `recordChecks`, for several commits, which are read together. */
export async function recordChecksTogether(
  ctx: Context,
  repository: HostedRepository,
  commits: readonly string[],
): Promise<void> {
  const known = await Promise.all(
    commits.map(async (commit) => ({ commit, kept: await readKeptChecks(ctx, repository.id, commit) })),
  );
  const builds = known.flatMap(({ commit, kept }) => (kept === null ? [] : [{ commit, kept }]));
  if (builds.length === 0) return;
  const wanted = builds.map(({ commit, kept }) => ({ ...wantedOf(kept), commit }));
  const reports = await hostClient(ctx, repository).readChecksTogether(wanted);
  for (const [at, { kept }] of builds.entries()) {
    const report = reports[at];
    if (report !== undefined) await recordReport(ctx, repository, { kept, read: withAttemptsOf(report, kept.checks) });
  }
}

/** Like `recordChecks`, for a caller that has just read what is stored. */
export async function recordNewChecks(
  ctx: Context,
  repository: HostedRepository,
  { commit, kept }: { readonly commit: string; readonly kept: KeptBuild | null },
): Promise<void> {
  if (kept === null) return;
  const read = await readReport(ctx, repository, { commit, recorded: kept.checks, wanted: wantedOf(kept) });
  await recordReport(ctx, repository, { kept, read });
}

async function recordReport(
  ctx: Context,
  repository: HostedRepository,
  { kept, read }: { readonly kept: KeptBuild; readonly read: CheckReport },
): Promise<void> {
  const { commit } = read;
  // Before its branch has moved to the commit, CI knows nothing of the build, so an empty list of checks is not final.
  const report = kept.movedAt === null ? { ...read, complete: false, settlesAt: null } : read;
  if (report.settlesAt !== null && !report.complete)
    await planNextRead(ctx, repository, { commit, at: report.settlesAt });
  await fillRunInstants(ctx, repository, { report, kept });
  // Most reports contain only known results.
  if (!hasNews(report, kept)) return;
  const isOrdered = await ctx.db.transaction(ctx.accountId, async (tx) => {
    // These share a round trip. The queues are read after the report is written.
    const [stored, waiting] = await Promise.all([
      keepReport(ctx, tx, {
        repositoryId: repository.id,
        report,
        known: kept.checks,
        withdrawn: withdrawnChecks(report, kept),
      }),
      readWaitingQueues(ctx, tx, { repositoryId: repository.id, commit }),
    ]);
    if (!stored.isNew || waiting.length === 0) return stored.isOrdered;
    for (const queueId of waiting) await changeQueue(ctx, tx, queueId);
    await tx.send(
      // `offset 0` makes PostgreSQL select by the head first, because there may be many open pull requests.
      `update pull_request p set notify_at = coalesce(p.notify_at, $4)
       from (select id from pull_request where account_id = $1 and repository_id = $2 and head_sha = $3 offset 0) of_head
       where p.account_id = $1 and p.id = of_head.id and p.status = 'open' and p.queue_id = any($5)`,
      [ctx.accountId, repository.id, commit, ctx.clock().toISOString(), waiting],
    );
    return stored.isOrdered;
  });
  const readAgainMs = isOrdered ? readAgainAfterMs : 0;
  if (!isOrdered || runsAgain(report, kept))
    await planNextRead(ctx, repository, { commit, at: ctx.clock().getTime() + readAgainMs });
}

/**
 * Records when the host made the workflow runs of checks that an earlier version recorded. This is no news: no check ends
 * or runs again by it.
 */
async function fillRunInstants(
  ctx: Context,
  { id: repositoryId }: HostedRepository,
  { report, kept }: { readonly report: CheckReport; readonly kept: KeptBuild },
): Promise<void> {
  const lacking = new Map(kept.checks.filter(({ hasRunAt }) => !hasRunAt).map((check) => [keyOf(check), check]));
  const found = report.checks.flatMap((check) => {
    const { name, attempt, conclusion, newestRun, workflowRunAt } = check;
    if (workflowRunAt === undefined || lacking.get(keyOf(check))?.conclusion !== conclusion) return [];
    return [{ name, attempt, conclusion, newestRun, workflowRunAt: new Date(workflowRunAt).toISOString() }];
  });
  if (found.length === 0) return;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `update check_result r set workflow_run_at = c."workflowRunAt"
       from jsonb_to_recordset($4::jsonb) as c (name text, attempt int, conclusion text, "newestRun" bigint, "workflowRunAt" timestamptz)
       where r.account_id = $1 and r.repository_id = $2 and r.commit = $3 and r.name = c.name and r.attempt = c.attempt
         and r.conclusion = c.conclusion and coalesce(r.newest_run = c."newestRun", true) and r.workflow_run_at is null`,
      [ctx.accountId, repositoryId, report.commit, toStorableJson(found)],
    );
  });
}

function keyOf({ name, attempt }: { readonly name: string; readonly attempt: number }): string {
  return `${attempt} ${name}`;
}

/** Reads the checks of a commit from the host. Their attempts are counted as the recorded ones (`withLastingAttempts`). */
export async function readReport(
  ctx: Context,
  repository: HostedRepository,
  of: { readonly commit: string; readonly recorded: RecordedChecks['checks']; readonly wanted: WantedChecks },
): Promise<CheckReport> {
  const read = await hostClient(ctx, repository).readChecks(of.commit, of.wanted);
  return withAttemptsOf(read, of.recorded);
}

function withAttemptsOf(report: CheckReport, recorded: RecordedChecks['checks']): CheckReport {
  return { ...report, checks: withLastingAttempts(report.checks, recorded) };
}

type KeptCheck = RecordedChecks['checks'][number] & {
  /** Whether it is recorded when the host made the workflow run of the check. */
  readonly hasRunAt: boolean;
};

/** A stored build, its recorded checks, and the rules by which its checks are read. */
export interface KeptBuild extends RecordedChecks {
  readonly checks: readonly KeptCheck[];
  /** When the branch moved to the commit, in milliseconds since the epoch. Null: it has not moved yet. */
  readonly movedAt: number | null;
  /** Whether the commit is tested for a live batch. False: the commit is the head of a pull request. */
  readonly isTested: boolean;
  readonly hostRequired: readonly string[];
  /** The checks without which the host refuses a push. */
  readonly hostEnforced: readonly string[];
  /** The pinned checks of each queue that uses the commit. */
  readonly hostPinned: readonly PinnedChecks[];
  readonly configurationYaml: string;
}

/** Null: there is no build of this commit, so its checks are not needed. */
export async function readKeptChecks(ctx: Context, repositoryId: string, commit: string): Promise<KeptBuild | null> {
  const [kept] = await ctx.db.read<KeptBuild>(ctx.accountId, {
    name: 'kept_checks',
    // `movedAt`: the branch of a batch has moved when its bot pull request is open. `build_started_at` does not say so,
    // because a batch that needs no build of its own has it too. In serial mode, and for a head, there is no such branch.
    text: `with meant as (
             select queue_id as id from batch where account_id = $1 and repository_id = $2 and tested_commit = $3 and state in ('making', 'building', 'landing')
             union select queue_id from pull_request where account_id = $1 and repository_id = $2 and head_sha = $3)
           select b.complete, b.canceled, array(
             select jsonb_build_object('name', name, 'attempt', attempt, 'conclusion', conclusion, 'newestRun', newest_run, 'hasRunAt', workflow_run_at is not null) from check_result
             where account_id = $1 and repository_id = $2 and commit = $3) as checks,
             case when not coalesce(t.waits, false) then extract(epoch from greatest(b.started_at, t.moved_at))::float8 * 1000 end as "movedAt",
             t.waits is not null as "isTested",
             array(select distinct unnest(q.host_required_checks) from queue q where q.account_id = $1 and q.id in (select id from meant)) as "hostRequired",
             array(select distinct jsonb_array_elements_text(q.host_rules -> 'enforcedChecks') from queue q
               where q.account_id = $1 and q.id in (select id from meant) and q.host_rules ->> 'push' = 'checked' and q.host_rules ? 'enforcedChecks') as "hostEnforced",
             array(select q.host_rules -> 'pinned' from queue q
               where q.account_id = $1 and q.id in (select id from meant) and q.host_rules ? 'pinned') as "hostPinned",
             r.configuration_yaml as "configurationYaml"
           from build b join repository r on r.account_id = $1 and r.id = $2
           left join lateral (
             select not bool_or(m.moved) as waits, max(l.build_started_at) filter (where m.moved) as moved_at
             from batch l, lateral (select case l.mode when 'serial' then l.build_started_at is not null
                 else ${sqlHasOpenedBot('l')}
                   or exists (select from pull_request where account_id = $1 and repository_id = $2 and head_sha = $3) end as moved) m
             where l.account_id = $1 and l.repository_id = $2 and l.tested_commit = $3 and l.state in ('making', 'building', 'landing')) t on true
           where b.account_id = $1 and b.repository_id = $2 and b.commit = $3`,
    values: [ctx.accountId, repositoryId, commit],
  });
  return kept ?? null;
}

function wantedOf({ movedAt, isTested, complete, configurationYaml, ...host }: KeptBuild): WantedChecks {
  const { hostRequired, hostEnforced, hostPinned } = host;
  const { rules } = rulesOf(
    { configurationYaml },
    {
      hostRequiredChecks: hostRequired,
      hostRules: { push: 'checked', why: null, linear: false, signed: false, enforcedChecks: hostEnforced },
    },
  );
  // If no check is required of a head itself, the required checks of builds show when its CI has ended.
  const isJudged = !isTested && rules.ownRequiredChecks?.length !== 0;
  const required = (isJudged ? rules.ownRequiredChecks : rules.requiredChecks) ?? [];
  const names = required.map(({ name }) => name).filter((name) => !name.includes('*') && !isServiceCheck(name));
  return {
    expected: [...new Set(names)],
    pinned: Object.assign({}, ...hostPinned) as PinnedChecks,
    movedAt,
    wasComplete: complete,
  };
}

const soonestReadMs = 1_000;
/** When a check that runs again is read again, in case a server of the host has answered late. */
const readAgainAfterMs = 10_000;

/** Plans to read the report again. A report may become complete after some time, and no event of the host says so. */
async function planNextRead(
  ctx: Context,
  repository: HostedRepository,
  { commit, at }: { readonly commit: string; readonly at: number },
): Promise<void> {
  const dueAt = new Date(Math.max(at, ctx.clock().getTime() + soonestReadMs));
  await planHint(
    ctx,
    { accountId: ctx.accountId, repositoryId: repository.id, kind: 'checks', subject: commit },
    dueAt,
  );
}

interface Reported {
  readonly repositoryId: string;
  readonly report: CheckReport;
  /** What was recorded before the host was asked. */
  readonly known: RecordedChecks['checks'];
  /** Names of recorded checks that the host has withdrawn. */
  readonly withdrawn: readonly string[];
}

interface Stored {
  /** Whether a check has ended or runs again, or the state of the build has changed. */
  readonly isNew: boolean;
  /**
   * False: another process has recorded another end of a check since the host was asked. It is not known which of the
   * two answers of the host is newer, so the host must be asked again.
   */
  readonly isOrdered: boolean;
}

async function keepReport(ctx: Context, tx: Transaction, reported: Reported): Promise<Stored> {
  const [wasWithdrawn, { hasCheckChanged, isOrdered }, hasBuildChanged] = await Promise.all([
    removeWithdrawn(ctx, tx, reported),
    keepChecks(ctx, tx, reported),
    keepBuildState(ctx, tx, reported),
  ]);
  return { isNew: wasWithdrawn || hasBuildChanged || hasCheckChanged, isOrdered };
}

/** Removes the checks that the host has withdrawn, unless a landing may rest on them. Returns whether there was one. */
async function removeWithdrawn(
  ctx: Context,
  tx: Transaction,
  { repositoryId, report: { commit }, withdrawn }: Reported,
): Promise<boolean> {
  if (withdrawn.length === 0) return false;
  const removed = await tx.query(
    `delete from check_result r
     where r.account_id = $1 and r.repository_id = $2 and r.commit = $3 and r.name = any($4) and r.conclusion = 'action_required'
       and not exists (select from batch where account_id = $1 and repository_id = $2 and tested_commit = $3 and state in ('landing', 'landed'))
     returning 1`,
    [ctx.accountId, repositoryId, commit, withdrawn],
  );
  return removed.length > 0;
}

async function keepChecks(
  ctx: Context,
  tx: Transaction,
  { repositoryId, report, known }: Reported,
): Promise<{ readonly hasCheckChanged: boolean; readonly isOrdered: boolean }> {
  const knownEnds = new Map(known.map((check) => [keyOf(check), check.conclusion]));
  // Reported checks with a name of the service's own checks are left out, because anybody can report results of CI. All
  // writers write rows in the same order, to prevent deadlocks.
  const checks = report.checks
    .filter(({ name }) => !isServiceCheck(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.attempt - b.attempt))
    .map((check) => ({
      ...check,
      known: knownEnds.get(keyOf(check)) ?? null,
      startedAt: check.startedAt === null ? null : new Date(check.startedAt).toISOString(),
      completedAt: check.completedAt === null ? null : new Date(check.completedAt).toISOString(),
      workflowRunAt: check.workflowRunAt === undefined ? null : new Date(check.workflowRunAt).toISOString(),
    }));
  const of = [ctx.accountId, repositoryId, report.commit, toStorableJson(checks)];
  const [changed, [unordered]] = await Promise.all([
    tx.query<{ conclusion: string; attempt: number }>(
      `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion, url, summary, event, workflow_run_at, started_at, completed_at, newest_run, heard_at, end_heard_at)
       select $1, $2, $3, c.name, c.attempt, c.conclusion, c.url, c.summary, c.event, c."workflowRunAt", c."startedAt", c."completedAt", c."newestRun", $5, case when c.conclusion <> 'pending' then $5::timestamptz end
       from jsonb_to_recordset($4::jsonb) as c (name text, attempt int, conclusion text, url text, summary text, event text, "workflowRunAt" timestamptz, "startedAt" timestamptz, "completedAt" timestamptz, "newestRun" bigint)
       on conflict (account_id, repository_id, commit, name, attempt) do update
         set conclusion = excluded.conclusion, url = excluded.url, summary = excluded.summary, event = coalesce(excluded.event, check_result.event),
             workflow_run_at = coalesce(excluded.workflow_run_at, check_result.workflow_run_at),
             started_at = excluded.started_at, completed_at = excluded.completed_at, end_heard_at = excluded.end_heard_at,
             newest_run = greatest(check_result.newest_run, excluded.newest_run)
         where check_result.conclusion is distinct from excluded.conclusion and excluded.conclusion <> 'pending'
           -- Another process may have recorded a newer run as this attempt since the records were read.
           and (excluded.newest_run is null or check_result.newest_run is null or excluded.newest_run >= check_result.newest_run)
           -- An end replaces only an end that was recorded before the host was asked.
           and (check_result.conclusion = 'pending' or exists (
             select from jsonb_to_recordset($4::jsonb) as k (name text, attempt int, known text)
             where k.name = excluded.name and k.attempt = excluded.attempt and k.known = check_result.conclusion))
       returning conclusion, attempt`,
      [...of, ctx.clock().toISOString()],
    ),
    tx.query<{ exists: boolean }>(
      `select exists (
         select from jsonb_to_recordset($4::jsonb) as c (name text, attempt int, conclusion text, known text)
         join check_result r on r.account_id = $1 and r.repository_id = $2 and r.commit = $3 and r.name = c.name and r.attempt = c.attempt
         where r.conclusion not in ('pending', c.conclusion) and r.conclusion is distinct from c.known)`,
      of,
    ),
  ]);
  // A later attempt that has started takes the result of the earlier one away.
  const hasCheckChanged = changed.some(({ conclusion, attempt }) => conclusion !== 'pending' || attempt > 1);
  return { hasCheckChanged, isOrdered: !unordered?.exists };
}

async function keepBuildState(ctx: Context, tx: Transaction, { repositoryId, report }: Reported): Promise<boolean> {
  // The state follows from the stored results and not from the report, because two readers of the host may write in
  // another order than they read. An ended attempt does not run again, because a rerun is a new attempt, and a complete
  // list stays complete.
  const completed = await tx.query(
    `update build b set complete = now.complete, canceled = now.canceled, finished_at = case when now.finished then coalesce(b.finished_at, $6) end,
       complete_at = case when now.complete then coalesce(b.complete_at, $6) end
     from (select k.complete or $4 as complete, $5 or coalesce(bool_or(c.conclusion = 'cancelled'), false) as canceled,
                  (k.complete or $4) and not coalesce(bool_or(c.conclusion = 'pending'), false) as finished
           from build k
           left join lateral (
             select distinct on (r.name) r.conclusion from check_result r
             where r.account_id = $1 and r.repository_id = $2 and r.commit = $3 and ${isCheckOfCi('r.name')} order by r.name, r.attempt desc) c on true
           where k.account_id = $1 and k.repository_id = $2 and k.commit = $3
           group by k.complete) now
     where b.account_id = $1 and b.repository_id = $2 and b.commit = $3
       and (b.complete <> now.complete or b.canceled <> now.canceled or (b.finished_at is not null) <> now.finished)
     returning 1`,
    [ctx.accountId, repositoryId, report.commit, report.complete, report.canceled, ctx.clock().toISOString()],
  );
  return completed.length > 0;
}
