// Rules about progress. They are judged only after a span without faults, in which all processes worked.
import { invariants } from '../../src/domain/health/invariants.ts';
import { compareWithInvariants } from '../../src/modules/health/invariants/find.ts';
import { portsOf, type Installation } from './installation.ts';

export interface Liveness {
  /** The numbers of the first pull requests of all lines whose landings nobody stops. */
  firstInLine(): Promise<readonly number[]>;
  /** What the service has not done although it could have heard of everything a minute ago. */
  lookAtConvergence(): Promise<readonly string[]>;
  /** Whether the line moved past the pull request that was the first one before the span, and what was left behind. */
  lookAtProgress(first: readonly number[]): Promise<readonly string[]>;
  /** Branches, pull requests and checks that are left of builds that were cleaned up this many minutes ago. */
  lookAtOrphans(minutes: number): Promise<readonly string[]>;
  /** Differences between the rows of the service and the host. */
  lookAtHost(): Promise<readonly string[]>;
}

/** SQL: whether there is the base branch, and nobody stops the landings of the queue `q` in the repository `r`. */
const moves = `q.halted_reason is null and q.base_tip is not null and r.active and not r.paused
  and not exists (select from branch_pause s where s.account_id = r.account_id and s.repository_id = r.id and s.paused)
  and not exists (select from freeze_rule f where f.account_id = r.account_id and f.repository_id = r.id and f.deleted_at is null)`;

