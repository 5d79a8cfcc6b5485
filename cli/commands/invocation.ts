// The common parts of all commands: options, the service, the repository, and output.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command, OptionValues } from 'commander';
import { createApi, type Api } from '../client/api.ts';
import {
  branchOfCheckout,
  readPullRequestName,
  readRepositoryName,
  repositoryOfCheckout,
  type RepositoryName,
} from '../client/checkout.ts';
import { chooseConnection, readAddress, type Choice, type RunningService } from '../client/connection.ts';
import { readLogins } from '../client/logins.ts';
import { FindPullRequestDocument } from '../generated/operations.ts';
import { Failure, type Outcome } from '../output/failure.ts';
import { ask, colorsOf, type Colors, type Io } from '../output/io.ts';

export interface GlobalOptions {
  readonly url?: string;
  readonly repo?: string;
  readonly data?: string;
  readonly json?: boolean;
  /** The option of commands that can wait. */
  readonly wait?: boolean;
  /** False: `--no-color`. */
  readonly color: boolean;
}

/** The options of commands that show their impact before they act. */
export interface HarmOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export interface Invocation {
  readonly io: Io;
  readonly global: GlobalOptions;
  readonly color: Colors;
  /** Prints text for people to the standard output. Prints nothing with `--json`. */
  readonly say: (text: string) => void;
  /** Prints progress to the standard error. */
  readonly printProgress: (text: string) => void;
  /** Prints the document of `--json`. */
  readonly document: (value: unknown) => void;
  /** Prints one of many documents of `--json`, each on a line. */
  readonly record: (value: unknown) => void;
  readonly isJson: boolean;
}

export function invocationOf(io: Io, global: GlobalOptions): Invocation {
  const isJson = global.json === true;
  return {
    io,
    global,
    color: colorsOf({ isRefused: !global.color || isJson, isTTY: io.stdout.isTTY === true, env: io.env }),
    say: (text) => void (isJson || io.stdout.write(`${text}\n`)),
    printProgress: (text) => void io.stderr.write(`${text}\n`),
    isJson,
    record: (value) => void (isJson && io.stdout.write(`${JSON.stringify(value)}\n`)),
    document: (value) => void (isJson && io.stdout.write(`${JSON.stringify(value, null, 2)}\n`)),
  };
}

/** The code of a command. It returns the outcome. Undefined means `done`. */
export type Run<Options> = (
  invocation: Invocation,
  options: Options,
  ...args: (string | undefined)[]
) => Promise<Outcome | void>;

/** What the files of commands need to add their commands to the program. */
export interface Registry {
  readonly program: Command;
  /** Makes the action of a commander command from a `Run`. The outcome becomes the exit code. */
  readonly action: <Options extends OptionValues>(
    run: Run<Options>,
  ) => (this: Command, ...args: unknown[]) => Promise<void>;
}

/** The examples at the end of a help text. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

export function addHarmOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'act without asking for a confirmation')
    .option('--dry-run', 'show what the command would do, and do nothing');
}

/** Returns a function that prints to the standard error that the connection is lost or restored. */
export function reportConnection({ printProgress }: Invocation): (isThere: boolean) => void {
  return (isThere) => printProgress(isThere ? 'Connected again.' : 'The connection is lost. Trying again …');
}

/** Connects to the service, which is chosen in the order that docs/command-line.md describes. */
export async function connect(invocation: Invocation): Promise<Api> {
  const { io, global } = invocation;
  const flag = global.url ?? null;
  if (flag !== null && readAddress(flag) === null)
    throw new Failure('usage', `--url must be an address such as https://interlock.example.com, not ${flag}.`);
  const choice = await choose(invocation, flag);
  switch (choice.kind) {
    case 'connection':
      return createApi({
        ...choice,
        signal: io.signal,
        isTokenOfVariable: Boolean(io.env['INTERLOCK_TOKEN']),
        ...(global.wait === true && {
          onUnreachable: () => invocation.printProgress('The service does not answer. Trying again …'),
        }),
      });
    case 'no token':
      throw new Failure(
        'unauthorised',
        `There is no token for ${choice.url}. Log in (interlock login ${choice.url}), or set INTERLOCK_TOKEN.`,
      );
    case 'no address': {
      const named = global.data ?? io.env['INTERLOCK_DATA'];
      if (named)
        throw new Failure(
          'unreachable',
          `No service is ready on the data directory ${named}. It is starting, restarting or stopped: try again, start it, or name another directory.`,
        );
      throw new Failure(
        'usage',
        'No service is named. Log in (interlock login <address>), set INTERLOCK_URL, give --url, or give --data with the data directory of a service on this machine.',
      );
    }
  }
}

/** How long a command that waits waits until a service is ready on the data directory, in seconds. */
const longestStartSec = 60;

/**
 * Chooses the service. While the service on the named data directory restarts, its address is not known, and a command
 * that waits reads it again each second.
 */
async function choose(invocation: Invocation, flag: string | null): Promise<Choice> {
  const { io, global } = invocation;
  const sources = {
    flag,
    urlVariable: io.env['INTERLOCK_URL'] || null,
    tokenVariable: io.env['INTERLOCK_TOKEN'] || null,
    logins: await readLogins(io.env),
  };
  const named = global.data ?? io.env['INTERLOCK_DATA'];
  for (let seconds = 0; ; seconds += 1) {
    const choice = chooseConnection({ ...sources, running: await readRunning(invocation) });
    const isRestarting = choice.kind === 'no address' && named && global.wait === true;
    if (!isRestarting || seconds === longestStartSec) return choice;
    if (seconds === 0) invocation.printProgress(`No service is ready on the data directory ${named}. Trying again …`);
    await delay(1_000, undefined, { signal: io.signal });
  }
}

