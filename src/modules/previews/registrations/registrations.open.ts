// Reads a registered preview for a verification. Only this function decrypts the secrets of the preview, and only while
// the registration is active.
import type { Context } from '../../../context.ts';
import { decrypt, type Secrets } from '../../accounts/index.ts';
import { decryptOrSay } from '../secrets/secrets.open.ts';

export interface OpenedRegistration {
  readonly url: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

export function registrationPurpose({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return `preview-registration/${accountId}/${id}`;
}

/** Null: the registration has ended or expired. Throws UndecryptableSecret. */
export async function openRegistration(ctx: Context, secrets: Secrets, id: string): Promise<OpenedRegistration | null> {
  const [row] = await ctx.db.read<{ url: string; sealed: Buffer | null; expiresAt: Date }>(ctx.accountId, {
    name: 'preview_registration_to_drive',
    text: `select url, secrets as sealed, expires_at as "expiresAt" from preview_registration
           where account_id = $1 and id = $2 and ended_at is null and expires_at > $3::timestamptz`,
    values: [ctx.accountId, id, ctx.clock().toISOString()],
  });
  if (row === undefined) return null;
  const { sealed } = row;
  const opened: unknown =
    sealed === null
      ? {}
      : JSON.parse(
          decryptOrSay('The secrets of the preview were encrypted with another key. Register the preview again.', () =>
            decrypt(secrets, registrationPurpose({ accountId: ctx.accountId, id }), sealed),
          ),
        );
  return { url: row.url, secrets: opened as Readonly<Record<string, string>>, expiresAt: row.expiresAt };
}
