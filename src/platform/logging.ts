// The log of a process: JSON lines with the current trace, and without secrets. The code never logs a secret on
// purpose. Secrets are removed here nevertheless, because errors of libraries and programs quote their input.
import { isNativeError } from 'node:util/types';
import { pino, type DestinationStream, type Logger } from 'pino';
import { traceOfLog } from './tracing/index.ts';

export interface LogOptions {
  readonly level: string;
  /** Secrets of this process. They are removed wherever they occur in a line. */
  readonly secrets: readonly string[];
  /** Default: standard output. */
  readonly destination?: DestinationStream;
}

/** How many bytes of lines wait while they cannot be written. Further lines are dropped. */
const longestBacklog = 2 ** 20;

/**
 * Opens a file, or a descriptor of this process, for a log. While its disk is full, lines wait or are dropped, and the
 * process goes on. An asynchronous destination was rejected: pino writes its rest at the end of the process, and tries
 * again without end while the disk is full.
 */
export function openLogDestination(target: {
  readonly dest: string | number;
  readonly mode?: number;
}): DestinationStream {
  // With a `minLength`, `flush` writes what waits.
  const destination = pino.destination({ ...target, sync: true, minLength: 1, maxLength: longestBacklog });
  destination.on('error', () => {});
  destination.on('drop', () => destination.flush());
  return destination;
}

export function createLog({ level, secrets, destination = openLogDestination({ dest: 1 }) }: LogOptions): Logger {
  const withoutSecrets = redactor(secrets);
  const serializers = { error: asErrorText };
  const options = { level, mixin: traceOfLog, hooks: { streamWrite: withoutSecrets }, serializers };
  return pino(options, destination);
}

const hidden = '[secret]';

/** Fields whose values are always secrets, and fields in which PostgreSQL quotes rows. */
const secretFields =
  /"(detail|where|(?:[\w-]*[_-])?(?:authorization|cookie|set-cookie|password|passphrase|secret|token|api[_-]?key|private[_-]?key|signature)|\w*(?:Password|Secret|Token|ApiKey|PrivateKey))":"(?:[^"\\]|\\.)+"/gi;

/**
 * Where a word begins in a line of JSON: after an escaped line break or tab, or at a word boundary of regular
 * expressions.
 */
const start = String.raw`(?:(?<=\\[nrt])|\b)`;
const word = (form: string, flags = 'g'): RegExp => new RegExp(`${start}${form}`, flags);

/** Patterns of secrets. Each is matched against a line of JSON, in which quotes and line breaks are escaped. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^"\\]|\\.)*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/g, hidden],
  [word(String.raw`(Bearer) +[A-Za-z0-9._~+/=-]{8,}`, 'gi'), `$1 ${hidden}`],
  // The look-ahead requires a digit or a capital, so that ordinary words are not taken for tokens.
  [word(String.raw`([Bb]asic|[Tt]oken) +(?=[^\s"\\]*[A-Z0-9])[A-Za-z0-9._~+/=-]{8,}`), `$1 ${hidden}`],
  [word('il_(?:live|user)_[A-Za-z0-9_-]+'), hidden],
  [word('(?:gh[pousr]_[A-Za-z0-9]+|github_pat_[A-Za-z0-9_]+)'), hidden],
  [word(String.raw`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`), hidden],
  [word('whsec_[A-Za-z0-9+/=]+'), hidden],
  // The user and password of a URL, up to the last @ of the authority, because a password may contain @.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s"'/?#]+@/gi, `$1${hidden}@`],
  [word(String.raw`((?:__Host-)?interlock(?:-github|-oidc)?=)[^;\s"\\]+`), `$1${hidden}`],
  [/(\/(?:session|embed)\/)[A-Za-z0-9_-]{16,}/g, `$1${hidden}`],
];

/** Shorter secrets are not searched for, because they would match parts of ordinary words. */
const shortestSecret = 8;

/** Returns a function that removes secrets from a line of the log. */
export function redactor(secrets: readonly string[]): (line: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return (line) => {
    let clean = line;
    for (const secret of known) clean = clean.replaceAll(secret, hidden);
    clean = clean.replace(secretFields, `"$1":"${hidden}"`);
    for (const [form, instead] of forms) clean = clean.replace(form, instead);
    return clean;
  };
}

/** Returns a function that removes secrets from text, such as the message of a program on a terminal. */
export function textRedactor(secrets: readonly string[]): (text: string) => string {
  const clean = redactor(secrets);
  return (text) => {
    try {
      return JSON.parse(clean(JSON.stringify(text))) as string;
    } catch {
      // The removal has cut an escaped character in two. The rest of the text may be part of a secret too.
      return hidden;
    }
  };
}

/** The stacks of an error and of its causes. Other fields are left out, because PostgreSQL quotes rows in them. */
export function errorText(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const inner: readonly unknown[] = [
    ...(error instanceof AggregateError ? (error.errors as readonly unknown[]) : []),
    ...(error.cause === undefined ? [] : [error.cause]),
  ];
  return [error.stack ?? String(error), ...inner.map((each) => `Caused by: ${errorText(each)}`)].join('\n');
}

/** The text of an error, because JSON of an error is empty. Other values stay as they are. */
function asErrorText(value: unknown): unknown {
  return isNativeError(value) ? errorText(value) : value;
}

/** The fields of a line, with the texts of errors, because JSON of an error is empty. An error may be of another realm. */
export function withErrorTexts(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, asErrorText(value)]));
}

const secretNames = /(?:SECRET|TOKEN|PASSWORD|API_KEY|PRIVATE_KEY|OTLP_HEADERS)$/;

/** Returns the values of environment variables with the name of a secret, and the passwords in URLs. */
export function secretsOf(env: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (secretNames.test(name)) return [value];
    const password = URL.canParse(value) ? new URL(value).password : '';
    return password === '' ? [] : [password, decodeURIComponent(password)];
  });
}