export function createLiveness(i: Installation): Liveness {
  const sentences = async (text: string, values: readonly unknown[] = []): Promise<string[]> =>
    (await i.rows<{ sentence: string }>(text, values)).map(({ sentence }) => sentence);

  async function firstInLine(): Promise<readonly number[]> {
    const first = await i.rows<{ number: number }>(
      `select distinct on (q.id) p.number from pull_request p join queue q on q.account_id = p.account_id and q.id = p.queue_id
       join repository r on r.account_id = q.account_id and r.id = q.repository_id
       where p.status = 'queued' and p.rank is not null and ${moves} order by q.id, p.rank`,
    );
    return first.map(({ number }) => number);
  }

  async function lookAtConvergence(): Promise<readonly string[]> {
    return await sentences(
      `select format('Queue %s has version %s, and its plan is of version %s.', q.id, q.version, q.planned_version) as sentence
       from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id
       where q.version <> q.planned_version and r.active
       union all select format('The hint %s %s has been due since %s.', kind, subject, due_at) from host_hint where due_at <= now()
       union all select format('Event %s has no position.', id) from event
         where position is null and at < now() - interval '30 seconds'
       union all select format('Webhooks were made up to event %s of %s.', c.position, h.position)
         from webhook_cursor c join event_head h on h.account_id = c.account_id where c.position < h.position
       union all select format('Delivery %s was never tried.', id) from webhook_delivery where state = 'pending'
       union all select format('Build %s goes on, and the branch %s is gone.', b.id, q.base_branch)
         from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
         join repository r on r.account_id = q.account_id and r.id = q.repository_id
         where b.state in ('making', 'building') and q.base_tip is null and q.halted_reason is null and r.active
       union all select format('Intent %s (%s) is %s, and was due at %s.', n.id, n.kind, n.state, coalesce(n.next_try_at, n.planned_at))
         from intent n join queue q on q.account_id = n.account_id and q.id = n.queue_id
         join repository r on r.account_id = q.account_id and r.id = q.repository_id
         where n.state in ('planned', 'started') and coalesce(n.next_try_at, n.planned_at) < now() - interval '30 seconds' and ${moves}`,
    );
  }

  async function lookAtProgress(first: readonly number[]): Promise<readonly string[]> {
    await i.kept.refresh('all');
    const [process] = i.processes;
    // This invariant compares the instants of a landing and of a pause.
    const only = (invariant: string): boolean => invariant !== 'absolute_pause' || !i.haveClocksDiffered();
    const found =
      process === undefined ? null : await compareWithInvariants(portsOf(i, process), { scope: 'all', only });
    const violations = found === null ? [] : [...found.violations, ...found.uncompared];
    const standing = await firstInLine();
    return [
      ...violations.map(({ invariant, sentence }) => `${invariants[invariant].kind}: ${invariant}: ${sentence}`),
      ...first
        .filter((number) => standing.includes(number))
        .map((number) => `#${number} was first in line all the time, and the line did not move.`),
      ...(await lookAtOrphans(10)),
      ...(await lookAtHost()),
    ];
  }

  async function lookAtOrphans(minutes: number): Promise<readonly string[]> {
    const names = (await i.git.refs('refs/heads/')).map(({ ref }) => ref.replace('refs/heads/', ''));
    const branches = names.filter((name) => name.startsWith('mq-'));
    return [
      ...(await sentences(
        `select format('The branch %s is left, and no build has it.', n.name) as sentence
         from unnest($1::text[]) n (name)
         where not exists (select from batch b where n.name = 'mq-bot-' || b.id
                           and (b.cleaned_up_at is null or b.cleaned_up_at > now() - make_interval(mins => $2)))
           and not exists (select from bot_pull_request o join batch b on b.account_id = o.account_id and b.id = o.batch_id
                           where o.branch = n.name and o.closed_at is null
                           and (o.idle or b.cleaned_up_at is null or b.cleaned_up_at > now() - make_interval(mins => $2)))`,
        [branches, minutes],
      )),
      ...(await sentences(
        `select format('The pull request #%s of a build is open at the host, and its row says that it is closed.', l.number) as sentence
         from local_pull_request l where l.state = 'open'
           and exists (select from bot_pull_request o where o.number = l.number and o.repository_id = l.repository_id)
           and not exists (select from bot_pull_request o where o.number = l.number and o.repository_id = l.repository_id and o.closed_at is null)
         union all
         select format('The check %s runs at %s, which has ended.', c.id, c.lease_owner) from local_check_run c
         where c.state = 'running' and c.started_at <= now() - make_interval(mins => $2) and c.lease_owner <> all ($1)
         union all
         select format('The check %s is given to %s, which does not run it.', c.id, c.lease_owner) from local_check_run c
         where c.state = 'running' and c.started_at <= now() - make_interval(mins => $2) and c.lease_owner = any ($1)
           and c.id <> all ($3::bigint[])`,
        [i.processes.map(({ runner }) => runner), minutes, i.running.map(({ run }) => run.id)],
      )),
    ];
  }

  async function lookAtHost(): Promise<readonly string[]> {
    const branches = await i.git.refs('refs/heads/');
    const tips = Object.fromEntries(branches.map(({ ref, commit }) => [ref.replace('refs/heads/', ''), commit]));
    return await sentences(
      `select format('#%s has the head %s, and the host has %s.', p.number, p.head_sha, l.head_sha) as sentence
       from pull_request p join local_pull_request l on l.account_id = p.account_id and l.repository_id = p.repository_id and l.number = p.number
       where l.state = 'open' and l.head_sha <> p.head_sha
       union all
       select format('#%s has the head %s at the host, and its branch is at %s.', l.number, l.head_sha, $1::jsonb ->> l.head_branch)
       from local_pull_request l where l.state = 'open' and l.head_sha is distinct from $1::jsonb ->> l.head_branch
       union all
       select format('#%s is %s, and is %s at the host.', p.number, p.status, l.state)
       from pull_request p join local_pull_request l on l.account_id = p.account_id and l.repository_id = p.repository_id and l.number = p.number
       where (p.status = 'merged') <> (l.state = 'merged') or (p.status = 'closed') <> (l.state = 'closed')
       union all
       select format('#%s is open at the host, and Interlock does not know it.', l.number) from local_pull_request l
       where l.state = 'open'
         and not exists (select from pull_request p where p.repository_id = l.repository_id and p.number = l.number)
         and not exists (select from bot_pull_request o where o.repository_id = l.repository_id and o.number = l.number)
       union all
       select format('#%s has the labels %s, and at the host %s.', p.number, p.labels, l.labels)
       from pull_request p join local_pull_request l on l.account_id = p.account_id and l.repository_id = p.repository_id and l.number = p.number
       where l.state = 'open' and not (p.labels::text[] @> l.labels and l.labels @> p.labels::text[])
       union all
       select format('The queue of %s has the tip %s, and the branch is at %s.', base_branch, base_tip, $1::jsonb ->> base_branch)
       from queue where coalesce(base_tip, '') <> coalesce($1::jsonb ->> base_branch, '')`,
      [JSON.stringify(tips)],
    );
  }

  return { firstInLine, lookAtConvergence, lookAtProgress, lookAtOrphans, lookAtHost };
}
