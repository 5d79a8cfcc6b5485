// `npm run import`: a shallow clone, and what cannot be imported.
import { existsSync } from 'node:fs';
import { writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dataDirectory,
  removeDirectory,
  type RunningInterlock,
  runProgram,
  startInterlock,
  stopInterlock,
} from './interlock.ts';
import { workIn } from './repository.ts';

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

test('a shallow clone comes with the history it has, and is landed on as well', async () => {
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

test('a repository that cannot be imported or verified is refused in one line', async () => {
  const mistyped = join(dataDir, 'mistyped');
  const attempts = [
    {
      name: 'import',
      args: ['/no/such/repository', 'imported/none', '--data', dataDir],
      message: '/no/such/repository does not exist',
    },
    {
      name: 'import',
      args: [folders[0] ?? '', 'no-owner', '--data', dataDir],
      message: 'A repository is named <owner>/<name>, not no-owner.',
    },
    {
      name: 'verify',
      args: ['imported/unknown', '--data', dataDir],
      message: 'There is no repository imported/unknown.',
    },
    {
      name: 'verify',
      args: ['imported/shallow', '--data', mistyped],
      message: `There is no Interlock in ${mistyped}. Name its data`,
    },
  ];
  for (const { name, args, message } of attempts) {
    const { code, stderr } = await runProgram(name, args).ended;
    expect(code, stderr).toBe(1);
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
