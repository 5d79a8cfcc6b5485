// Answers stored under an Idempotency-Key, for each user and operation, for a day (ADR 0008).
import { randomInt } from 'node:crypto';
import type { Answer, Claim } from '../../rest-facade/index.ts';
import type { Ports } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import { withoutMarks, type CommitMarks, type Transaction } from '../platform/database.ts';
import { isOutage, retryDuringOutage } from '../platform/outage.ts';
import { ruleForRows } from '../platform/retention/index.ts';

export interface IdempotencyKey {
  readonly accountId: string;
  readonly userId: string;
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: string;
}

export interface AnswerStore {
  /**
   * Claims a key. Of two simultaneous equal requests, one gets `First`. The other waits for the row of the key and
   * finds it claimed.
   */
  claim(key: IdempotencyKey): Promise<Claim>;
  /** The marks that the transactions of a request leave in the claim that it got. */
  marksOf(key: IdempotencyKey): CommitMarks;
  /**
   * Stores the answer, or frees the key if there is none. If the database is down, this is retried in the background,
   * and the key stays in progress until then. If it fails, the claim is abandoned: a repetition learns that the answer
   * was lost, or is carried out if the request has changed nothing.
   */
  conclude(key: IdempotencyKey, answer: Answer | undefined): Promise<void>;
  /** Frees the keys that this server has claimed and not concluded. */
  close(): Promise<void>;
}

const keptHours = 24;
/** The class of the advisory locks of servers that claim keys: the letters `idem`. */
const lockClass = 0x6964656d;
/** The number of no server: those of servers are greater. */
const nobody = 0;

interface Row {
  readonly digest: string;
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly body: string | null;
  readonly isAnswerLost: boolean;
}

/** The state of a claimed key while this server carries its request out. */
interface InHand {
  /** The number of the newest transaction that was to be marked. */
  lastMark: number;
  /** The marks of transactions of which it is not known whether they have committed. */
  readonly inDoubt: Set<number>;
}

// SQL: the claim of a key is abandoned. A server holds an advisory lock for as long as it runs, and PostgreSQL frees
// the lock when the server's session ends. Claims without such a lock are abandoned. A claim of this server that is not
// in `inHand` is abandoned too, because the database's answer to it was lost.
const isAbandoned = (server: string): string => `k.status is null and (k.claimed_by = ${server} or not exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${lockClass} and l.objid = k.claimed_by::bigint::oid))`;

const claimed = `
  insert into idempotency_key as k (account_id, user_id, operation, key, request_digest, claimed_by)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (account_id, user_id, operation, key) do update
    set request_digest = excluded.request_digest, claimed_by = excluded.claimed_by,
        status = null, headers = null, body = null, commits = '{}', created_at = now()
    where k.created_at < now() - make_interval(hours => ${keptHours})
      or (k.commits = '{}' and ${isAbandoned('excluded.claimed_by')})
  returning 1`;

const ofKey = 'account_id = $1 and user_id = $2 and operation = $3 and key = $4';
/** SQL: the row still has this claim. Another server or request may have replaced it, because it looked abandoned. */
const ownClaim = `${ofKey} and claimed_by = $5 and request_digest = $6 and status is null`;

// SQL: leaves a mark, unless the transaction has changed nothing. The row stays locked until the transaction has ended,
// so that a claim of the key and a look at the mark wait for the end.
const marked = `
  with marked as (
    update idempotency_key set commits = commits || $7::integer
    where ${ownClaim} and pg_current_xact_id_if_assigned() is not null
    returning 1)
  select exists (select from marked) as "isMarked", pg_current_xact_id_if_assigned() is null as "isUnchanged"`;

function valuesOf({ accountId, userId, operation, key }: IdempotencyKey): readonly unknown[] {
  return [accountId, userId, operation, key];
}

