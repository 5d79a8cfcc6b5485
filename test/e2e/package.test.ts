// The npm package: what is in it, and the command line as processes of their own.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { pack } from './package.ts';

describe('the package', () => {
  let paths: readonly string[] = [];
  beforeAll(async () => {
    paths = (await pack(null)).files.map(({ path }) => path);
  });

  test('has all that a start needs', () => {
    const migrations = readdirSync(join(projectRoot, 'migrations')).map((name) => `migrations/${name}`);
    const documents = readdirSync(join(projectRoot, 'rest-facade/operations')).map(
      (name) => `rest-facade/operations/${name}`,
    );
    const needed = [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'cli/bin.cjs', 'rest-facade/directives.graphql'],
      ...['main', 'production', 'verify', 'doctor', 'import', 'recover', 'demo'].map((name) => `dist/src/${name}.js`),
      ...['dist/cli/main.js', 'dist/workflow-bundle.js', 'dist/dashboard/index.html', 'dist/graphiql/index.html'],
      ...['schema/schema.graphql', 'schema/openapi.yaml'],
      'proofs/verify.py',
      ...migrations,
      ...documents,
    ];
    expect(needed.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test('has nothing but that: no tests, no sources, no source maps, nothing of the machine', () => {
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
      'dist/cli',
      'dist/dashboard',
      'dist/graphiql',
      'dist/rest-facade',
      'dist/src',
      'dist/workflows',
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

  test('start is the program that npm start runs, under its own name', async () => {
    const { stdout, stderr } = await run(process.execPath, [bin, 'start', '--help']);
    expect([stdout.split('\n')[0], stderr]).toEqual(['Usage: interlock start [options]', '']);
  });

  test('ends with the exit code, one line and nothing on the standard output', async () => {
    const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: '/nowhere' };
    const failed: unknown = await run(process.execPath, [bin, 'why', '1', '--data', '/nowhere'], {
      env,
      cwd: '/',
    }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^It is not known which.*\n$/) });
  });

  test('completes commands and options in a shell', async () => {
    const script = `source <(${process.execPath} ${bin} completion bash); complete -p interlock`;
    expect((await run('bash', ['-c', script])).stdout).toContain('interlock');
    const { stdout } = await run(process.execPath, [bin, 'complete', '--', 'status', '--w']);
    expect(stdout).toContain('--watch\t');
  });

  test('tells a Node that is too old which Node is needed', async () => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '14.21.3' } }); require(${JSON.stringify(bin)})`;
    const failed: unknown = await run(process.execPath, ['-e', script]).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/too old.*Install Node 22\.17 or newer.*\n$/),
    });
  });
});
