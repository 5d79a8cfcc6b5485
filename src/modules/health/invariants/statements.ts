// Invariants that SQL can check. Each row that a statement returns is a violation. $1 is the number of the newest rows
// that are checked, $2 is the present instant, and $3 has the queues that need not make progress.
import type { InvariantName } from '../../../domain/health/invariants.ts';
import { maxTimesPassed } from '../../../domain/queue/model/reordered.ts';

/** SQL: whether a row is among the newest $1 rows of its table, by the primary key. */
function newest(table: string, alias: string): string {
  return `${alias}.id > (select coalesce(max(id), 0) from ${table}) - $1::bigint`;
}

/**
 * SQL: whether a queue is not halted, and the last plan has judged its batches. While a landing is under way, a plan
 * resets no batch.
 */
const settled = `q.version = q.planned_version and q.halted_reason is null
  and not exists (select from intent s where s.account_id = q.account_id and s.queue_id = q.id and s.kind = 'land' and s.state = 'started')`;
/** SQL: whether the queue `q` of the repository `r` must make progress. `held`: the queues that need not. */
export function running(held: string): string {
  return `q.halted_reason is null and r.active and r.deleted_at is null and q.id <> all (${held}::bigint[])`;
}

const commitsOfPullRequest = `(select p.head_sha union
   select c from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id,
        lateral (values (b.commit), (b.tested_commit)) as of (c)
   where m.account_id = p.account_id and m.pull_request_id = p.id and c is not null)`;

