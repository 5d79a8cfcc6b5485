// The secrets and the account of `npm start`: made at the first start, and kept in the data directory.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scopes, systemContext, type Ports } from './context.ts';
import { createClient } from './demo/client.ts';
import type { Access } from './launcher/access.ts';
import { createFile } from './launcher/durable-file.ts';
import type { Say } from './launcher/progress.ts';
import { createAccount, createApiToken, generateSecrets, type Secrets } from './modules/accounts/index.ts';
import { readStoredSecrets } from './parts.ts';

/**
 * Reads the secrets from INTERLOCK_SECRET or the data directory. New secrets are stored in the data directory, so that
 * tokens stay valid after a restart.
 */
export async function readSecrets(dataDir: string): Promise<Secrets> {
  const stored = await readStoredSecrets(dataDir);
  if (stored !== null) return stored;
  const made = generateSecrets();
  await createFile(join(dataDir, 'secrets.json'), JSON.stringify(made));
  return made;
}

/**
 * Makes an account if the database has none, and stores its token in the data directory. If the only account's token is
 * missing or no longer accepted, a new token is made. This happens if a start was killed before it wrote the token, if
 * the file was removed, or if the secrets have changed.
 */
export async function firstAccount(
  ports: Ports,
  secrets: Secrets,
  { dataDir, url, say }: { readonly dataDir: string; readonly url: string; readonly say: Say },
): Promise<{ isNew: boolean; token: string }> {
  const file = join(dataDir, 'token');
  const keep = async (token: string): Promise<void> => await writeFile(file, `${token}\n`, { mode: 0o600 });
  const [account, ...others] = await ports.db.system.query<{ id: string }>(
    'select id from account order by id limit 2',
  );
  if (account === undefined) {
    const { token } = await createAccount(ports, secrets, { name: 'interlock', email: 'service@interlock.local' });
    await keep(token);
    return { isNew: true, token };
  }
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (others.length > 0 || (kept !== '' && (await isAccepted(url, kept)))) return { isNew: false, token: kept };
  const ctx = systemContext(ports, account.id);
  const { token } = await createApiToken(ctx, secrets, { name: 'Token of npm start', kind: 'account', scopes });
  await keep(token);
  say(`The token in ${file} ${kept === '' ? 'was missing' : 'was no longer accepted'}, so Interlock made a new one.`);
  return { isNew: false, token };
}

async function isAccepted(url: string, token: string): Promise<boolean> {
  const { status } = await fetch(`${url}/api/v1/repo`, { headers: { authorization: `Bearer ${token}` } });
  return status !== 401;
}

/** Makes a link that signs a browser in. Null: the token of the account is unknown. */
export async function createSignInLinkAt(
  { url, token }: Pick<Access, 'url' | 'token'>,
  next: string,
): Promise<string | null> {
  if (token === '') return null;
  const { createSignInLink } = await createClient({ url, token }).graphql<{ createSignInLink: { url: string } }>(
    'mutation ($input: CreateSignInLinkInput!) { createSignInLink(input: $input) { url } }',
    { input: { next } },
  );
  return createSignInLink.url;
}
