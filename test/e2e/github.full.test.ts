// Follows docs/github.md and the README of the emulator. The emulator runs as a program, the link of Interlock's start
// connects Interlock to it, and a person uses only Octokit and git.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Octokit } from '@octokit/rest';
import { expect, onTestFinished, test } from 'vitest';
import type { EmulatorAccess } from '../../github-emulator/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { readPage } from '../docs/pages.ts';
import { dataDirectory, removeDirectory, runProgram, startInterlock, startProgram, until } from './interlock.ts';

const run = promisify(execFile);

async function startEmulator(data: string): Promise<EmulatorAccess> {
  const program = join(projectRoot, 'dist', 'github-emulator', 'main.js');
  const started = startProgram([program, '--port', '0', '--data', data], projectRoot);
  onTestFinished(async () => {
    started.child.kill('SIGTERM');
    await started.ended;
  });
  const line = await until(async () => await Promise.resolve(/^\{.*\}$/m.exec(started.said())?.[0] ?? null));
  return JSON.parse(line) as EmulatorAccess;
}

interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

function formOf(page: string): Form {
  const plain = (text: string): string =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const hidden = [...page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: plain(/<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? ''),
    fields: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, plain(value)])),
  };
}

/** Presses the button of a page, as a browser does, follows all redirects, and returns the next page. */
async function press(page: string, origin: string, chosen: Readonly<Record<string, string>> = {}): Promise<string> {
  const { action, fields } = formOf(page);
  const body = new URLSearchParams({ ...fields, ...chosen });
  const response = await fetch(new URL(action, origin), { method: 'POST', body });
  expect(response.status).toBe(200);
  return await response.text();
}

/** Returns the first YAML block under a heading of docs/github.md. */
function blockUnder(heading: string): string {
  const found = readPage('docs/github.md').blocks.find(
    ({ language, under }) => language === 'yaml' && under.at(-1) === heading,
  );
  return found?.text ?? '';
}

test('three pull requests at an emulator that runs alone: two land, and the red one is blocked with a comment', async () => {
  const folder = await dataDirectory();
  onTestFinished(async () => await removeDirectory(folder));
  const emulator = await startEmulator(join(folder, 'github'));
  const dataDir = join(folder, 'data');
  const interlock = await startInterlock(dataDir, ['--no-demo', '--github', emulator.webUrl], {
    GITHUB_ORGANIZATION: 'acme',
  });
  onTestFinished(async () => {
    interlock.child.kill('SIGINT');
    await interlock.ended;
  });

  const link = /http\S+\/github\/setup\/\S+/.exec(interlock.said())?.[0] ?? '';
  const asked = await press(await (await fetch(link)).text(), emulator.webUrl);
  const made = await press(asked, emulator.webUrl, { as: emulator.login });
  const installed = await press(made, emulator.webUrl, { account: 'acme', as: emulator.login });
  expect(installed).toContain('GitHub is connected');

  const person = new Octokit({ baseUrl: emulator.apiUrl, auth: emulator.token });
  const place = { owner: 'acme', repo: 'shop' };
  await person.repos.createInOrg({ org: 'acme', name: 'shop', auto_init: true });
  const write = async (branch: string, path: string, text: string): Promise<void> => {
    const content = Buffer.from(text).toString('base64');
    await person.repos.createOrUpdateFileContents({ ...place, branch, path, content, message: `Add ${path}` });
  };
  await write('main', '.github/workflows/test.yml', blockUnder('CI on bot branches'));
  await write('main', '.service/config.yml', blockUnder('Set-up in two clicks'));
  await write('main', 'scripts/test.sh', 'test ! -e broken\n');
  const activate =
    'mutation { setRepositoryActive(input: { repository: { owner: "acme", name: "shop" }, active: true }) { repository { active } } }';
  await until(async () => await interlock.client.graphql(activate, {}).catch(() => null));

  const { data: main } = await person.git.getRef({ ...place, ref: 'heads/main' });
  for (const [branch, file] of [
    ['greeting', 'greeting.txt'],
    ['fault', 'broken'],
    ['farewell', 'farewell.txt'],
  ] as const) {
    await person.git.createRef({ ...place, ref: `refs/heads/${branch}`, sha: main.object.sha });
    await write(branch, file, `${branch}\n`);
    await person.pulls.create({ ...place, title: `Add ${branch}`, head: branch, base: 'main' });
  }
  for (const issue_number of [1, 2, 3])
    await person.issues.addLabels({ ...place, issue_number, labels: ['mergequeue'] });

  // A person who reads more often than once a second may exceed the secondary rate limit.
  const askEveryMs = 1_000;
  const said = async (issue_number: number): Promise<string> =>
    (await person.issues.listComments({ ...place, issue_number })).data.map(({ body }) => body).join('\n');
  await until(async () => (await said(1)).includes('Landed as') && (await said(3)).includes('Landed as'), {
    everyMs: askEveryMs,
  });
  await until(async () => (await said(2)).includes('**Blocked (107)**'), { everyMs: askEveryMs });
  expect(await said(2)).toContain('A required check failed: test.');
  const states = async () => (await person.pulls.list({ ...place, state: 'open' })).data.map(({ number }) => number);
  await until(async () => (await states()).length === 1, { everyMs: askEveryMs });
  expect(await states()).toEqual([2]);

  const header = `Authorization: Basic ${Buffer.from(`x:${emulator.token}`).toString('base64')}`;
  const clone = join(folder, 'clone');
  await run('git', ['-c', `http.extraHeader=${header}`, 'clone', '-q', `${emulator.url}/acme/shop.git`, clone]);
  const { stdout } = await run('git', ['log', '--format=%s'], { cwd: clone });
  const landed = stdout.split('\n').filter((subject) => /^Add .* \(#\d+\)$/.test(subject));
  expect(landed.toSorted()).toEqual(['Add farewell (#3)', 'Add greeting (#1)']);

  // The mirror is cloned again, so that the proofs are derived from what the emulator has.
  await rm(join(dataDir, 'mirrors'), { recursive: true });
  const verified = await runProgram('verify', ['acme/shop', '--data', dataDir]).ended;
  expect(verified.said).toContain('2 pull requests');
  expect(verified.said).toContain('every proof was derived again from git and the records');
  expect(verified.code).toBe(0);
  const examined = await runProgram('doctor', ['acme/shop', '--data', dataDir]).ended;
  expect(examined.said).toContain('Every required check runs on bot branches: test.');
  expect(examined.said).toMatch(/ 0 to look at, 0 missing\.$/m);
  expect(examined.code).toBe(0);
});
