// `npm run import` of a real history, whose newest commits land again on an older commit; of a shallow clone; and of
// sources that cannot be imported. `npm run export` of an imported repository.
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import {
  dataDirectory,
  removeDirectory,
  type RunningInterlock,
  runProgram,
  startInterlock,
  stopInterlock,
} from './interlock.ts';
import { type TeamRepository, workIn } from './repository.ts';

const commitsApart = 3;
const wantedPullRequests = 2;

const inBatches = `merge_rules:
  labels:
    trigger: mergequeue
  base_branches: [trunk]
  merge_strategy:
    name: merge
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 2
      batch_size: 2
`;

const ciFile = { '.service/ci.yml': 'checks:\n  files:\n    run: test -s package.json\n    timeout: 60\n' };

const configuration = `merge_rules:
  labels:
    trigger: mergequeue
  base_branches: [trunk]
`;

let dataDir = '';
let interlock: RunningInterlock;
const folders: string[] = [];

beforeAll(async () => {
  dataDir = await dataDirectory();
  interlock = await startInterlock(dataDir, ['--no-demo']);
});

afterAll(async () => {
  if (interlock) await stopInterlock(interlock);
  for (const each of [dataDir, ...folders]) await removeDirectory(each);
});

async function folder(): Promise<string> {
  const path = await dataDirectory();
  folders.push(path);
  return path;
}

/** A repository of three commits. */
async function makeSource(): Promise<string> {
  const made = await folder();
  const git = async (...args: string[]): Promise<string> => await interlock.client.git(made, ...args);
  await git('init', '-q', '-b', 'main');
  for (const name of ['0.txt', '1.txt', '2.txt']) {
    await writeFile(join(made, name), `${name}\n`);
    await git('add', '-A');
    await git('commit', '-q', '-m', `Add ${name}`);
  }
  return made;
}

test('a source that cannot be read leaves no repository behind', async () => {
  const empty = await folder();
  for (const source of [empty, join(empty, 'missing'), 'http://127.0.0.1:1/nothing.git']) {
    const { code, stderr } = await runProgram('import', [source, 'imported/nothing', '--data', dataDir]).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]+(could not be read: |does not exist)[^\n]*\n$/);
  }
  const listed = await interlock.client.rest<{ readonly name: string }[]>('GET', '/api/v1/repo');
  expect(listed.map(({ name }) => name)).not.toContain('nothing');
});

test('a shallow clone is imported with the history that it has, and pull requests land on it', async () => {
  const shallow = await folder();
  await interlock.client.git(shallow, 'clone', '-q', '--depth', '2', `file://${await makeSource()}`, '.');
  const imported = await runProgram('import', [shallow, 'imported/shallow', '--data', dataDir]).ended;
  expect(imported.code, imported.said).toBe(0);
  expect(imported.said).toContain('imported/shallow: 1 branch, 0 tags');

  const clone = await folder();
  const repository = workIn(interlock.client, {
    owner: 'imported',
    name: 'shallow',
    folder: clone,
    baseBranch: 'trunk',
  });
  await repository.git('clone', '-q', `${interlock.access.url}/git/imported/shallow.git`, '.');
  await repository.push('trunk', { '.service/ci.yml': 'checks:\n  files:\n    run: test -s 2.txt\n' }, 'origin/HEAD');
  await interlock.client.rest('POST', '/api/v1/config?org=imported&repo=shallow', configuration);
  await repository.push('change', { 'added.txt': 'added\n' }, 'trunk');
  const number = await repository.open('change', 'Add a file');
  await repository.queue(number);
  await repository.settled([number]);
  expect(await repository.landing(number)).toMatchObject({ status: 'MERGED' });
  const verified = await runProgram('verify', ['imported/shallow', '--data', dataDir]).ended;
  expect(verified.code, verified.said).toBe(0);
});

