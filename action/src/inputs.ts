// What the workflow asks for: inputs and the event become one typed request, or a sentence that names the input and the
// cure. Reads only what it receives.

/** What the runner says besides the inputs. */
export interface Event {
  /** GITHUB_EVENT_NAME. */
  readonly name: string;
  readonly payload: {
    readonly pull_request?: { readonly number: number; readonly head: { readonly sha: string } };
    readonly issue?: { readonly number: number; readonly pull_request?: object };
  };
  /** GITHUB_SHA. For events of pull requests it is a merge that GitHub made. */
  readonly sha: string;
  /** GITHUB_REF_NAME if the event is of a branch, else null. */
  readonly branch: string | null;
}

interface Common {
  readonly url: string;
  readonly token: string;
}

interface Repository {
  readonly org: string;
  readonly name: string;
}

interface PullRequest {
  readonly repository: Repository;
  readonly number: number;
  /** Null: any head. */
  readonly headCommitSha: string | null;
}

export interface QueueRequest extends PullRequest {
  readonly command: 'queue';
  readonly skipLine: boolean;
  readonly skipLineReason: string | null;
  /** Null: no waiting. */
  readonly waitMinutes: number | null;
}

export interface TargetsRequest extends PullRequest {
  readonly command: 'affected-targets';
  readonly targets: { readonly list: readonly string[] } | { readonly file: string };
}

export interface PreviewRequest {
  readonly command: 'register-preview';
  readonly repository: Repository;
  readonly commitSha: string;
  readonly url: string;
  readonly of: { readonly number: number } | { readonly branch: string };
  readonly name: string | null;
  readonly secrets: Readonly<Record<string, string>>;
  readonly expiresAt: string | null;
}

export interface ReleaseRequest {
  readonly command: 'create-release';
  readonly repository: Repository;
  readonly project: string;
  readonly version: string;
  readonly commit: string;
  readonly build: boolean;
  readonly waitMinutes: number | null;
}

export interface DeploymentRequest {
  readonly command: 'report-deployment';
  readonly project: string;
  readonly environment: string;
  readonly version: string;
  readonly status: DeploymentStatus;
}

export type Request = QueueRequest | TargetsRequest | PreviewRequest | ReleaseRequest | DeploymentRequest;

/** Says which input is wrong, and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** An input by its name, without white space around it. Empty: it was left out. */
export type Read = (name: string) => string;

export function readCommon(read: Read): Common {
  const url = needed(read, 'url', 'the address of Interlock').replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InputError(`url must be an address such as https://interlock.example.com, not ${url}.`);
  const token = read('token');
  if (token === '')
    throw new InputError(
      'token is empty. Set it from a secret that this repository has. Workflows of pull requests from forks get no secrets.',
    );
  return { url, token };
}

const readers: Readonly<Record<Request['command'], (read: Read, event: Event) => Request>> = {
  queue: (read, event) => ({
    command: 'queue',
    ...pullRequestOf(read, event),
    skipLine: flag(read, 'skip-line'),
    skipLineReason: read('skip-line-reason') || null,
    waitMinutes: waitOf(read),
  }),
  'affected-targets': (read, event) => ({
    command: 'affected-targets',
    ...pullRequestOf(read, event),
    targets: read('targets-file') === '' ? { list: linesOf(read('targets')) } : { file: read('targets-file') },
  }),
  'register-preview': (read, event) => {
    const number = numberOf(read, event);
    if (number === null && event.branch === null)
      throw new InputError('pull-request is needed: the event has neither a pull request nor a branch.');
    return {
      command: 'register-preview',
      repository: repositoryOf(read),
      commitSha: headOf(read, event) ?? event.sha,
      url: needed(read, 'preview-url', 'where the preview is reached'),
      of: number === null ? { branch: event.branch ?? '' } : { number },
      name: read('preview-name') || null,
      secrets: Object.fromEntries(linesOf(read('preview-secrets')).map(pairOf)),
      expiresAt: read('expires-at') || null,
    };
  },
  'create-release': (read, event) => ({
    command: 'create-release',
    repository: repositoryOf(read),
    ...candidateOf(read),
    commit: read('commit') || event.sha,
    build: flag(read, 'build'),
    waitMinutes: waitOf(read),
  }),
  'report-deployment': (read) => ({
    command: 'report-deployment',
    ...candidateOf(read),
    environment: needed(read, 'environment', 'an environment of the project'),
    status: statusOf(read),
  }),
};

