// The only function that reads values of preview secrets. A worker calls it when it boots a sandbox of a repository to
// which the secrets were granted.
import type { Context } from '../../../context.ts';
import { decrypt, type Secrets } from '../../accounts/index.ts';

export interface OpenedSecrets {
  readonly values: Readonly<Record<string, string>>;
  /**
   * Keys of secrets that do not exist or are not granted to the repository. The caller must not learn which of the two
   * is true.
   */
  readonly missing: readonly string[];
}

/** A secret was encrypted with another key, so a retry cannot help. The message says what to do. */
export class UndecryptableSecret extends Error {}

/** Decrypts a secret. Throws UndecryptableSecret with this message. */
export function decryptOrSay(message: string, decrypted: () => Buffer): string {
  try {
    return decrypted().toString();
  } catch (error) {
    throw new UndecryptableSecret(message, { cause: error });
  }
}

// A secret is encrypted for its row and account, and cannot be decrypted for another row.
export function secretPurpose({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return `preview-secret/${accountId}/${id}`;
}

/** Throws UndecryptableSecret. */
export async function openPreviewSecrets(
  ctx: Context,
  secrets: Secrets,
  { repositoryId, keys }: { readonly repositoryId: string; readonly keys: readonly string[] },
): Promise<OpenedSecrets> {
  const rows = await ctx.db.read<{ id: string; key: string; sealed: Buffer }>(ctx.accountId, {
    name: 'preview_secrets_granted',
    text: `select s.id, s.key, s.sealed from preview_secret s
           join preview_secret_grant g on g.account_id = s.account_id and g.secret_id = s.id and g.repository_id = $2
           where s.account_id = $1 and s.key = any ($3::text[])`,
    values: [ctx.accountId, repositoryId, keys],
  });
  const values = Object.fromEntries(
    rows.map(({ id, key, sealed }) => [
      key,
      decryptOrSay(`The secret \`${key}\` was encrypted with another key. Set the secret again.`, () =>
        decrypt(secrets, secretPurpose({ accountId: ctx.accountId, id }), sealed),
      ),
    ]),
  );
  return { values, missing: keys.filter((key) => values[key] === undefined) };
}