test('an export of a repository has its rows and commits, an account can be exported, and wrong arguments are refused', async () => {
  const to = await folder();
  const exported = async (...args: string[]): Promise<{ code: number | null; said: string; stderr: string }> =>
    await runProgram('export', [...args, '--data', dataDir]).ended;
  const one = await exported('imported/shallow', '--to', join(to, 'one'));
  expect(one.code, one.said).toBe(0);
  expect(one.said).toContain('The export contains no secrets and no tokens.');
  const manifest = JSON.parse(await readFile(join(to, 'one', 'export.json'), 'utf8')) as {
    readonly tables: readonly { readonly name: string; readonly rows: number }[];
    readonly repositories: readonly string[];
  };
  expect(manifest.tables.find(({ name }) => name === 'pull_request')?.rows).toBe(1);
  const [copy = ''] = manifest.repositories;
  await interlock.client.git(to, 'clone', '-q', join(to, 'one', copy), 'cloned');
  expect(await interlock.client.git(join(to, 'cloned'), 'log', '-1', '--format=%s', 'origin/trunk')).toBe(
    'Add a file (#1)',
  );

  const all = await exported('--account', 'interlock', '--to', join(to, 'all'));
  expect(all.code, all.said).toBe(0);
  for (const [args, exit, message] of [
    [['imported/shallow', '--to', join(to, 'one')], 1, 'is not empty'],
    [['imported/none', '--to', join(to, 'none')], 1, 'There is no repository imported/none'],
    [['--to', join(to, 'none')], 2, 'Name a repository as <owner>/<name>'],
  ] as const) {
    const { code, stderr } = await exported(...args);
    expect([code, stderr.trim().split('\n')]).toEqual([exit, [expect.stringContaining(message)]]);
  }
});

test('a repository that cannot be imported or verified is refused in one line', async () => {
  const mistyped = join(dataDir, 'mistyped');
  const attempts = [
    {
      name: 'import',
      args: ['/no/such/repository', 'imported/none', '--data', dataDir],
      message: '/no/such/repository does not exist',
      exit: 1,
    },
    {
      name: 'import',
      args: [folders[0] ?? '', 'no-owner', '--data', dataDir],
      message: 'A repository is named <owner>/<name>, not no-owner.',
      exit: 2,
    },
    {
      name: 'verify',
      args: ['imported/unknown', '--data', dataDir],
      message: 'There is no repository imported/unknown.',
      exit: 1,
    },
    {
      name: 'verify',
      args: ['imported/shallow', '--data', mistyped],
      message: `There is no Interlock in ${mistyped}. Name its data`,
      exit: 1,
    },
  ];
  for (const { name, args, message, exit } of attempts) {
    const { code, stderr } = await runProgram(name, args).ended;
    expect(code, stderr).toBe(exit);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(message)]);
  }
  expect(existsSync(mistyped)).toBe(false);
});

test('an import that breaks off in the middle leaves no repository behind, and its name is free', async () => {
  const source = await folder();
  const git = async (...args: string[]): Promise<string> => (await interlock.client.git(source, ...args)).trim();
  await git('init', '-q', '-b', 'main');
  await writeFile(join(source, 'a.txt'), 'a\n');
  await git('add', '-A');
  await git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.test', 'commit', '-q', '-m', 'One');
  const blob = await git('rev-parse', 'HEAD:a.txt');
  const object = join(source, '.git', 'objects', blob.slice(0, 2), blob.slice(2));
  await rename(object, join(source, 'kept'));
  const imports = async (): Promise<{ code: number | null; stderr: string }> =>
    await runProgram('import', [source, 'imported/broken', '--data', dataDir]).ended;
  const listed = async (): Promise<string[]> =>
    (await interlock.client.rest<{ readonly name: string }[]>('GET', '/api/v1/repo')).map(({ name }) => name);
  expect(await imports()).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be read: ') });
  expect(await listed()).not.toContain('broken');
  await rename(join(source, 'kept'), object);
  expect(await imports()).toMatchObject({ code: 0 });
  expect(await listed()).toContain('broken');
});

test.each(['import:begun', 'import:made', 'import:fetched'])(
  'after an import was killed at %s, the next import of the name removes its rest',
  async (place) => {
    const first = await makeSource();
    const second = await makeSource();
    await interlock.client.git(first, 'branch', 'of-the-first');
    const name = `imported/${place.replace(':', '-')}`;
    const killed = runProgram('import', [first, name, '--data', dataDir], { INTERLOCK_FAILPOINT: place });
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    const { code, said } = await runProgram('import', [second, name, '--data', dataDir]).ended;
    expect(code, said).toBe(0);
    expect(said).toContain(`${name}: 1 branch, 0 tags`);
    expect((await interlock.client.git(second, 'ls-remote', `${interlock.access.url}/git/${name}.git`)).trim()).toMatch(
      /^\S+\tHEAD\n\S+\trefs\/heads\/main$/,
    );
  },
);

test('an import that is killed after its end is complete, and the next import updates it', async () => {
  const source = await makeSource();
  const killed = runProgram('import', [source, 'imported/ended', '--data', dataDir], {
    INTERLOCK_FAILPOINT: 'import:completed',
  });
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
  const listed = await interlock.client.rest<{ readonly name: string }[]>('GET', '/api/v1/repo');
  expect(listed.map(({ name }) => name)).toContain('ended');
  await interlock.client.git(source, 'branch', 'later');
  const { code, said } = await runProgram('import', [source, 'imported/ended', '--data', dataDir]).ended;
  expect(code, said).toBe(0);
  expect(said).toContain('imported/ended: 2 branches, 0 tags');
});