export const statements: Readonly<Partial<Record<InvariantName, readonly string[]>>> = {
  landed_tree: [
    `select l.account_id::text as account, format('The proof of the landing %s names a commit, tree or parent that is not the one of the landing.', l.commit) as sentence
     from landing l join proof f on f.account_id = l.account_id and f.landing_id = l.id
     where ${newest('landing', 'l')} and (f.body ->> 'commit', f.body ->> 'tree', f.body ->> 'firstParent')
       is distinct from (l.commit, l.tree, l.first_parent)`,
  ],
  landed_once: [
    `select p.account_id::text as account, format('#%s of repository %s is merged, but has %s landings.', p.number, p.repository_id, count(m.landing_id)) as sentence
     from pull_request p left join landed_member m on m.account_id = p.account_id and m.pull_request_id = p.id
     where p.merged_by_queue and ${newest('pull_request', 'p')}
     group by p.account_id, p.id having count(m.landing_id) <> 1`,
    `select b.account_id::text as account, format('Batch %s is %s, but has %s landing.', b.id, b.state, case when l.id is null then 'no' else 'a' end) as sentence
     from batch b left join landing l on l.account_id = b.account_id and l.batch_id = b.id
     where ${newest('batch', 'b')} and (b.state = 'landed') <> (l.id is not null)`,
  ],
  pinned_heads: [
    `select l.account_id::text as account, format('The landing %s has the head %s of pull request %s, but its batch had pinned %s.', l.commit, n.pinned_head, n.pull_request_id, coalesce(m.pinned_head, 'nothing')) as sentence
     from landing l join landed_member n on n.account_id = l.account_id and n.landing_id = l.id
     left join batch_member m on m.account_id = l.account_id and m.batch_id = l.batch_id and m.pull_request_id = n.pull_request_id
     where ${newest('landing', 'l')} and l.grade <> 'external' and m.pinned_head is distinct from n.pinned_head`,
  ],
  line_order: [
    `with line as (
       select b.account_id, b.queue_id, b.id as batch, b.position, m.ordinal, p.number, p.rank, p.affected_targets as targets
       from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
       join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
       join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
       where b.state in ('making', 'building') and b.side_build is null and p.rank is not null and ${settled})
     select a.account_id::text as account, format('#%1$s is built in batch %2$s, before #%3$s in batch %4$s, but is behind #%3$s in line.', a.number, a.batch, z.number, z.batch) as sentence
     from line a join line z on z.account_id = a.account_id and z.queue_id = a.queue_id and (z.position, z.ordinal) > (a.position, a.ordinal)
     where z.rank < a.rank and (a.targets is null or z.targets is null or a.targets && z.targets)`,
  ],
  blamed_culprits: [
    `select p.account_id::text as account, format('#%s of repository %s is blocked by %s, which succeeded.', p.number, p.repository_id, n.name) as sentence
     from pull_request p, unnest(p.failed_checks) as n (name)
     where p.status = 'blocked' and p.status_code = 107 and ${newest('pull_request', 'p')}
       and (select bool_and(c.conclusion = 'success') from check_result c
            where c.account_id = p.account_id and c.repository_id = p.repository_id and c.name = n.name
              and c.commit in ${commitsOfPullRequest})
       -- A head that was pushed since, or in the same instant, proves nothing.
       and not exists (select from check_result c where c.account_id = p.account_id and c.repository_id = p.repository_id
                       and c.name = n.name and c.commit = p.head_sha and coalesce(c.end_heard_at, c.heard_at) >=
                         (select max(e.at) from event e where e.account_id = p.account_id and e.pull_request_id = p.id and e.action = 'blocked'))`,
  ],
  terminal_states: [
    `select account_id::text as account, format('Batch %s is %s, but has %s end time.', id, state, case when ended_at is null then 'no' else 'an' end) as sentence
     from batch b where ${newest('batch', 'b')} and (state in ('making', 'building', 'landing')) <> (ended_at is null)`,
    `select account_id::text as account, format('#%s of repository %s is %s, but has %s time of a merge.', number, repository_id, status, case when merged_at is null then 'no' else 'a' end) as sentence
     from pull_request p where ${newest('pull_request', 'p')} and (status = 'merged') <> (merged_at is not null)`,
    `select account_id::text as account, format('Intent %s (%s) is %s, but has %s end time.', id, kind, state, case when concluded_at is null then 'no' else 'an' end) as sentence
     from intent i where ${newest('intent', 'i')} and (state in ('planned', 'started')) <> (concluded_at is null)`,
  ],
  clean_dequeue: [
    `select b.account_id::text as account, format('Batch %s is open and contains #%s, which is %s.', b.id, p.number, p.status) as sentence
     from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
     join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
     join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id
     where b.state in ('making', 'building') and b.side_build is null and p.status not in ('queued', 'tagged') and ${settled}`,
  ],
  exact_depth: [
    `with line as (
       select account_id, queue_id, count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'tagged') as tagged
       from pull_request where status in ('queued', 'tagged') group by account_id, queue_id)
     select q.account_id::text as account, format('Queue %s (%s) counts %s queued and %s tagged pull requests, but has %s and %s.', q.id, q.base_branch, q.waiting, q.tagged, coalesce(l.queued, 0), coalesce(l.tagged, 0)) as sentence
     from queue q left join line l on l.account_id = q.account_id and l.queue_id = q.id
     where (q.waiting, q.tagged) <> (coalesce(l.queued, 0), coalesce(l.tagged, 0))`,
  ],
  authorised_skips: [
    `select l.account_id::text as account, format('%s landed without validation, but no user is recorded who asked for that.', l.commit) as sentence
     from landing l join proof f on f.account_id = l.account_id and f.landing_id = l.id
     where ${newest('landing', 'l')} and l.grade = 'unvalidated' and f.body ->> 'exceptionBy' is null`,
    `select account_id::text as account, format('#%s of repository %s skips validation, but no user is recorded who asked for that.', number, repository_id) as sentence
     from pull_request p where status in ('queued', 'tagged') and skip_validation and requested_by is null and merge_requested_by is null`,
  ],
  separate_tenants: [
    `select '' as account, format('The table %s has no policy that keeps accounts apart.', c.relname) as sentence
     from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
     where c.relkind in ('r', 'p') and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)
       and not (c.relrowsecurity and c.relforcerowsecurity
                and exists (select from pg_policy o where o.polrelid = c.oid and o.polname = 'tenant'))`,
    `select b.account_id::text as account, format('Batch %s is built on batch %s of another account.', b.id, o.id) as sentence
     from batch b join batch o on o.id = b.parent_batch_id where ${newest('batch', 'b')} and o.account_id <> b.account_id`,
    `select f.account_id::text as account, format('Proof %s follows proof %s of another account or queue.', f.id, o.id) as sentence
     from proof f join proof o on o.id = f.previous_id
     where ${newest('proof', 'f')} and (o.account_id, o.queue_id) <> (f.account_id, f.queue_id)`,
    `select e.account_id::text as account, format('Event %s is about pull request %s of another account.', e.id, p.id) as sentence
     from event e join pull_request p on p.id = e.pull_request_id where ${newest('event', 'e')} and p.account_id <> e.account_id`,
  ],
  single_slot: [
    `select d.account_id::text as account, format('Deployment %s changes environment %s, which records deployment %s as the current one.', d.id, d.environment_id, coalesce(e.current_deployment_id::text, 'none')) as sentence
     from deployment d join environment e on e.account_id = d.account_id and e.id = d.environment_id
     where d.status in ('in_progress', 'canceling') and not d.reported and d.fence is not null
       and e.current_deployment_id is distinct from d.id`,
    `select d.account_id::text as account, format('Deployment %s rolls back to candidate %s, which never succeeded in environment %s.', d.id, d.candidate_id, d.environment_id) as sentence
     from deployment d where d.kind = 'rollback' and not d.reported and ${newest('deployment', 'd')}
       and not exists (select from deployment s where s.account_id = d.account_id and s.environment_id = d.environment_id
                       and s.candidate_id = d.candidate_id and s.id < d.id and s.status = 'success')`,
  ],
  line_moves: [
    `select b.account_id::text as account, format('Batch %s has been in the state making since %s.', b.id, b.created_at) as sentence
     from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
     join repository r on r.account_id = b.account_id and r.id = b.repository_id
     where b.state = 'making' and b.created_at < $2::timestamptz - interval '10 minutes' and ${running('$3')}`,
  ],
  no_orphans: [
    `select b.account_id::text as account, format('Batch %s ended at %s, but its branch is not removed.', b.id, b.ended_at) as sentence
     from batch b join queue q on q.account_id = b.account_id and q.id = b.queue_id
     join repository r on r.account_id = b.account_id and r.id = b.repository_id
     where b.cleaned_up_at is null and b.ended_at < $2::timestamptz - interval '10 minutes' and ${running('$3')}`,
    `select account_id::text as account, format('The sandbox %s of a preview should have been gone at %s.', name, expires_at) as sentence
     from preview_sandbox where state <> 'gone' and expires_at < $2::timestamptz - interval '10 minutes'`,
    `select account_id::text as account, format('The lease of deployment %s by %s ended at %s.', id, supervised_by, supervised_until) as sentence
     from deployment where status = 'in_progress' and supervised_until < $2::timestamptz - interval '10 minutes'`,
    `select account_id::text as account, format('The lease of a check on %s by %s ended at %s.', commit, lease_owner, lease_until) as sentence
     from local_check_run where state = 'running' and lease_until < $2::timestamptz - interval '10 minutes'`,
  ],
  convergence: [
    `select q.account_id::text as account, format('Queue %s (%s) has version %s, but the last plan is of version %s.', q.id, q.base_branch, q.version, q.planned_version) as sentence
     from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id
     where q.version > q.planned_version and q.version_since < $2::timestamptz - interval '1 minute'
       and r.active and r.deleted_at is null and q.halted_reason is null
       and not exists (select from pull_request p where p.account_id = q.account_id and p.queue_id = q.id
                       and p.status in ('pending', 'queued', 'tagged') and p.updated_at > $2::timestamptz - interval '1 minute')`,
    `select h.account_id::text as account, format('A change of a %s in repository %s (%s) was reported, and should have been read at %s.', h.kind, h.repository_id, h.subject, h.due_at) as sentence
     from host_hint h join repository r on r.account_id = h.account_id and r.id = h.repository_id
     where h.due_at < $2::timestamptz - interval '1 minute' and coalesce(h.leased_until, h.due_at) < $2::timestamptz - interval '1 minute'
       and r.active and r.deleted_at is null`,
    `select i.account_id::text as account, format('Intent %s (%s) is %s since %s.', i.id, i.kind, i.state, greatest(i.planned_at, i.next_try_at)) as sentence
     from intent i join queue q on q.account_id = i.account_id and q.id = i.queue_id
     join repository r on r.account_id = q.account_id and r.id = q.repository_id
     where i.state = 'planned' and greatest(i.planned_at, i.next_try_at) < $2::timestamptz - interval '10 minutes' and ${running('$3')}`,
  ],
  no_starvation: [
    `select account_id::text as account, format('#%s of repository %s was overtaken %s times.', number, repository_id, times_passed) as sentence
     from pull_request where status in ('queued', 'tagged') and times_passed > ${maxTimesPassed}`,
  ],
  delivered_events: [
    `select account_id::text as account, format('Event %s of %s has no position.', id, at) as sentence
     from event where position is null and at < $2::timestamptz - interval '1 minute'`,
    `select c.account_id::text as account, format('Webhooks were made for events up to position %s, but the log of events is at position %s.', c.position, h.position) as sentence
     from webhook_cursor c join event_head h on h.account_id = c.account_id
     where c.position < h.position
       and exists (select from webhook_endpoint w where w.account_id = c.account_id and w.enabled and w.deleted_at is null)
       and (select e.at from event e where e.account_id = c.account_id and e.position > c.position order by e.position limit 1)
         < $2::timestamptz - interval '1 minute'`,
    `select w.account_id::text as account, format('Delivery %s waits for an attempt that was due at %s.', w.id, coalesce(w.next_attempt_at::text, 'no time')) as sentence
     from webhook_delivery w join webhook_endpoint n on n.account_id = w.account_id and n.id = w.endpoint_id
     where w.state = 'retrying' and n.enabled and n.deleted_at is null
       and coalesce(w.next_attempt_at, '-infinity') < $2::timestamptz - interval '10 minutes'`,
  ],
};
