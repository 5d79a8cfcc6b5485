// Checks the settings of a provider, and encrypts its secret. A secret is encrypted for the row that has it.
import { DomainError } from '../../domain/errors.ts';
import type { ProviderKind, ProviderSettings } from '../../domain/releases/release.ts';
import { decrypt, encrypt, type Secrets } from '../accounts/index.ts';

export interface ProviderRequest {
  readonly kind: ProviderKind;
  readonly command?: string | null;
  readonly timeoutSec?: number | null;
  readonly url?: string | null;
  readonly statusUrl?: string | null;
  readonly workflow?: string | null;
  /** Null removes the secret. Left out: the present secret stays. */
  readonly secret?: string | null;
}

/** The row that has a secret. */
export interface SecretOwner {
  readonly accountId: string;
  readonly kind: 'environment' | 'project';
  readonly id: string;
}

const fieldsOf = {
  none: [],
  command: ['command', 'timeoutSec', 'secret'],
  http: ['url', 'statusUrl', 'secret'],
  github_actions: ['workflow'],
} as const satisfies Record<ProviderKind, readonly (keyof ProviderRequest)[]>;
const allFields = ['command', 'timeoutSec', 'url', 'statusUrl', 'workflow', 'secret'] as const;

const defaultTimeoutSec = 1800;
const longestTimeoutSec = 86_400;
const longestCommand = 65_536;
const longestSecret = 4096;
const longestUrl = 2000;

/** Throws BAD_INPUT. `field` is the path of the settings in the input, such as `input.provider`. */
export function checkedProvider(request: ProviderRequest, field: string): ProviderSettings {
  const known: readonly string[] = fieldsOf[request.kind];
  const foreign = allFields.find(
    (name) => request[name] !== undefined && request[name] !== null && !known.includes(name),
  );
  if (foreign) throw bad(`${field}.${foreign}`, `is not for a provider of the kind ${request.kind.toUpperCase()}`);
  checkSecret(request.secret, `${field}.secret`);
  switch (request.kind) {
    case 'none':
      return { kind: 'none' };
    case 'command':
      return {
        kind: 'command',
        command: checkedText(request.command, `${field}.command`, longestCommand),
        timeoutSec: checkedSeconds(request.timeoutSec ?? defaultTimeoutSec, `${field}.timeoutSec`),
      };
    case 'http':
      return {
        kind: 'http',
        url: checkedUrl(request.url, `${field}.url`),
        statusUrl: typeof request.statusUrl === 'string' ? checkedUrl(request.statusUrl, `${field}.statusUrl`) : null,
      };
    case 'github_actions':
      return { kind: 'github_actions', workflow: checkedText(request.workflow, `${field}.workflow`, longestUrl) };
  }
}

export function checkedSeconds(seconds: number, field: string): number {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > longestTimeoutSec)
    throw bad(field, `must be between 1 and ${longestTimeoutSec}`);
  return seconds;
}

function sealSecret(secrets: Secrets, owner: SecretOwner, secret: string): Buffer {
  return encrypt(secrets, purposeOf(owner), Buffer.from(secret));
}

/**
 * The encrypted secret after a change. A secret that is left out stays, but only if the kind of provider stays the
 * same. Null: no secret.
 */
export function changedSecret(
  secrets: Secrets,
  owner: SecretOwner,
  {
    request,
    before,
    sealed,
  }: {
    readonly request: ProviderRequest;
    readonly before: ProviderSettings | null;
    readonly sealed: Buffer | null;
  },
): Buffer | null {
  if (typeof request.secret === 'string') return sealSecret(secrets, owner, request.secret);
  return request.secret === undefined && request.kind === before?.kind ? sealed : null;
}

/** Whether a request sets or removes a secret. It then counts as a change, because the secret before is not opened. */
export function namesSecret(request: ProviderRequest | null | undefined): boolean {
  return request?.secret !== undefined;
}

export function openSecret(secrets: Secrets, owner: SecretOwner, sealed: Buffer): string {
  return decrypt(secrets, purposeOf(owner), sealed).toString();
}

// The purpose names the table, because rows of the two tables may have the same id.
function purposeOf({ accountId, kind, id }: SecretOwner): string {
  return `${kind === 'environment' ? 'provider' : 'build-provider'}/${accountId}/${id}`;
}

function checkedText(text: string | null | undefined, field: string, longest: number): string {
  if (text === null || text === undefined || text.trim() === '') throw bad(field, 'is required');
  if (text.length > longest) throw bad(field, `must have at most ${longest} characters`);
  return text;
}

function checkSecret(secret: string | null | undefined, field: string): void {
  if (secret === null || secret === undefined) return;
  if (secret === '') throw bad(field, 'must not be empty. Give null to remove the secret');
  if (secret.length > longestSecret) throw bad(field, `must have at most ${longestSecret} characters`);
}

function checkedUrl(url: string | null | undefined, field: string): string {
  const text = checkedText(url, field, longestUrl);
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw bad(field, 'must be an absolute http or https URL');
  if (parsed.username !== '' || parsed.password !== '')
    throw bad(field, 'must not contain a user name or a password, because calls are signed');
  return parsed.href;
}

function bad(field: string, must: string): DomainError {
  return new DomainError('BAD_INPUT', `${field} ${must}`, field);
}
