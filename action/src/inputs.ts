// Reads the request of a step from its inputs and from the event. An error names the input and says what to do. The
// functions read only their arguments, and no file and no environment variable.

/** The event that started the workflow. */
export interface Event {
  /** The name of the event, from GITHUB_EVENT_NAME. */
  readonly name: string;
  readonly payload: {
    readonly pull_request?: { readonly number: number; readonly head: { readonly sha: string } };
    readonly issue?: { readonly number: number; readonly pull_request?: object };
  };
  /** GITHUB_SHA. For events of pull requests this is a merge commit that GitHub made. */
  readonly sha: string;
  /** GITHUB_REF_NAME. Null: the ref of the event is not a branch. */
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
  /** The head that the pull request must have. Null: it may have any head. */
  readonly headCommitSha: string | null;
}

export interface QueueRequest extends PullRequest {
  readonly command: 'queue';
  readonly skipLine: boolean;
  readonly skipLineReason: string | null;
  /** Null: the step does not wait. */
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

/** An error about an input. The message says which input is wrong, and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Returns an input by its name, without white space around it. Empty: the input was left out. */
export type ReadInput = (name: string) => string;

export function readCommon(read: ReadInput): Common {
  const url = readRequired(read, 'url', 'the address of Interlock').replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InputError(`url must be an address such as https://interlock.example.com, not ${url}.`);
  const token = read('token');
  if (token === '')
    throw new InputError(
      'token is empty. Set it from a secret that this repository has. GitHub gives no secrets to workflows of pull requests from forks.',
    );
  return { url, token };
}

const readers: Readonly<Record<Request['command'], (read: ReadInput, event: Event) => Request>> = {
  queue: (read, event) => ({
    command: 'queue',
    ...readPullRequest(read, event),
    skipLine: readFlag(read, 'skip-line'),
    skipLineReason: read('skip-line-reason') || null,
    waitMinutes: readWaitMinutes(read),
  }),
  'affected-targets': (read, event) => ({
    command: 'affected-targets',
    ...readPullRequest(read, event),
    targets: read('targets-file') === '' ? { list: linesOf(read('targets')) } : { file: read('targets-file') },
  }),
  'register-preview': (read, event) => {
    const number = readNumber(read, event);
    if (number === null && event.branch === null)
      throw new InputError('pull-request is needed: the event has neither a pull request nor a branch.');
    return {
      command: 'register-preview',
      repository: readRepository(read),
      commitSha: readHead(read, event) ?? commitOf(event, number),
      url: readRequired(read, 'preview-url', 'the address of the preview'),
      of: number === null ? { branch: event.branch ?? '' } : { number },
      name: read('preview-name') || null,
      secrets: Object.fromEntries(linesOf(read('preview-secrets')).map(parseSecret)),
      expiresAt: read('expires-at') || null,
    };
  },
  'create-release': (read, event) => ({
    command: 'create-release',
    repository: readRepository(read),
    ...readCandidate(read),
    commit: read('commit') || event.sha,
    build: readFlag(read, 'build'),
    waitMinutes: readWaitMinutes(read),
  }),
  'report-deployment': (read) => ({
    command: 'report-deployment',
    ...readCandidate(read),
    environment: readRequired(read, 'environment', 'an environment of the project'),
    status: readStatus(read),
  }),
};

export function readRequest(read: ReadInput, event: Event): Request {
  const command = read('command');
  if (!Object.hasOwn(readers, command))
    throw new InputError(
      `command must be one of ${Object.keys(readers).join(', ')}, not ${command === '' ? 'an empty text' : command}.`,
    );
  return readers[command as Request['command']](read, event);
}

/** Returns the lines of a text that are not empty, without white space at their ends. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Reads the targets in the text of a file. The text has a target on each line, or is a JSON list of texts. */
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

function readRequired(read: ReadInput, name: string, description: string): string {
  const value = read(name);
  if (value === '')
    throw new InputError(`${name} is needed for ${read('command') || 'every command'}: ${description}.`);
  return value;
}

function readFlag(read: ReadInput, name: string): boolean {
  const value = read(name).toLowerCase();
  if (value !== '' && value !== 'true' && value !== 'false')
    throw new InputError(`${name} must be true or false, not ${value}.`);
  return value === 'true';
}

function readRepository(read: ReadInput): Repository {
  const [, org, name] = /^([^/\s]+)\/([^/\s]+)$/.exec(read('repository')) ?? [];
  if (org === undefined || name === undefined)
    throw new InputError(`repository must be <owner>/<name>, not ${read('repository') || 'an empty text'}.`);
  return { org, name };
}

function readNumber(read: ReadInput, { payload }: Event): number | null {
  const given = read('pull-request');
  if (given === '') return payload.pull_request?.number ?? (payload.issue?.pull_request ? payload.issue.number : null);
  if (!/^#?[1-9]\d{0,8}$/.test(given)) throw new InputError(`pull-request must be a number, not ${given}.`);
  return Number(given.replace('#', ''));
}

/**
 * Reads the head of the input, or the head of the event if the event is about the same pull request. Null: neither is
 * given.
 */
function readHead(read: ReadInput, event: Event): string | null {
  const given = read('head-commit-sha');
  const { pull_request: own } = event.payload;
  return given || (own !== undefined && own.number === readNumber(read, event) ? own.head.sha : null);
}

/** The commit of these events may be the head of a pull request. Other events have a commit of the default branch. */
const eventsOfHeads: readonly string[] = ['push', 'workflow_dispatch', 'deployment', 'deployment_status'];

function commitOf({ name, sha }: Event, number: number | null): string {
  if (number === null || eventsOfHeads.includes(name)) return sha;
  throw new InputError(
    `head-commit-sha is needed: the event ${name} does not have the head of #${number}. Pass the commit that was deployed.`,
  );
}

function readPullRequest(read: ReadInput, event: Event): PullRequest {
  const number = readNumber(read, event);
  if (number === null)
    throw new InputError(`pull-request is needed: the event ${event.name} has no pull request. Pass its number.`);
  return { repository: readRepository(read), number, headCommitSha: readHead(read, event) };
}

function readWaitMinutes(read: ReadInput): number | null {
  if (!readFlag(read, 'wait')) return null;
  const minutes = Number(read('timeout-minutes') || '60');
  if (minutes > 0 && minutes <= 4320) return minutes;
  throw new InputError(`timeout-minutes must be a number of minutes from 1 to 4320, not ${read('timeout-minutes')}.`);
}

function readCandidate(read: ReadInput): { readonly project: string; readonly version: string } {
  return {
    project: readRequired(read, 'project', 'a release project'),
    version: readRequired(read, 'version', 'the version of the candidate, such as 1.4.0-rc1'),
  };
}

function parseSecret(line: string): readonly [string, string] {
  const [, key, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
  if (key === undefined || value === undefined)
    throw new InputError('preview-secrets must have KEY=value on each line.');
  return [key, value];
}

const statuses = ['pending', 'in_progress', 'success', 'failure', 'canceling', 'canceled', 'error', 'unknown'] as const;
type DeploymentStatus = (typeof statuses)[number];

function readStatus(read: ReadInput): DeploymentStatus {
  const given = readRequired(read, 'status', statuses.join(', '));
  // GitHub writes the status of a job as `cancelled`.
  const status = given === 'cancelled' ? 'canceled' : given;
  const known = statuses.find((each) => each === status);
  if (known === undefined) throw new InputError(`status must be one of ${statuses.join(', ')}, not ${given}.`);
  return known;
}
