// Hints of code hosts as rows: a reported change survives a process, and a second hint about the same thing joins the
// first one. A process that handles a hint holds its lease. A hint that comes again meanwhile is handled once more.
import type { Context } from '../../../context.ts';
import type { HostEvent } from '../../../hosts/port.ts';
import type { SystemQueries } from '../../../platform/database.ts';

export interface HostHint {
  readonly accountId: string;
  readonly repositoryId: string;
  readonly kind: HostEvent['kind'];
  /** The ref, the number or the commit. Empty for comments: those of a repository are read together. */
  readonly subject: string;
}

export interface PlannedHint extends HostHint {
  readonly dueAt: Date;
}

/** A hint that this process handles now. */
export interface TakenHint extends HostHint {
  readonly id: string;
}

/** Who takes hints, and until when nobody else takes them. */
export interface HintLease {
  readonly owner: string;
  readonly now: Date;
  readonly until: Date;
}

/** For a transaction of an account, or for all accounts. */
type Query = SystemQueries['query'];

export function hintOf(event: HostEvent): HostHint {
  const { accountId, id } = event.repository;
  const of = { accountId, repositoryId: id, kind: event.kind };
  switch (event.kind) {
    case 'push':
      return { ...of, subject: event.ref };
    case 'pull_request':
      return { ...of, subject: String(event.number) };
    case 'comment':
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

const columns = 'id, account_id as "accountId", repository_id as "repositoryId", kind, subject';

/**
 * Stores hints, each at the earlier of its two instants if it is there already. With a lease, due hints are taken at
 * once and returned, except hints of repositories whose hints are being handled.
 */
export async function storeHints(
  query: Query,
  hints: readonly PlannedHint[],
  lease: HintLease | null = null,
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
      (lease?.now ?? new Date()).toISOString(),
      lease?.owner ?? null,
      lease?.until.toISOString() ?? null,
    ],
  );
  return stored.filter(({ isTaken }) => isTaken);
}

/** A hint of our own for later: what no event will tell. */
export async function planHint(ctx: Context, hint: HostHint, dueAt: Date): Promise<void> {
  await storeHints(ctx.db.system.query, [{ ...hint, dueAt }]);
}

const mostAtOnce = 200;

/** Takes what is due, apart from repositories of which a process handles hints already. */
export async function takeDueHints(query: Query, { owner, now, until }: HintLease): Promise<TakenHint[]> {
  return await query<TakenHint>(
    `update host_hint h set leased_by = $1, leased_until = $3, again_at = null
     from (
       select d.id from host_hint d
       where d.due_at <= $2 and (d.leased_until is null or d.leased_until <= $2)
         and not exists (select from host_hint o where o.repository_id = d.repository_id and o.leased_until > $2)
       order by d.due_at, d.id limit ${mostAtOnce} for update skip locked) due
     where h.id = due.id
     returning h.${columns.replaceAll(', ', ', h.')}`,
    [owner, now.toISOString(), until.toISOString()],
  );
}

/** Removes handled hints. A hint that came again meanwhile stays, and is due. Returns whether there are any. */
export async function endHints(query: Query, ids: readonly string[], owner: string): Promise<boolean> {
  if (ids.length === 0) return false;
  const ended = await query(
    'delete from host_hint where id = any ($1::bigint[]) and leased_by = $2 and again_at is null returning id',
    [[...ids], owner],
  );
  if (ended.length === ids.length) return false;
  await query(
    `update host_hint set due_at = again_at, again_at = null, leased_by = null, leased_until = null
     where id = any ($1::bigint[]) and leased_by = $2 and again_at is not null`,
    [[...ids], owner],
  );
  return true;
}

/** Gives a hint back, to be handled at an instant. */
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
