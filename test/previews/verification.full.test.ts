// More verifications: late registrations, files that moved, a failing setup, a writer that was held up.
import { afterEach, expect, test } from 'vitest';
import type { VerificationPorts } from '../../src/modules/previews/index.ts';
import { createAnalysis } from '../../src/platform/analysis/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import {
  endpoint,
  feature,
  sandboxOf,
  skillPath,
  verificationWorld,
  type VerificationWorld,
} from './verification-world.ts';

let w: VerificationWorld;
afterEach(async () => await w[Symbol.asyncDispose]());

test('a preview that is registered during the code analysis is driven afterwards', async () => {
  w = await verificationWorld();
  let judge: () => void = () => {};
  const isAllowed = new Promise<void>((resolve) => {
    judge = resolve;
  });
  const { driving } = w.loop.verifications;
  if (driving === null || driving === undefined) throw new Error('No worker drives verifications.');
  const analysis = createAnalysis({ review: null });
  const slow: typeof analysis = {
    ...analysis,
    analyse: async (change) => {
      await isAllowed;
      return await analysis.analyse(change);
    },
  };
  w.loop.verifications.driving = { ...driving, analysis: slow };
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  w.pass(1_801_000);
  await w.comesTo(number, 'driving');
  await w.register(number, await w.app((_, response) => response.writeHead(500).end()));
  judge();
  expect(await w.comesTo(number, 'failed', 2)).toMatchObject({ cause: 'registration', degraded: false });
});

test('code that does not parse fails the verification if no preview was registered', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', { 'bad.json': '{"a": \n' });
  await w.comesTo(number, 'waiting');
  w.pass(1_801_000);
  const failed = await w.comesTo(number, 'failed');
  expect(failed).toMatchObject({ degraded: true, steps: [expect.stringContaining('failed Code analysis: bad.json')] });
});

test('a preview that is registered again while it is driven is driven again', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await w.register(number, await w.app(() => asked()));
  await w.comesTo(number, 'driving');
  await isAsked;
  await w.register(number, await w.app((_, response) => response.end()));
  expect(await w.comesTo(number, 'passed')).toMatchObject({ attempt: 1, steps: ['passed It answers: GET /'] });
});

test('a preview that is registered again before its failed verdict is written is driven again', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  const repaired = await w.app((_, response) => response.end());
  const disarm = onFailpoint('verification:before_conclusion', async () => {
    disarm();
    await w.register(number, repaired);
  });
  await w.register(number, await w.app((_, response) => response.writeHead(500).end()));
  expect(await w.comesTo(number, 'passed')).toMatchObject({ attempt: 1, steps: ['passed It answers: GET /'] });
});

test('a file that is moved into an exempt folder is not exempt', async () => {
  w = await verificationWorld({ files: { 'src/app.txt': 'code\n' } });
  await w.verify(`${endpoint}  exempt_paths:\n    - docs/**\n`);
  const moved = await w.open('moved', { 'src/app.txt': null, 'docs/app.txt': 'code\n' });
  expect(await w.comesTo(moved, 'waiting')).toMatchObject({ attempt: 1 });
});

test('a newer commit of the base branch does not count as a change of the pull request', async () => {
  w = await verificationWorld();
  const from = await w.git('rev-parse', 'main');
  await w.commit('main', { 'src.txt': 'code\n' });
  await w.verify(`${endpoint}  exempt_paths:\n    - docs/**\n`);
  const number = await w.open('docs', { 'docs/a.md': 'words\n' }, { from });
  expect(await w.comesTo(number, 'skipped')).toMatchObject({ summary: 'The pull request changes only exempt paths.' });
});

test('a slow writer does not report an earlier status after the verification has ended', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', { ...feature, [skillPath]: '## Home\n\n- `GET /`\n' });
  const run = await w.comesTo(number, 'waiting');
  await w.rows("update verification set published_check = 'pending' where id = $1", [run.id]);
  const { publish } = await import('../../src/modules/previews/verifying/publish.ts');
  const driving = w.loop.verifications.driving as VerificationPorts;
  let isFirst = true;
  const disarm = onFailpoint('verification:published', async () => {
    if (!isFirst) return;
    isFirst = false;
    await w.register(number, await w.app((_, response) => response.writeHead(500).end()));
    await w.comesTo(number, 'failed');
    await w.until(async () => (await w.runs(number))[0]?.published_check === 'failure');
  });
  try {
    await publish(w.ctx, run.id, driving);
  } finally {
    disarm();
  }
  expect(await w.runs(number)).toMatchObject([{ status: 'failed', published_check: 'failure' }]);
  expect(await w.check(run.head)).toMatchObject({ state: 'failure' });
});

test('a verification whose sandbox fails its setup ends with an error that names the exit code', async () => {
  w = await verificationWorld();
  await w.image('node', { kind: 'command', source: 'true' });
  await w.verify(sandboxOf());
  const number = await w.open('feature', { '.service/scripts/preview-setup.sh': 'exit 3\n' });
  expect((await w.comesTo(number, 'error')).summary).toMatch(/did not boot.*3/);
  expect(await w.rows('select state from preview_sandbox')).toEqual([{ state: 'gone' }]);
});
