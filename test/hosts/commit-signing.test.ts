// An SSH key signs the commits that Interlock makes. Git verifies them, and the same commit has the same id.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostSettingsFrom } from '../../src/host-settings.ts';
import { composeCommit, createCommitSigner, createGit, type Git } from '../../src/hosts/git/index.ts';
import { commit, git } from './commits.ts';

const email = 'interlock@example.test';
let folder: string;
let program: Git;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sign-'));
  program = createGit(join(folder, 'gitconfig'));
  makeKey('key', 'ed25519', '');
  makeKey('locked', 'ed25519', 'a passphrase');
  makeKey('other', 'ecdsa', '');
  writeFileSync(join(folder, 'signers'), `${email} ${readFileSync(join(folder, 'key.pub'), 'utf8')}`);
  writeFileSync(
    join(folder, 'cut'),
    readFileSync(join(folder, 'key'), 'utf8').replace(/\n[A-Za-z0-9+/=]+\n-----END/, '\n-----END'),
  );
  writeFileSync(join(folder, 'none'), 'no key');
});
afterAll(async () => {
  await program.processes.stop();
  rmSync(folder, { recursive: true, force: true });
});

function makeKey(name: string, type: string, passphrase: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', join(folder, name)]);
}

test('git verifies composed commits, including merges and groups, and the same input gives the same id', async () => {
  const directory = join(folder, 'shop.git');
  execFileSync('git', ['init', '--quiet', '--bare', directory]);
  const main = commit(directory, { branch: 'main', from: null, files: { a: '1\n' } });
  const heads = ['b', 'c'].map((path) => commit(directory, { branch: path, from: main, files: { [path]: '1\n' } }));
  const compose = async (): Promise<string> => {
    const composed = await composeCommit(program, directory, {
      parent: main,
      members: heads.map((head) => ({
        head,
        strategy: 'merge',
        message: 'Merge a branch: größer\n',
        authorName: 'Ada',
        authorEmail: 'ada@example.org',
      })),
      batchCommit: 'group',
      groupMessage: 'Two pull requests',
      at: 1_700_000_000_000,
      keepRef: 'refs/interlock/builds/1',
      committer: { name: 'Interlock', email, sign: createCommitSigner(readFileSync(join(folder, 'key'), 'utf8')) },
    });
    return composed.kind === 'composed' ? composed.commit : '';
  };
  const made = await compose();
  expect(await compose()).toBe(made);
  const signers = `gpg.ssh.allowedSignersFile=${join(folder, 'signers')}`;
  expect(
    git(directory, '-c', signers, 'log', '--format=%G? %GS %s', `${main}..${made}`, ...heads.map((head) => `^${head}`)),
  ).toBe(
    [
      'G interlock@example.test Two pull requests',
      ...Array(2).fill('G interlock@example.test Merge a branch: größer'),
    ].join('\n'),
  );
  git(directory, '-c', signers, 'verify-commit', made);
  expect(git(directory, 'fsck', '--strict', '--no-dangling')).toBe('');
});

test('the settings name the key and the address', () => {
  const { committer } = hostSettingsFrom({ COMMIT_SIGNING_KEY: join(folder, 'key'), COMMIT_SIGNING_EMAIL: email });
  expect([committer?.name, committer?.email, typeof committer?.sign]).toEqual(['Interlock', email, 'function']);
  expect(hostSettingsFrom({}).committer).toBeUndefined();
});

test.each([
  {
    name: 'no address',
    env: { COMMIT_SIGNING_KEY: 'key' },
    message: 'COMMIT_SIGNING_EMAIL must be the verified address',
  },
  { name: 'no key', env: { COMMIT_SIGNING_EMAIL: email }, message: 'COMMIT_SIGNING_KEY is missing' },
  { name: 'a file that is not there', file: 'absent', message: 'which cannot be read' },
  { name: 'a file without a key', file: 'none', message: 'it holds no private key of OpenSSH' },
  { name: 'a key that is cut off', file: 'cut', message: 'it is cut off' },
  { name: 'a key with a passphrase', file: 'locked', message: 'Remove the passphrase with ssh-keygen -p' },
  {
    name: 'a key whose signatures differ each time',
    file: 'other',
    message: 'it is of the type "ecdsa-sha2-nistp256"',
  },
])('settings that cannot sign are refused with the variable and what to do: $name', ({ env, file, message }) => {
  const given = file === undefined ? env : { COMMIT_SIGNING_KEY: join(folder, file), COMMIT_SIGNING_EMAIL: email };
  expect(() => hostSettingsFrom(given ?? {})).toThrow(message);
});
