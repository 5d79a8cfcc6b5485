// Stores the hints of code hosts as rows. So a reported change survives the process that received it, and a second hint
// about the same subject is merged with the first one. A process that handles a hint has the lease of the hint. If the
// same hint is stored again in the meantime, it is handled once more.
import type { Context } from '../../../context.ts';
import type { HostEvent } from '../../../hosts/port.ts';
import type { SystemQueries } from '../../../platform/database.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';

export interface HostHint {
  readonly accountId: string;
  readonly repositoryId: string;
  readonly kind: HostEvent['kind'];
  /**
   * The ref, the number or the commit; of a deletion, the commit and the ref. Empty for comments and rules, because a
   * repository's comments, and its rules, are read together.
   */
  readonly subject: string;
}

export interface PlannedHint extends HostHint {
  readonly dueAt: Date;
}

/** A hint that this process has leased and handles now. */
export interface TakenHint extends HostHint {
  readonly id: string;
  /** The repository as it was when the hint was taken. Null: the account has no such repository any more. */
  readonly repository: Pick<RepositoryRow, 'owner' | 'name' | 'host' | 'defaultBranch'> | null;
}

/** The process that takes hints, and until when no other process takes them. */
export interface HintLease {
  readonly owner: string;
  readonly now: Date;
  readonly until: Date;
}

/** Runs a query, either in a transaction of one account or over all accounts. */
type Query = SystemQueries['query'];

export function hintOf(event: HostEvent): HostHint {
  const { accountId, id } = event.repository;
  const of = { accountId, repositoryId: id, kind: event.kind };
  switch (event.kind) {
    case 'push':
      return { ...of, subject: event.ref };
    case 'deletion':
      return { ...of, subject: `${event.commit} ${event.ref}` };
    case 'pull_request':
      return { ...of, subject: String(event.number) };
    case 'comment':
    case 'rules':
      return { ...of, subject: '' };
    case 'checks':
      return { ...of, subject: event.commit };
    default:
      return event satisfies never;
  }
}

export function keyOfHint({ repositoryId, kind, subject }: HostHint): string {
  return `${repositoryId} ${kind} ${subject}`;
}

const columns = `h.id, h.account_id as "accountId", h.repository_id as "repositoryId", h.kind, h.subject,
  (select jsonb_build_object('owner', r.owner, 'name', r.name, 'host', r.host, 'defaultBranch', r.default_branch)
   from repository r where r.account_id = h.account_id and r.id = h.repository_id) as repository`;

/**
 * Stores hints. If a hint is stored already, the earlier of the two instants counts. If a lease is given, hints that
 * are due are taken at once and returned, except hints that a process is handling.
 */
export async function storeHints(
  query: Query,
  hints: readonly PlannedHint[],
  lease: Partial<HintLease> = {},
): Promise<TakenHint[]> {
  if (hints.length === 0) return [];
  const stored = await query<TakenHint & { readonly isTaken: boolean }>(
    `insert into host_hint as h (account_id, repository_id, kind, subject, due_at, leased_by, leased_until)
     select g.account_id, g.repository_id, g.kind, g.subject, g.due_at,
       case when g.due_at <= $2 then $3::text end, case when g.due_at <= $2 then $4::timestamptz end
     from jsonb_to_recordset($1::jsonb) as g (account_id bigint, repository_id bigint, kind text, subject text, due_at timestamptz)
     join repository r on r.account_id = g.account_id and r.id = g.repository_id
     order by g.repository_id, g.kind, g.subject
     on conflict (account_id, repository_id, kind, subject) do update set
       due_at = case when h.leased_until > $2 then h.due_at else least(h.due_at, excluded.due_at) end,
       again_at = case when h.leased_until > $2 then least(h.again_at, excluded.due_at) end,
       leased_by = case when h.leased_until > $2 then h.leased_by else excluded.leased_by end,
       leased_until = case when h.leased_until > $2 then h.leased_until else excluded.leased_until end
     returning ${columns}, leased_by is not distinct from $3 and leased_until = $4 and again_at is null as "isTaken"`,
    [
      JSON.stringify(
        hints.map((hint) => ({
          account_id: hint.accountId,
          repository_id: hint.repositoryId,
          kind: hint.kind,
          subject: hint.subject,
          due_at: hint.dueAt.toISOString(),
        })),
      ),
      (lease.now ?? new Date()).toISOString(),
      lease.owner ?? null,
      lease.until?.toISOString() ?? null,
    ],
  );
  return stored.filter(({ isTaken }) => isTaken);
}