export function readRequest(read: Read, event: Event): Request {
  const command = read('command');
  if (!Object.hasOwn(readers, command))
    throw new InputError(`command must be one of ${Object.keys(readers).join(', ')}, not ${command || 'empty'}.`);
  return readers[command as Request['command']](read, event);
}

/** Of the lines of `targets`, or of a file. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A file with a target on each line, or with a JSON list of texts. */
export function targetsOf(text: string, file: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return linesOf(text);
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = null;
  }
  if (Array.isArray(list) && list.every((each): each is string => typeof each === 'string')) return list;
  throw new InputError(`targets-file: ${file} must have a target on each line, or a JSON list of texts.`);
}

function needed(read: Read, name: string, what: string): string {
  const value = read(name);
  if (value === '') throw new InputError(`${name} is needed for ${read('command') || 'every command'}: ${what}.`);
  return value;
}

function flag(read: Read, name: string): boolean {
  const value = read(name).toLowerCase();
  if (value !== '' && value !== 'true' && value !== 'false')
    throw new InputError(`${name} must be true or false, not ${value}.`);
  return value === 'true';
}

function repositoryOf(read: Read): Repository {
  const [, org, name] = /^([^/\s]+)\/([^/\s]+)$/.exec(read('repository')) ?? [];
  if (org === undefined || name === undefined)
    throw new InputError(`repository must be <owner>/<name>, not ${read('repository') || 'empty'}.`);
  return { org, name };
}

function numberOf(read: Read, { payload }: Event): number | null {
  const given = read('pull-request');
  if (given === '') return payload.pull_request?.number ?? (payload.issue?.pull_request ? payload.issue.number : null);
  if (!/^#?[1-9]\d{0,8}$/.test(given)) throw new InputError(`pull-request must be a number, not ${given}.`);
  return Number(given.replace('#', ''));
}

/** Of the event only if the event is of the same pull request. */
function headOf(read: Read, event: Event): string | null {
  const given = read('head-commit-sha');
  const { pull_request: own } = event.payload;
  return given || (own !== undefined && own.number === numberOf(read, event) ? own.head.sha : null);
}

function pullRequestOf(read: Read, event: Event): PullRequest {
  const number = numberOf(read, event);
  if (number === null)
    throw new InputError(`pull-request is needed: the event ${event.name} has no pull request. Pass its number.`);
  return { repository: repositoryOf(read), number, headCommitSha: headOf(read, event) };
}

function waitOf(read: Read): number | null {
  if (!flag(read, 'wait')) return null;
  const minutes = Number(read('timeout-minutes') || '60');
  if (minutes > 0 && minutes <= 4320) return minutes;
  throw new InputError(`timeout-minutes must be a number of minutes from 1 to 4320, not ${read('timeout-minutes')}.`);
}

function candidateOf(read: Read): { readonly project: string; readonly version: string } {
  return {
    project: needed(read, 'project', 'a release project'),
    version: needed(read, 'version', 'the version of the candidate, such as 1.4.0-rc1'),
  };
}

function pairOf(line: string): readonly [string, string] {
  const [, key, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
  if (key === undefined || value === undefined)
    throw new InputError('preview-secrets must have a KEY=value on each line.');
  return [key, value];
}

const statuses = ['pending', 'in_progress', 'success', 'failure', 'canceling', 'canceled', 'error', 'unknown'] as const;
type DeploymentStatus = (typeof statuses)[number];

function statusOf(read: Read): DeploymentStatus {
  const given = needed(read, 'status', statuses.join(', '));
  // As GitHub spells the status of a job.
  const status = given === 'cancelled' ? 'canceled' : given;
  const known = statuses.find((each) => each === status);
  if (known === undefined) throw new InputError(`status must be one of ${statuses.join(', ')}, not ${given}.`);
  return known;
}
