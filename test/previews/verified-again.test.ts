// When a head that has a verification gets another one.
import { afterEach, describe, expect, test } from 'vitest';
import { registerPreview } from '../../src/modules/previews/registrations/registrations.service.ts';
import { cancelVerification } from '../../src/modules/previews/verifications/verifications.service.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { reconcileAll } from '../../src/reconciler.ts';
import { parallel } from '../support/world.ts';
import { endpoint, feature, verificationWorld, type VerificationWorld } from './verification-world.ts';

let w: VerificationWorld;
afterEach(async () => await w[Symbol.asyncDispose]());

describe('a pull request that changes only exempt paths', () => {
  const docs = { 'docs/a.md': 'words\n' };

  /** The branch `release` lacks a commit of `main` that changes code. */
  async function begin(): Promise<void> {
    w = await verificationWorld();
    await w.verify(`${endpoint}  exempt_paths:\n    - docs/**\n`, `${parallel()}base_branches: [main, release]\n`);
    await w.commit('release', { 'old.txt': 'old\n' });
    await w.commit('main', { 'src.txt': 'code\n' });
  }

  test('is verified if it gets a base branch against which it changes other paths', async () => {
    await begin();
    const number = await w.open('docs', docs);
    const skipped = await w.comesTo(number, 'skipped');
    await w.host.retarget(number, 'release');
    expect(await w.comesTo(number, 'waiting', 2)).toMatchObject({ head: skipped.head });
    await w.until(async () => (await w.check(skipped.head))?.state === 'pending');
  });

  test('is verified if another pull request with its head changes other paths', async () => {
    await begin();
    const number = await w.open('docs', docs);
    await w.comesTo(number, 'skipped');
    const other = await w.host.open({ title: 'Docs of the release', headBranch: 'docs', baseBranch: 'release' });
    expect(await w.comesTo(other, 'waiting')).toMatchObject({ attempt: 2 });
  });

  test('is verified if another pull request with its head was opened before the paths were compared', async () => {
    await begin();
    const number = await w.open('docs', docs);
    await w.host.open({ title: 'Docs of the release', headBranch: 'docs', baseBranch: 'release' });
    expect(await w.comesTo(number, 'waiting')).toMatchObject({ attempt: 1 });
  });

  test('is verified if its base branch changes while the paths are compared', async () => {
    await begin();
    const number = await w.open('docs', docs);
    const disarm = onFailpoint('verification:chosen', async () => {
      disarm();
      await w.host.retarget(number, 'release');
      await w.service.drain();
    });
    expect(await w.comesTo(number, 'waiting')).toMatchObject({ attempt: 1 });
  });

  test('is still not verified if it changes only exempt paths against its new base branch', async () => {
    await begin();
    await w.git('update-ref', 'refs/heads/release', await w.git('rev-parse', 'refs/heads/main'));
    const number = await w.open('docs', docs);
    await w.comesTo(number, 'skipped');
    await w.host.retarget(number, 'release');
    const { head } = await w.comesTo(number, 'skipped', 2);
    await w.until(async () => (await w.check(head))?.state === 'success');
    expect((await w.runs(number)).map(({ status }) => status)).toEqual(['skipped', 'skipped']);
  });
});

test('a verification that a user canceled is not started again by a comparison with the host, unlike one that was canceled because of a lost hint', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  const { id } = await w.comesTo(number, 'waiting');
  await cancelVerification(w.ctx, id);
  await w.comesTo(number, 'canceled', 1);
  await reconcileAll(w.service.ports);
  expect(await w.runs(number)).toHaveLength(1);
  await w.rows('update verification set cancel_requested_at = null');
  await reconcileAll(w.service.ports);
  expect(await w.comesTo(number, 'waiting')).toMatchObject({ attempt: 2 });
});

test('a head that was verified without its preview is verified again if CI registered the preview while another head was current', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  const first = await w.comesTo(number, 'waiting');
  w.pass(1_801_000);
  await w.comesTo(number, 'passed');
  await w.commit('feature', { 'more.txt': 'more\n' });
  await w.comesTo(number, 'waiting', 1);
  const previewUrl = await w.app((_, response) => response.writeHead(500).end());
  const registration = { repository: w.repository, commitSha: first.head, previewUrl, prNumber: number };
  expect(await registerPreview(w.ctx, w.secrets, registration)).toMatchObject({ pullRequestId: null });
  await w.git('update-ref', 'refs/heads/feature', first.head);
  await reconcileAll(w.service.ports);
  expect(await w.comesTo(number, 'failed', 2)).toMatchObject({ head: first.head, degraded: false });
});