/** Stores a hint for later, about a change that no event of the host will report. */
export async function planHint(ctx: Context, hint: HostHint, dueAt: Date): Promise<void> {
  await storeHints(ctx.db.system.query, [{ ...hint, dueAt }], { now: ctx.clock() });
}

const maxAtOnce = 200;
/** How many hints of one repository are taken at once: few, so that a new urgent hint does not wait for many others. */
const maxHintsOfRepository = 16;

/**
 * SQL: the order in which hints are taken. A build waits for its checks, so hints about checks come before other hints
 * that are up to half a minute older. No hint waits for ever.
 */
const urgency = (hint: string): string =>
  `${hint}.due_at - case when ${hint}.kind = 'checks' then interval '30 seconds' else interval '0' end, ${hint}.id`;

/** SQL: whether a hint is due and no process has its lease. */
export const hintsAreDue =
  'exists (select from host_hint where due_at <= $1 and (leased_until is null or leased_until <= $1))';

/** Takes due hints. Hints of a repository whose hints a process is already handling are not taken. */
export async function takeDueHints(query: Query, { owner, now, until }: HintLease): Promise<TakenHint[]> {
  return await query<TakenHint>(
    `update host_hint h set leased_by = $1, leased_until = $3, again_at = null
     from (
       select d.id from host_hint d
       where d.due_at <= $2 and (d.leased_until is null or d.leased_until <= $2) and d.id in (
         select w.id from (
           select o.id, row_number() over (partition by o.repository_id order by ${urgency('o')}) as place from host_hint o
           where o.due_at <= $2 and not exists (
             select from host_hint l where l.repository_id = o.repository_id and l.leased_until > $2)) w
         where w.place <= ${maxHintsOfRepository})
       order by ${urgency('d')} limit ${maxAtOnce} for update skip locked) due
     where h.id = due.id
     returning ${columns}`,
    [owner, now.toISOString(), until.toISOString()],
  );
}

/** Extends the leases of hints that this process still has. */
export async function renewHints(query: Query, ids: readonly string[], { owner, until }: HintLease): Promise<void> {
  // The rows are locked in the order of `storeHints`, so that the two functions cannot deadlock.
  await query(
    `with kept as materialized (
       select id from host_hint where id = any ($1::bigint[]) and leased_by = $2
       order by repository_id, kind, subject for no key update)
     update host_hint h set leased_until = $3 from kept where h.id = kept.id`,
    [[...ids], owner, until.toISOString()],
  );
}

/** Removes handled hints. False: a hint was stored again in the meantime. Its row stays, and is due again. */
export async function endHints(query: Query, ids: readonly string[], owner: string): Promise<boolean> {
  if (ids.length === 0) return true;
  const ended = await query(
    'delete from host_hint where id = any ($1::bigint[]) and leased_by = $2 and again_at is null returning id',
    [[...ids], owner],
  );
  if (ended.length === ids.length) return true;
  await query(
    `update host_hint set due_at = again_at, again_at = null, leased_by = null, leased_until = null
     where id = any ($1::bigint[]) and leased_by = $2 and again_at is not null`,
    [[...ids], owner],
  );
  return false;
}

/** Ends the lease of a hint, which is due again at an instant. */
export async function postponeHint(
  query: Query,
  id: string,
  { owner, at }: { readonly owner: string; readonly at: Date },
): Promise<void> {
  await query(
    `update host_hint set due_at = $3, again_at = null, leased_by = null, leased_until = null
     where id = $1 and leased_by = $2`,
    [id, owner, at.toISOString()],
  );
}