export async function openAnswerStore({ db, log }: Pick<Ports, 'db' | 'log'>): Promise<AnswerStore> {
  const holder = randomInt(1, 2 ** 31);
  const release = await db.system.holdLock(lockClass, holder);
  const inHand = new Map<string, InHand>();
  const idOf = (key: IdempotencyKey): string => JSON.stringify(valuesOf(key));

  async function claim(key: IdempotencyKey): Promise<Claim> {
    const id = idOf(key);
    if (inHand.has(id)) return await db.transaction(key.accountId, async (tx) => await readClaim(tx, key, null));
    inHand.set(id, { lastMark: 0, inDoubt: new Set() });
    let claim: Claim | undefined;
    try {
      claim = await db.transaction(key.accountId, async (tx): Promise<Claim> => {
        const first = await tx.query(claimed, [...valuesOf(key), key.fingerprint, holder]);
        return first.length > 0 ? { kind: 'First' } : await readClaim(tx, key, holder);
      });
      return claim;
    } finally {
      if (claim?.kind !== 'First') inHand.delete(id);
    }
  }

  async function write(key: IdempotencyKey, answer: Answer | undefined): Promise<void> {
    const id = idOf(key);
    const values = [...valuesOf(key), holder, key.fingerprint];
    await db.transaction(key.accountId, async (tx) => {
      if (answer === undefined) {
        const inDoubt = [...(inHand.get(id)?.inDoubt ?? [])];
        await tx.query(`delete from idempotency_key where ${ownClaim} and not commits && $7::integer[]`, [
          ...values,
          inDoubt,
        ]);
      } else
        await tx.send(`update idempotency_key set status = $7, headers = $8, body = $9 where ${ownClaim}`, [
          ...values,
          answer.status,
          JSON.stringify(answer.headers),
          answer.body,
        ]);
    });
    inHand.delete(id);
  }

  /**
   * Gives the claim to no server, so that every server finds it abandoned. The marks in the row say whether the request
   * has changed something. The key stays in hand until then, because a repetition would have the same claim.
   */
  async function abandon(key: IdempotencyKey): Promise<void> {
    const values = [...valuesOf(key), holder, key.fingerprint];
    const disown = async (): Promise<void> =>
      await db.transaction(
        key.accountId,
        async (tx) => await tx.send(`update idempotency_key set claimed_by = ${nobody} where ${ownClaim}`, values),
      );
    try {
      while (!(await isDone(async () => await withoutMarks(disown))));
    } catch (error) {
      log.error({ err: error }, 'An idempotency key stays in progress at other servers.');
    } finally {
      inHand.delete(idOf(key));
    }
  }

  /** False: the database did not answer for a minute. */
  async function isDone(write: () => Promise<void>): Promise<boolean> {
    try {
      await retryDuringOutage(write, log);
      return true;
    } catch (error) {
      if (isOutage(error)) return false;
      throw error;
    }
  }

  function marksOf(key: IdempotencyKey): CommitMarks {
    const request = inHand.get(idOf(key));
    if (request === undefined) throw new Error('Only a request that has claimed its key leaves marks.');
    const values = [...valuesOf(key), holder, key.fingerprint];
    const isOver = (): boolean => inHand.get(idOf(key)) !== request;
    return {
      accountId: key.accountId,
      set: async (tx) => {
        const mark = (request.lastMark += 1);
        const [left] = await tx.query<{ isMarked: boolean; isUnchanged: boolean }>(marked, [...values, mark]);
        if (left?.isMarked === true) return mark;
        // Work that a request has begun may outlast the request.
        if (left?.isUnchanged === true || isOver()) return null;
        throw new DomainError('CONFLICT', 'Another request with this Idempotency-Key has been carried out meanwhile.');
      },
      isCommitted: async (mark) => {
        request.inDoubt.add(mark);
        const isCommitted = await retryDuringOutage(async () => await hasMark(key, mark), log);
        request.inDoubt.delete(mark);
        return isCommitted;
      },
    };
  }

  async function hasMark(key: IdempotencyKey, mark: number): Promise<boolean> {
    const text = `select $7 = any(commits) as "isCommitted" from idempotency_key where ${ownClaim} for update`;
    const values = [...valuesOf(key), holder, key.fingerprint, mark];
    return await db.transaction(key.accountId, async (tx) => {
      const [row] = await tx.query<{ isCommitted: boolean }>(text, values);
      return row?.isCommitted === true;
    });
  }

  return {
    claim,
    marksOf,
    conclude: async (key, answer) => {
      const conclude = async (): Promise<void> => await withoutMarks(async () => await write(key, answer));
      try {
        await conclude();
      } catch (error) {
        if (!isOutage(error)) {
          await abandon(key);
          throw error;
        }
        void retryDuringOutage(conclude, log).catch(async (lasting: unknown) => {
          log.error({ err: lasting }, 'The answer of an idempotency key was not stored.');
          await abandon(key);
        });
      }
    },
    close: release,
  };
}

/**
 * Reads the state of a key that another request has claimed. `server`: the number of this server, unless it carries
 * that request out now.
 */
async function readClaim(tx: Transaction, key: IdempotencyKey, server: number | null): Promise<Claim> {
  const [row] = await tx.query<Row>(
    `select request_digest as digest, status, headers, body,
       $5::integer is not null and commits <> '{}' and ${isAbandoned('$5')} as "isAnswerLost"
     from idempotency_key k where ${ofKey}`,
    [...valuesOf(key), server],
  );
  if (row === undefined) return { kind: 'InProgress' };
  if (row.digest !== key.fingerprint) return { kind: 'OtherFingerprint' };
  if (row.isAnswerLost) return { kind: 'AnswerLost' };
  if (row.status === null) return { kind: 'InProgress' };
  return { kind: 'Answered', answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' } };
}

export const idempotencyKeyRetention = ruleForRows('idempotency_keys', 'select min(created_at) from idempotency_key', [
  { table: 'idempotency_key', old: 't.created_at < $1' },
]);
