// The retention of events. Only the beginning of an account's log is deleted, so that the rest has no gap. Events
// without a position stay at any age, because no client can have followed them.
import { countDeletedRows, type RetentionRule } from '../../platform/retention/index.ts';

const first = `select e.account_id, e.at from event_head h cross join lateral (
  select account_id, at from event where account_id = h.account_id and position is not null order by position limit 1) e`;

const beginningOfOne = `
  with of as (select account_id from (${first}) f where at < $1::timestamptz limit 1),
  beginning as (
    select e.account_id, e.position, e.at from event e
    where e.account_id = (select account_id from of) and e.position is not null order by e.position limit $2::int),
  kept as (select min(position) as position from beginning where at >= $1::timestamptz),
  gone as (
    delete from event e using beginning b, kept
    where e.account_id = b.account_id and e.position = b.position
      and (kept.position is null or b.position < kept.position)
    returning 1)
  select count(*)::int as count from gone`;

export const eventRetention: RetentionRule = {
  kind: 'events',
  tables: ['event'],
  oldest: `select min(at) from (${first}) f`,
  forget: async (query, { cutoff, atOnce }) => await countDeletedRows(query, beginningOfOne, [cutoff, atOnce]),
};
