// The package, installed by npm in an empty folder.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { dataDirectory, removeDirectory, startProgram, until } from './interlock.ts';
import { pack } from './package.ts';

const run = promisify(execFile);

/**
 * Packs the package, and installs it as a user does, with the newest versions that it and its packages allow. Returns the
 * program that npm linked.
 */
async function install(folder: string): Promise<string> {
  const { filename } = await pack(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags, join(folder, filename)], { cwd: folder, maxBuffer: 1 << 24 });
  return join(folder, 'node_modules', '.bin', 'interlock');
}

test('interlock start runs from the installed package, and other commands use the service that it started', {
  timeout: 900_000,
}, async () => {
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
  expect(await ask('export', 'demo/tea-shop', '--to', 'exported')).toContain('1 repository as of ');
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