/**
 * This checkout, if it is a clone with enough history. Otherwise a repository with a commit for each of its folders.
 */
async function findSource(): Promise<string> {
  const git = async (...args: string[]): Promise<string> => await interlock.client.git(projectRoot, ...args);
  const isWhole =
    existsSync(join(projectRoot, '.git')) && (await git('rev-parse', '--is-shallow-repository')) === 'false';
  const isOnBranch = isWhole && (await git('symbolic-ref', '-q', 'HEAD').then(Boolean, () => false));
  if (
    isOnBranch &&
    Number(await git('rev-list', '--first-parent', '--count', 'HEAD')) > commitsApart * wantedPullRequests
  )
    return projectRoot;
  const made = await folder();
  const inMade = async (...args: string[]): Promise<string> => await interlock.client.git(made, ...args);
  await inMade('init', '-q', '-b', 'main');
  const parts = ['package.json', 'tsconfig.json', 'migrations', 'scripts', 'src/domain', 'src/graphql', 'src/hosts'];
  for (const part of [
    ...parts,
    'src/launcher',
    'src/modules',
    'src/platform',
    'workflows',
    'rest-facade',
    'bench',
    'test/e2e',
  ]) {
    await cp(join(projectRoot, part), join(made, part), { recursive: true });
    await inMade('add', '-A');
    await inMade('commit', '-q', '-m', `Add ${part}`);
  }
  return made;
}

async function cloneImported(name: string): Promise<TeamRepository> {
  const clone = await folder();
  const repository = workIn(interlock.client, { owner: 'imported', name, folder: clone, baseBranch: 'trunk' });
  await repository.git('clone', '-q', `${interlock.access.url}/git/imported/${name}.git`, '.');
  return repository;
}

test('real commits of an imported repository land, and their proofs hold', async () => {
  const source = await findSource();
  const imported = await runProgram('import', [source, 'imported/self', '--data', dataDir]).ended;
  expect(imported.code, imported.said).toBe(0);
  expect(imported.said).toMatch(/^imported\/self: \d+ branch(es)?, \d+ tags?; pull requests land on \S+\.$/m);

  const self = await cloneImported('self');
  const history = (await self.git('rev-list', '--first-parent', 'origin/HEAD')).split('\n');
  const replayed = history.slice(0, wantedPullRequests * commitsApart).toReversed();
  await self.push('trunk', ciFile, history[replayed.length]);
  await interlock.client.rest('POST', '/api/v1/config?org=imported&repo=self', inBatches);

  // A head needs a check of its own with the file from the base, so the commits are replayed on top of the base. Each
  // pull request is a stack of some more of them.
  const heads: string[] = [];
  const numbers: number[] = [];
  for (const [index, commit] of replayed.entries()) {
    const isMerge = (await self.git('rev-list', '--parents', '-1', commit)).split(' ').length > 2;
    await self.git('cherry-pick', '--allow-empty', '--keep-redundant-commits', ...(isMerge ? ['-m', '1'] : []), commit);
    if ((index + 1) % commitsApart !== 0) continue;
    const branch = `real-${heads.length}`;
    await self.git('push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
    heads.push(await self.git('rev-parse', 'HEAD'));
    numbers.push(await self.open(branch, await self.git('log', '-1', '--format=%s')));
  }
  for (const number of numbers) await self.queue(number);
  await self.settled(numbers);

  await self.git('fetch', '-q');
  const line = (await self.git('rev-list', '--first-parent', 'origin/trunk')).split('\n');
  for (const [index, number] of numbers.entries()) {
    const { status, statusText, mergeCommit } = await self.landing(number);
    expect({ number, status }, statusText ?? '').toEqual({ number, status: 'MERGED' });
    expect(line).toContain(mergeCommit);
    await self.git('merge-base', '--is-ancestor', heads[index] ?? '', 'origin/trunk');
  }
  // The whole history has landed again. The trees differ only in the file with the check.
  expect(await self.git('diff', '--name-only', history[0] ?? '', 'origin/trunk')).toBe('.service/ci.yml');

  const verified = await runProgram('verify', ['imported/self', '--data', dataDir]).ended;
  expect(verified.code, verified.said).toBe(0);
  expect(verified.said).toMatch(/^trunk: \d+ first-parent commits, 2 pull requests: (\d+ (exact|same_tree)(, )?)+$/m);
});
