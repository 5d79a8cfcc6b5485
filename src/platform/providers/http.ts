// The provider that calls a server of the user, by signed POST requests with the actions `start`, `status` and
// `cancel`. Every call has an id, and a retry has the same id.
import { keyOfSecret, signatureHeaders, type SigningKeys } from '../../domain/events/signature.ts';
import type { HttpAnswer, HttpOut } from '../http-out/index.ts';
import { cutText } from '../storable-text.ts';
import { maskSecrets } from './mask.ts';
import { ProviderRefused, settingsOf, type ProviderReading, type ProviderRun, type RemoteProvider } from './port.ts';

export interface HttpOptions {
  readonly http: HttpOut;
  readonly clock: () => Date;
  /**
   * Returns the keys that sign calls to a provider without a secret: those of the account's webhooks. Null: the account
   * has none. `undecryptable`: its key was encrypted with another secret of the installation.
   */
  readonly accountKeys: (accountId: string) => Promise<SigningKeys | 'undecryptable' | null>;
}

type Action = 'start' | 'status' | 'cancel';

const timeoutMs = 30_000;
const maxCharacters = 500;

export function createHttpProvider(options: HttpOptions): RemoteProvider {
  return {
    shape: 'remote',
    async trigger(run) {
      const answer = await call(options, run, { action: 'start', url: settingsOf(run, 'http').url, run: null });
      if (!isTaken(answer)) throw failureOf(run, answer);
      const name = fieldsOf(answer.body)['run'];
      return typeof name === 'string' && name !== '' ? cutText(name, 200) : null;
    },
    async read(run, name) {
      const { statusUrl } = settingsOf(run, 'http');
      if (statusUrl === null) return null;
      const answer = await call(options, run, { action: 'status', url: statusUrl, run: name });
      if (isTaken(answer)) return readingOf(run, fieldsOf(answer.body));
      const failure = failureOf(run, answer);
      if (isForgotten(answer)) return { state: 'gone', message: failure.message, url: null };
      if (failure instanceof ProviderRefused) return { state: 'unknown', message: failure.message, url: null };
      throw failure;
    },
    async cancel(run, name) {
      const answer = await call(options, run, { action: 'cancel', url: settingsOf(run, 'http').url, run: name });
      if (isForgotten(answer)) return 'gone';
      // 409: the run is over, and there is nothing to stop. The provider reports its result as usual.
      if (!isTaken(answer) && answer.status !== 409) throw failureOf(run, answer);
      return 'asked';
    },
  };
}

async function call(
  { http, clock, accountKeys }: HttpOptions,
  run: ProviderRun,
  { action, url, run: name }: { readonly action: Action; readonly url: string; readonly run: string | null },
): Promise<HttpAnswer> {
  const keys =
    run.secret === null
      ? await accountKeys(run.accountId)
      : { current: keyOfSecret(run.secret), next: null, previous: null };
  if (keys === 'undecryptable')
    throw new ProviderRefused(
      'The key of the API token that signs calls was encrypted with another key. Give the provider a secret, or let another token sign.',
    );
  if (keys === null)
    throw new ProviderRefused('There is no key to sign with: give the provider a secret, or the account a token.');
  const { owner, name: repository } = run.repository;
  const body = Buffer.from(
    JSON.stringify({
      action,
      key: run.key,
      ...(name !== null && { run: name }),
      ...run.facts,
      repository: `${owner}/${repository}`,
      commit: run.commit,
    }),
  );
  const at = clock();
  const id = action === 'status' ? `${run.key}-status-${at.getTime()}` : `${run.key}-${action}`;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Interlock-Deployments',
    'idempotency-key': id,
    ...signatureHeaders(keys, { id, body, at }),
  };
  return await http.post({ url, headers, body, timeoutMs });
}

function isTaken({ status }: HttpAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

function isForgotten({ status }: HttpAnswer): boolean {
  return status === 404 || status === 410;
}

const passing = [408, 425, 429];

/** Returns ProviderRefused if the server has refused the call for good, and another error if a retry may succeed. */
function failureOf(run: ProviderRun, { status, body, error }: HttpAnswer): Error {
  const { host } = new URL(settingsOf(run, 'http').url);
  if (status === null) return new Error(`${host} did not answer: ${error ?? 'no reason is known.'}`);
  const quoted = cutText(maskSecrets(run.secret, body.trim()), maxCharacters);
  const message = `${host} answered ${status}${quoted === '' ? '' : `: ${quoted}`}`;
  if (status >= 300 && status < 400) return new ProviderRefused(`${message} (redirects are not followed)`);
  return status >= 400 && status < 500 && !passing.includes(status) ? new ProviderRefused(message) : new Error(message);
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

// The statuses of deployments (interface 3.2). Providers that report by PATCH use them too.
const states: Readonly<Record<string, ProviderReading['state']>> = {
  pending: 'running',
  in_progress: 'running',
  canceling: 'running',
  success: 'success',
  failure: 'failure',
  canceled: 'canceled',
  error: 'error',
  unknown: 'unknown',
};

function readingOf(run: ProviderRun, { status, message, url }: Readonly<Record<string, unknown>>): ProviderReading {
  const state = typeof status === 'string' ? states[status] : undefined;
  return {
    state: state ?? 'unknown',
    message:
      state === undefined
        ? `The status ${JSON.stringify(status ?? null).slice(0, 100)} is none of ${Object.keys(states).join(', ')}`
        : typeof message === 'string'
          ? cutText(maskSecrets(run.secret, message), maxCharacters)
          : null,
    url: typeof url === 'string' && /^https?:\/\//.test(url) ? cutText(url, 2048) : null,
  };
}
