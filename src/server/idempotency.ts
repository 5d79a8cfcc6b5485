// Answers kept under an Idempotency-Key, per account and operation, for a day.
import type { Answer, Claim } from '../../rest-facade/index.ts';
import type { Database } from '../platform/database.ts';

export interface IdempotencyKey {
  readonly accountId: string;
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: string;
}

const keptHours = 24;
/** A first request of which nothing was heard for so long died with its server: the next one is first again. */
const abandonedMinutes = 2;

interface Row {
  readonly digest: string;
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly body: string | null;
}

/** Of two equal requests at once one is `First`: the other waits for its row and finds it taken. */
export async function claimKey(
  db: Database,
  { accountId, operation, key, fingerprint }: IdempotencyKey,
): Promise<Claim> {
  return await db.transaction(accountId, async (tx): Promise<Claim> => {
    const claimed = await tx.query(
      `insert into idempotency_key as k (account_id, operation, key, request_digest) values ($1, $2, $3, $4)
       on conflict (account_id, operation, key) do update
         set request_digest = excluded.request_digest, status = null, headers = null, body = null, created_at = now()
         where k.created_at < now() - make_interval(hours => ${keptHours})
            or (k.status is null and k.request_digest = excluded.request_digest and k.created_at < now() - make_interval(mins => ${abandonedMinutes}))
       returning 1`,
      [accountId, operation, key, fingerprint],
    );
    if (claimed.length > 0) return { kind: 'First' };
    const [row] = await tx.query<Row>(
      'select request_digest as digest, status, headers, body from idempotency_key where account_id = $1 and operation = $2 and key = $3',
      [accountId, operation, key],
    );
    if (row === undefined || (row.digest === fingerprint && row.status === null)) return { kind: 'InProgress' };
    if (row.digest !== fingerprint || row.status === null) return { kind: 'AnotherRequest' };
    return { kind: 'Answered', answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' } };
  });
}

/** Keeps the answer, or frees the key when there is none to keep. */
export async function concludeKey(
  db: Database,
  { accountId, operation, key }: IdempotencyKey,
  answer: Answer | undefined,
): Promise<void> {
  await db.transaction(accountId, async (tx) => {
    if (answer === undefined) {
      await tx.query(
        'delete from idempotency_key where account_id = $1 and operation = $2 and key = $3 and status is null',
        [accountId, operation, key],
      );
      return;
    }
    await tx.query(
      'update idempotency_key set status = $4, headers = $5, body = $6 where account_id = $1 and operation = $2 and key = $3',
      [accountId, operation, key, answer.status, JSON.stringify(answer.headers), answer.body],
    );
  });
}

/** Of all accounts. */
export async function forgetOldKeys(db: Database): Promise<void> {
  await db.system.query(`delete from idempotency_key where created_at < now() - make_interval(hours => ${keptHours})`);
}
