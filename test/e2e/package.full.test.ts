// The package in an empty folder, with only the packages that it names.
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { dataDirectory, removeDirectory, startProgram, until } from './interlock.ts';
import { pack } from './package.ts';

const run = promisify(execFile);

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Unpacks the package to node_modules/interlock, with links to its own dependencies. */
async function install(folder: string): Promise<string> {
  const { filename } = await pack(folder);
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  await run('tar', ['-xzf', join(folder, filename), '-C', modules]);
  await run('mv', [join(modules, 'package'), join(modules, 'interlock')]);
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(join(modules, 'interlock', 'package.json'), 'utf8'),
  ) as Manifest;
  // type-graphql has graphql-scalars as its peer, which npm installs too.
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), 'graphql-scalars']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(projectRoot, 'node_modules', name), join(modules, name));
  }
  return join(modules, 'interlock', 'cli', 'bin.cjs');
}

test('interlock start runs from the package, and other commands use the service that it started', async () => {
  const folder = await dataDirectory();
  onTestFinished(async () => await removeDirectory(folder));
  const bin = await install(folder);
  const program = startProgram([bin, 'start', '--port', '0'], folder);
  onTestFinished(() => void program.child.kill('SIGKILL'));
  await until(async () => {
    expect(program.child.exitCode, program.said()).toBeNull();
    return program.said().includes('The demo is over');
  });
  expect(program.said()).toContain('To verify all proofs: interlock verify demo/tea-shop');
  const ask = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [bin, ...args], { cwd: folder })).stdout;
  expect(await ask('status')).toMatch(/^demo\/tea-shop main {2}0 in line/);
  expect(await ask('why', '1', '--repo', 'demo/tea-shop')).toContain('merged');
  expect(await ask('verify', 'demo/tea-shop')).toContain('every proof was derived again from git and the records');
  const models = new Client({ name: 'test', version: '1.0.0' });
  await models.connect(new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp'], cwd: folder }));
  const explained = await models.callTool({
    name: 'explain_pull_request',
    arguments: { repository: 'demo/tea-shop', number: 1 },
  });
  expect(explained.structuredContent).toMatchObject({ number: 1, status: 'merged' });
  await models.close();
  const page = (await ask('open', '--sign-in')).trim();
  expect((await fetch(page)).status).toBe(200);
  program.child.kill('SIGINT');
  expect((await program.ended).code).toBe(0);
});
