// The files of the npm package, and its command line, run as a program.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { pack } from './package.ts';

describe('the package', () => {
  let paths: readonly string[] = [];
  beforeAll(async () => {
    paths = (await pack(null)).files.map(({ path }) => path);
  });

  test('has every file that a start needs', () => {
    const migrations = readdirSync(join(projectRoot, 'migrations')).map((name) => `migrations/${name}`);
    const documents = readdirSync(join(projectRoot, 'rest-facade/operations')).map(
      (name) => `rest-facade/operations/${name}`,
    );
    const needed = [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'cli/bin.cjs', 'rest-facade/directives.graphql'],
      ...['main', 'production', 'verify', 'doctor', 'import', 'recover', 'demo', 'cli'].map(
        (name) => `dist/programs/${name}.js`,
      ),
      ...['dist/workflow-bundle.js', 'dist/dashboard/index.html', 'dist/graphiql/index.html'],
      ...['schema/schema.graphql', 'schema/openapi.yaml'],
      'proofs/verify.py',
      ...migrations,
      ...documents,
    ];
    expect(needed.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('has no tests, sources, source maps, secrets or other files', () => {
    const kinds = new Set(
      paths.map((path) =>
        path
          .replace(/[^/]*$/, '')
          .split('/')
          .slice(0, 2)
          .join('/'),
      ),
    );
    expect([...kinds].toSorted()).toEqual([
      '',
      'cli/',
      'dist/',
      'dist/dashboard',
      'dist/graphiql',
      'dist/programs',
      'migrations/',
      'proofs/',
      'rest-facade/',
      'rest-facade/operations',
      'schema/',
    ]);
    const unwanted = /\.(?:map|tsx?|tsbuildinfo|env|pem|key)$|(?:^|\/)\.|(?:secrets|access|runtime)\.json|node_modules/;
    expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
  });
});

describe('interlock', () => {
  const run = promisify(execFile);
  const bin = join(projectRoot, 'cli', 'bin.cjs');

  test('start is the program that npm start runs, and its help calls it interlock start', async () => {
    const { stdout, stderr } = await run(process.execPath, [bin, 'start', '--help']);
    expect([stdout.split('\n')[0], stderr]).toEqual(['Usage: interlock start [options]', '']);
  });

  test('a failed command prints one line to the error output, nothing to the standard output, and exits with 2', async () => {
    const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: '/nowhere' };
    const failed: unknown = await run(process.execPath, [bin, 'why', '1'], {
      env,
      cwd: '/',
    }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^No service is named.*\n$/) });
  });

  describe('on a Node that is too old', () => {
    let folder = '';
    const old = `Object.defineProperty(process, 'versions', { value: { node: '14.21.3' } });`;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'old-node-'));
      await copyFile(bin, join(folder, 'bin.cjs'));
      await writeFile(join(folder, 'old.cjs'), `${old} require('./bin.cjs')`);
    });
    afterAll(async () => await rm(folder, { recursive: true, force: true }));
    const runOld = async (...args: string[]): Promise<unknown> =>
      await run(process.execPath, ['old.cjs', ...args], { cwd: folder }).catch((error: unknown) => error);

    test('says which Node is needed', async () => {
      expect(await runOld()).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/too old.*Install Node 22\.17 or newer.*\n$/),
      });
    });

    test('runs on the Node that was installed with the package, with the same arguments and exit code', async () => {
      const node = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
      await mkdir(dirname(node), { recursive: true });
      await writeFile(node, '#!/bin/sh\necho "$@"\nexit 3\n', { mode: 0o755 });
      expect(await runOld('status', '--json')).toMatchObject({
        code: 3,
        stdout: `${join(await realpath(folder), 'bin.cjs')} status --json\n`,
        stderr: '',
      });
    });
  });
});
