// Starts an emulator of GitHub with one repository and a clone of it, and makes clients of a person and of an App.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { expect } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../github-emulator/index.ts';

const run = promisify(execFile);

export interface Clone {
  readonly directory: string;
  git(...args: string[]): Promise<string>;
  /** Runs git, and returns its output and exit code even if it fails. */
  tryGit(...args: string[]): Promise<{ exitCode: number; output: string }>;
  /** Commits one file onto the branch that is checked out. */
  write(name: string, content: string | Buffer): Promise<void>;
  /** Commits files onto a branch that starts at `from`, pushes the branch, and returns the commit. */
  push(branch: string, files: Record<string, string>, from?: string): Promise<string>;
}

export interface EmulatorWorld extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly owner: string;
  readonly repo: string;
  /** The repository as parameters for Octokit. */
  readonly place: { readonly owner: string; readonly repo: string };
  /** A client with the token of a person. */
  readonly person: Octokit;
  /** A client with a token of the App's installation. */
  readonly bot: Octokit;
  /** A client with the JWT of the App. */
  readonly app: Octokit;
  readonly clone: Clone;
  octokitOf(token: string): Octokit;
  cloneAs(token: string): Promise<Clone>;
  /** Opens a pull request from a new branch. */
  open(branch: string, files?: Record<string, string>): Promise<{ number: number; sha: string }>;
  /** Fails if the emulator had an error, or sent an answer that GitHub's description of its API does not allow. */
  expectNoMistakes(): void;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export async function emulatorWorld(options: EmulatorOptions = {}): Promise<EmulatorWorld> {
  const emulator = await startEmulator(options);
  const folder = mkdtempSync(join(tmpdir(), 'world-'));
  const { owner } = emulator;
  const repo = 'shop';
  const place = { owner, repo };
  const base = { baseUrl: emulator.apiUrl, log: silent };
  const octokitOf = (token: string): Octokit => new Octokit({ ...base, auth: token });
  const person = octokitOf(emulator.token);
  await emulator.addRepository(repo);
  const privateKey = readFileSync(emulator.keyFile, 'utf8');
  const auth = { appId: emulator.appId, privateKey };
  const bot = new Octokit({
    ...base,
    authStrategy: createAppAuth,
    auth: { ...auth, installationId: emulator.installationId },
  });
  let clones = 0;
  const cloneAs = async (token: string): Promise<Clone> => {
    clones += 1;
    return await makeClone(emulator, join(folder, `clone-${clones}`), { ...place, token });
  };
  const clone = await cloneAs(emulator.token);
  return {
    emulator,
    owner,
    repo,
    place,
    person,
    bot,
    app: new Octokit({ ...base, authStrategy: createAppAuth, auth }),
    clone,
    octokitOf,
    cloneAs,
    open: async (branch, files = { [`${branch}.txt`]: `${branch}\n` }) => {
      const sha = await clone.push(branch, files);
      const { data } = await person.pulls.create({ ...place, title: branch, head: branch, base: 'main' });
      return { number: data.number, sha };
    },
    expectNoMistakes: () => expect(emulator.core.mistakes).toEqual([]),
    [Symbol.asyncDispose]: async () => {
      await emulator.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makeClone(
  emulator: Emulator,
  directory: string,
  { owner, repo, token }: { owner: string; repo: string; token: string },
): Promise<Clone> {
  const header = `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const env = {
    PATH: process.env['PATH'],
    HOME: tmpdir(),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: header,
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'octocat@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'octocat@example.com',
  };
  await run('git', ['clone', '--quiet', `${emulator.url}/${owner}/${repo}.git`, directory], { env });
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: directory, env })).stdout.trim();
  const clone: Clone = {
    directory,
    git,
    tryGit: async (...args) => {
      try {
        const { stdout, stderr } = await run('git', args, { cwd: directory, env });
        return { exitCode: 0, output: `${stdout}${stderr}` };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { exitCode: code, output: `${stdout}${stderr}` };
      }
    },
    write: async (name, content) => {
      mkdirSync(join(directory, name, '..'), { recursive: true });
      writeFileSync(join(directory, name), content);
      await git('add', '--all');
      await git('commit', '--quiet', '--message', `Write ${name}`);
    },
    push: async (branch, files, from = 'origin/main') => {
      await git('fetch', '--quiet', 'origin');
      await git('checkout', '--quiet', '-B', branch, from);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
      await git('add', '--all');
      await git('commit', '--quiet', '--message', `Change ${Object.keys(files).join(', ')}`);
      await git('push', '--quiet', '--force', 'origin', branch);
      await emulator.core.settled();
      return await git('rev-parse', 'HEAD');
    },
  };
  return clone;
}
