// CI's registration of an environment that it built (interface 4.10): the preview, the expiry, and the secrets.
import { defaultPreviewName } from '../configuration/index.ts';
import { DomainError } from '../errors.ts';
import type { PreviewEntry } from './preview.ts';

export type EndpointEntry = Extract<PreviewEntry, { readonly method: 'endpoint' }>;

/** Why a registration is no longer valid. */
export type RegistrationEnd = 'deregistered' | 'replaced' | 'expired';

const longestSec = 86_400;
const longestUrl = 2000;
const longestBranch = 255;
const maxSecrets = 50;
const longestSecret = 8192;
const secretKey = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;

/** If there are several previews, a registration or its removal must name one. */
export function requirePreviewName(entries: readonly PreviewEntry[], name: string | null): string {
  if (name === null && entries.length > 1)
    throw bad('name', `is required when there are several previews: ${entries.map((each) => each.name).join(', ')}`);
  return name ?? defaultPreviewName;
}

export function requireEndpoint(entries: readonly PreviewEntry[], name: string): EndpointEntry {
  const entry = entries.find((each) => each.name === name);
  if (entry?.method === 'endpoint') return entry;
  if (entry) throw bad('name', `is ${name}, a sandbox: only previews with the method endpoint are registered`);
  const endpoints = entries.filter(({ method }) => method === 'endpoint').map((each) => each.name);
  throw bad(
    'name',
    endpoints.length === 0
      ? `is ${name}, and the repository has no endpoint preview: declare one under verify.preview of its configuration`
      : `must be one of the repository's endpoint previews: ${endpoints.join(', ')}`,
  );
}

/** The given time, or now plus the entry's lifetime. */
export function decideExpiry(expiresAt: Date | null, entry: EndpointEntry, now: Date): Date {
  if (expiresAt === null) return after(now, entry.expiresDefaultSec);
  if (expiresAt <= now) throw bad('expires_at', 'must be in the future');
  if (expiresAt > after(now, longestSec)) throw bad('expires_at', 'must be at most 24 hours ahead');
  return expiresAt;
}

/** Returns the URL unchanged. Whether it may be called is checked when the preview is tested. */
export function requirePreviewUrl(url: string): string {
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw bad('preview_url', 'must hold no user name or password: give them as secrets');
  if (url.length > longestUrl) throw bad('preview_url', `must have at most ${longestUrl} characters`);
  return url;
}

export function requireSubject(prNumber: number | null, branch: string | null): void {
  if (prNumber === null && branch === null)
    throw new DomainError('BAD_INPUT', 'branch or pr_number is required', 'branch');
  if (branch === '') throw bad('branch', 'must not be empty');
  if ((branch?.length ?? 0) > longestBranch) throw bad('branch', `must have at most ${longestBranch} characters`);
}

/** No error message contains a secret's value. */
export function requireSecrets(secrets: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(secrets);
  if (entries.length > maxSecrets) throw bad('secrets', `must be at most ${maxSecrets}`);
  for (const [key, value] of entries) {
    requireSecretKey(key, 'secrets');
    if (value === '') throw bad('secrets', `must not be empty: leave ${key} out`);
    if (value.length > longestSecret)
      throw bad('secrets', `must have at most ${longestSecret} characters each: ${key}`);
  }
  return secrets;
}

export function requireSecretKey(key: string, field: string): string {
  if (!secretKey.test(key))
    throw bad(field, 'must be called as environment variables are: letters, digits and _, at most 200, no digit first');
  return key;
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}

function bad(field: string, must: string): DomainError {
  return new DomainError('BAD_INPUT', `${field} ${must}`, field);
}
