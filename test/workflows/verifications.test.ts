// Verifications on the worker of production: what a person reads there.
import { describe, expect, it } from 'vitest';
import { verificationWorkflowId } from '../../workflows/verification/messages.ts';
import { pullRequestNumberAttribute, verificationStatusAttribute } from '../../workflows/shared/search-attributes.ts';
import { endpoint, verificationsOf } from '../previews/verification-world.ts';
import { engineWorld, eventually, keepHistory } from './engine-world.ts';

describe('on Temporal', { timeout: 180_000 }, () => {
  it('a verification waits for its preview, drives it, and says how it stands; a newer head cancels it', async () => {
    await using e = await engineWorld();
    await using v = verificationsOf(e.w, async (isSo) => await eventually(isSo, 'the run', 60_000));
    await e.start();
    await v.verify(endpoint);
    const number = await v.open('feature', { 'feature.txt': 'new\n' });
    const waiting = await v.comesTo(number, 'waiting');
    const { accountId } = v.ctx;
    const handle = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId: waiting.id }));
    await eventually(
      async () => (await handle.describe()).typedSearchAttributes.get(verificationStatusAttribute) === 'waiting',
      'it is found by its status',
      30_000,
    );
    expect((await handle.describe()).typedSearchAttributes.get(pullRequestNumberAttribute)).toBe(number);
    await v.register(number, await v.app((_, response) => response.end()));
    const passed = await v.comesTo(number, 'passed');
    expect(await handle.result()).toEqual({
      status: 'passed',
      summary: `acme/shop#${number} at ${passed.head.slice(0, 10)}: passed`,
    });
    expect(await v.check(passed.head)).toMatchObject({ state: 'success' });
    await keepHistory('verifications.endpoint', await handle.fetchHistory());

    await v.commit('feature', { 'more.txt': 'more\n' });
    const second = await v.comesTo(number, 'waiting', 1);
    await v.commit('feature', { 'again.txt': 'again\n' });
    const other = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId: second.id }));
    expect(await other.result()).toMatchObject({ status: 'canceled' });
    await keepHistory('verifications.canceled', await other.fetchHistory());
  });
});
