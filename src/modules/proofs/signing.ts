// Signs proofs after their landings, so that no landing waits for a key. A proof is signed once. A proof that was
// changed before its signature, or whose chain is broken, is never signed.
import type { Ports } from '../../context.ts';
import { digestProof, type ProofBody } from '../queue/index.ts';
import type { Secrets } from '../accounts/index.ts';
import { openProofKey } from './keys.ts';

interface Unsigned {
  readonly id: string;
  readonly account_id: string;
  readonly body: ProofBody;
  readonly digest: string;
  /** Digest of the previous proof. Null: this proof is the first one. */
  readonly previous: string | null;
}

const pageSize = 500;

export function signedTextOf(digest: string): string {
  return `interlock proof 1\n${digest}\n`;
}

/**
 * SQL: whether a proof of the last hour is not signed yet. A proof that is never signed stays unsigned, so older proofs
 * are tried once an hour.
 */
export const proofsAreDue =
  "(select created_at from proof where signature is null order by id desc limit 1) > $1::timestamptz - interval '1 hour'";

/** Signs all proofs that are not signed yet, in all accounts. */
export async function signProofs(ports: Pick<Ports, 'db' | 'clock'>, secrets: Secrets): Promise<void> {
  const { query } = ports.db.system;
  let after = '0';
  for (;;) {
    const page = await query<Unsigned>(
      `select p.id::text, p.account_id::text, p.body, p.digest, b.digest as previous
       from proof p left join proof b on b.account_id = p.account_id and b.id = p.previous_id
       where p.signature is null and p.id > $1::bigint order by p.id limit ${pageSize}`,
      [after],
    );
    const last = page.at(-1);
    if (last === undefined) return;
    const whole = page.filter(isWhole);
    if (whole.length > 0) {
      const key = await openProofKey(ports, secrets);
      await query(
        `update proof p set signature = s.signature, signed_by = $1
         from unnest($2::bigint[], $3::text[], $4::text[]) as s (id, digest, signature)
         where p.id = s.id and p.digest = s.digest and p.signature is null`,
        [
          key.publicKey,
          whole.map(({ id }) => id),
          whole.map(({ digest }) => digest),
          whole.map(({ digest }) => key.sign(signedTextOf(digest))),
        ],
      );
    }
    after = last.id;
  }
}

/** Whether the digest is that of the body, and the body names the digest of the proof before this one. */
export function isWhole({ body, digest, previous }: Pick<Unsigned, 'body' | 'digest' | 'previous'>): boolean {
  return digestProof(body) === digest && body.previous === previous;
}
