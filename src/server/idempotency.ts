// Answers stored under an Idempotency-Key, for each user and operation, for a day (ADR 0008).
import { randomInt } from 'node:crypto';
import type { Answer, Claim } from '../../rest-facade/index.ts';
import type { Ports } from '../context.ts';
import type { Transaction } from '../platform/database.ts';
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
  /**
   * Stores the answer, or frees the key if there is none. If the database is down, this is retried in the background,
   * and the key stays in progress until then.
   */
  conclude(key: IdempotencyKey, answer: Answer | undefined): Promise<void>;
  /** Frees the keys that this server has claimed and not concluded. */
  close(): Promise<void>;
}

const keptHours = 24;
/** The class of the advisory locks of servers that claim keys: the letters `idem`. */
const lockClass = 0x6964656d;

interface Row {
  readonly digest: string;
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly body: string | null;
}

// SQL: the claim of a key is abandoned. A server holds an advisory lock for as long as it runs, and PostgreSQL frees
// the lock when the server's session ends. Claims without such a lock are abandoned. A claim of this server that is not
// in `inHand` is abandoned too, because the database's answer to it was lost.
const isAbandoned = `k.status is null and (k.claimed_by = excluded.claimed_by or not exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = ${lockClass} and l.objid = k.claimed_by::bigint::oid))`;

const claimed = `
  insert into idempotency_key as k (account_id, user_id, operation, key, request_digest, claimed_by)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (account_id, user_id, operation, key) do update
    set request_digest = excluded.request_digest, claimed_by = excluded.claimed_by,
        status = null, headers = null, body = null, created_at = now()
    where k.created_at < now() - make_interval(hours => ${keptHours}) or (${isAbandoned})
  returning 1`;

const ofKey = 'account_id = $1 and user_id = $2 and operation = $3 and key = $4';
/** SQL: the row still has this claim. Another server or request may have replaced it, because it looked abandoned. */
const ownClaim = `${ofKey} and claimed_by = $5 and request_digest = $6 and status is null`;

function valuesOf({ accountId, userId, operation, key }: IdempotencyKey): readonly unknown[] {
  return [accountId, userId, operation, key];
}

export async function openAnswerStore({ db, log }: Pick<Ports, 'db' | 'log'>): Promise<AnswerStore> {
  const holder = randomInt(1, 2 ** 31);
  const release = await db.system.holdLock(lockClass, holder);
  const inHand = new Set<string>();

  async function claim(key: IdempotencyKey): Promise<Claim> {
    const id = JSON.stringify(valuesOf(key));
    if (inHand.has(id)) return await db.transaction(key.accountId, async (tx) => await readClaim(tx, key));
    inHand.add(id);
    let claim: Claim | undefined;
    try {
      claim = await db.transaction(key.accountId, async (tx): Promise<Claim> => {
        const first = await tx.query(claimed, [...valuesOf(key), key.fingerprint, holder]);
        return first.length > 0 ? { kind: 'First' } : await readClaim(tx, key);
      });
      return claim;
    } finally {
      if (claim?.kind !== 'First') inHand.delete(id);
    }
  }

  async function write(key: IdempotencyKey, answer: Answer | undefined): Promise<void> {
    const values = [...valuesOf(key), holder, key.fingerprint];
    await db.transaction(key.accountId, async (tx) => {
      if (answer === undefined) await tx.query(`delete from idempotency_key where ${ownClaim}`, values);
      else
        await tx.send(`update idempotency_key set status = $7, headers = $8, body = $9 where ${ownClaim}`, [
          ...values,
          answer.status,
          JSON.stringify(answer.headers),
          answer.body,
        ]);
    });
    inHand.delete(JSON.stringify(valuesOf(key)));
  }

  return {
    claim,
    // The key of a completed request whose answer cannot be stored stays claimed, so that the request is not carried
    // out twice.
    conclude: async (key, answer) => {
      try {
        await write(key, answer);
      } catch (error) {
        if (!isOutage(error)) throw error;
        void retryDuringOutage(async () => await write(key, answer), log).catch((lasting: unknown) =>
          log.error({ err: lasting }, 'An idempotency key stays in progress.'),
        );
      }
    },
    close: release,
  };
}

/** Reads the state of a key that another request has claimed. */
async function readClaim(tx: Transaction, key: IdempotencyKey): Promise<Claim> {
  const [row] = await tx.query<Row>(
    `select request_digest as digest, status, headers, body from idempotency_key where ${ofKey}`,
    valuesOf(key),
  );
  if (row === undefined) return { kind: 'InProgress' };
  if (row.digest !== key.fingerprint) return { kind: 'OtherFingerprint' };
  if (row.status === null) return { kind: 'InProgress' };
  return { kind: 'Answered', answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' } };
}

export const idempotencyKeyRetention = ruleForRows('idempotency_keys', 'select min(created_at) from idempotency_key', [
  { table: 'idempotency_key', old: 't.created_at < $1' },
]);
