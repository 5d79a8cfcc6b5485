// Finds landings that began while their base branch was paused.
import type { Ports } from '../../../context.ts';
import {
  clocksDifferByMs,
  isBegunWhilePaused,
  type StartedLanding,
  type Violation,
} from '../../../domain/health/invariants.ts';
import type { Reach } from './judged.ts';

type Query = Ports['db']['system']['query'];

export async function findLandingsWhilePaused(query: Query, reach: Reach): Promise<readonly Violation[]> {
  const found = [...(await findUnderRepositoryPause(query, reach)), ...(await findUnderRules(query, reach))];
  return found.map((each) => ({ invariant: 'absolute_pause', ...each }));
}

type Found = Pick<Violation, 'account' | 'sentence'>;

/**
 * The event before a landing says whether the repository was paused. If that event was deleted by age, the event after
 * it says what was in force until then, and without such an event the repository is as it was.
 */
async function findUnderRepositoryPause(query: Query, reach: Reach): Promise<readonly Found[]> {
  const event = (condition: string, order: string): string =>
    `(select e.id, e.action, e.at from event e
      where e.account_id = q.account_id and e.repository_id = q.repository_id
        and e.action in ('repository_paused', 'repository_unpaused') and ${condition} order by e.id ${order} limit 1)`;
  return await query<Found>(
    `select i.account_id::text as account,
            format('Landing %s began at %s, but the repository had been paused%s.', i.id, i.started_at, ' at ' || b.at) as sentence
     from intent i join queue q on q.account_id = i.account_id and q.id = i.queue_id
     join repository r on r.account_id = q.account_id and r.id = q.repository_id
     left join lateral ${event('e.at <= i.started_at', 'desc')} b on true
     left join lateral ${event('e.id > coalesce(b.id, 0)', 'asc')} a on true
     where i.kind = 'land' and i.started_at is not null and i.id > (select coalesce(max(id), 0) from intent) - $1::bigint
       and coalesce(b.action = 'repository_paused', a.action = 'repository_unpaused', r.paused)
       and (b.at is null or i.started_at > b.at + $2 * interval '1 millisecond')
       and (a.at is null or i.started_at < a.at - $2 * interval '1 millisecond')`,
    [reach, clocksDifferByMs],
  );
}

async function findUnderRules(query: Query, reach: Reach): Promise<readonly Found[]> {
  const rows = await query<StartedLanding & { readonly account: string; readonly id: string }>(
    `select i.account_id::text as account, i.id::text as id, q.base_branch as "baseBranch", i.started_at as "startedAt", r.pauses
     from intent i join queue q on q.account_id = i.account_id and q.id = i.queue_id
     join repository h on h.account_id = q.account_id and h.id = q.repository_id
     cross join lateral (
       select jsonb_agg(jsonb_build_object('pattern', s.pattern, 'paused', s.paused, 'since', s.created_at, 'until', s.replaced_at) order by s.id desc) as pauses,
              bool_or(s.paused) as "isAnyPaused"
       from (select id, pattern, paused, created_at, null as replaced_at from branch_pause p
             where p.account_id = q.account_id and p.repository_id = q.repository_id
             union all
             select id, pattern, paused, created_at, replaced_at from branch_pause_past p
             where p.account_id = q.account_id and p.repository_id = q.repository_id
               and p.replaced_at > i.started_at - $2 * interval '1 millisecond') s
       where s.created_at < i.started_at + $2 * interval '1 millisecond') r
     where i.kind = 'land' and i.started_at is not null and i.id > (select coalesce(max(id), 0) from intent) - $1::bigint
       and r."isAnyPaused" and i.started_at > coalesce(h.pauses_known_since, '-infinity')`,
    [reach, clocksDifferByMs],
  );
  return rows
    .map((row) => ({ ...row, pauses: row.pauses.map(toDates) }))
    .filter(isBegunWhilePaused)
    .map(({ account, id, baseBranch }) => ({
      account,
      sentence: `Landing ${id} began while ${baseBranch} was paused.`,
    }));
}

/** Instants are texts in JSON. */
function toDates(pause: StartedLanding['pauses'][number]): StartedLanding['pauses'][number] {
  const { since, until } = pause;
  return { ...pause, since: new Date(since), until: until === null ? null : new Date(until) };
}