/** Null: no service runs on the data directory. */
async function readRunning({ io, global }: Invocation): Promise<RunningService | null> {
  const folder = resolve(io.cwd, global.data ?? io.env['INTERLOCK_DATA'] ?? '.interlock');
  const text = await readFile(join(folder, 'access.json'), 'utf8').catch(() => null);
  try {
    return text === null ? null : (JSON.parse(text) as RunningService);
  } catch {
    return null;
  }
}

/** Returns the repository of `--repo`, otherwise the repository of the checkout in which the command is called. */
export async function repositoryOf({ io, global }: Invocation): Promise<RepositoryName> {
  if (global.repo !== undefined) {
    const named = readRepositoryName(global.repo);
    if (named === null) throw new Failure('usage', `--repo must be <owner>/<name>, not ${global.repo}.`);
    return named;
  }
  const found = await repositoryOfCheckout(io.cwd);
  if (found === null)
    throw new Failure(
      'usage',
      'This folder is no checkout with a remote. Name the repository by --repo <owner>/<name>.',
    );
  return found;
}

export const nameOf = ({ owner, name }: RepositoryName): string => `${owner}/${name}`;

export interface ChosenPullRequest {
  readonly repository: RepositoryName;
  readonly number: number;
}

/**
 * Returns the named pull request, otherwise the pull request of the current branch. A link also names the repository,
 * which need not be the repository of the checkout.
 */
export async function pullRequestOf(
  invocation: Invocation,
  api: Api,
  text: string | undefined,
): Promise<ChosenPullRequest> {
  if (text === undefined) return await pullRequestOfBranch(invocation, api);
  const named = readPullRequestName(text);
  if (named === null) throw new Failure('usage', `A pull request is named by its number or link, not ${text}.`);
  const { number, repository: linked } = named;
  if (linked === null) return { repository: await repositoryOf(invocation), number };
  const { repo } = invocation.global;
  if (repo !== undefined && repo !== nameOf(linked))
    throw new Failure(
      'usage',
      `The link names ${nameOf(linked)}, and --repo names ${repo}. Leave --repo out, or name the pull request by its number.`,
    );
  return { repository: linked, number };
}

async function pullRequestOfBranch(invocation: Invocation, api: Api): Promise<ChosenPullRequest> {
  const repository = await repositoryOf(invocation);
  const headBranch = await branchOfCheckout(invocation.io.cwd);
  if (headBranch === null)
    throw new Failure('usage', 'No branch is checked out here. Name the pull request by its number.');
  const { repository: found } = await api.ask(FindPullRequestDocument, { ...repository, headBranch });
  if (found === null) throw unknownRepository(repository);
  if (found.pullRequest === null)
    throw new Failure(
      'refused',
      `The branch ${headBranch} of ${nameOf(repository)} has no pull request. Open one, or name one by its number.`,
      { code: 'NOT_FOUND' },
    );
  return { repository, number: found.pullRequest.number };
}

export function unknownRepository(repository: RepositoryName): Failure {
  return new Failure(
    'refused',
    `There is no repository ${nameOf(repository)} here. Correct --repo, or log in to the service that has it.`,
    { code: 'NOT_FOUND' },
  );
}

export function unknownPullRequest(repository: RepositoryName, number: number): Failure {
  return new Failure('refused', `${nameOf(repository)} has no pull request #${number}.`, { code: 'NOT_FOUND' });
}

/**
 * Waits for an answer of the service. A documented refusal such as "Pull request not found" does not say which name is
 * unknown or what to do, so `more` is appended to its message. A message that ends with a period is not changed.
 */
export async function completeRefusal<Answer>(
  more: string | ((refusal: Failure) => string),
  answer: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Failure) || !isBareRefusal(error)) throw error;
    const { outcome, message, code, field } = error;
    throw new Failure(outcome, `${message}: ${typeof more === 'string' ? more : more(error)}`, { code, field });
  }
}

const completedCodes: readonly string[] = ['NOT_FOUND', 'BAD_INPUT', 'ENVIRONMENT_FROZEN'];

const isBareRefusal = ({ code, message }: Failure): boolean => completedCodes.includes(code) && !message.endsWith('.');

/**
 * Shows what a command would do, and asks the user. Returns false with `--dry-run`. Throws a failure if the user
 * declines, or if there is no terminal and no `--yes`.
 */
export async function isConfirmed(
  { io, say, printProgress }: Invocation,
  { yes, dryRun }: HarmOptions,
  sentence: string,
): Promise<boolean> {
  if (dryRun) {
    say(`Nothing was done. Without --dry-run: ${sentence}`);
    return false;
  }
  if (yes) return true;
  if (io.stdin.isTTY !== true)
    throw new Failure('usage', `${sentence} Give --yes to confirm, because there is no terminal on which to ask you.`);
  printProgress(sentence);
  if (await ask(io, 'Do it?')) return true;
  throw new Failure('refused', 'Nothing was done.', { code: 'DECLINED' });
}
