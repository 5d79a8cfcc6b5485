// Verifications on the worker of production: what a person reads there, and what becomes of them when workers are killed.
import { describe, expect, it } from 'vitest';
import { verificationWorkflowId } from '../../workflows/verification/messages.ts';
import { pullRequestNumberAttribute, verificationStatusAttribute } from '../../workflows/shared/search-attributes.ts';
import { endpoint, sandboxOf, verificationsOf } from '../previews/verification-world.ts';
import { engineWorld, eventually, keepHistory } from './engine-world.ts';

const startsApp = {
  'app.cjs':
    "require('node:http').createServer((_, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1');\n",
  '.service/scripts/preview-setup.sh': 'node app.cjs &\n',
};

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

  it('a worker is killed while it drives a sandbox: another boots it again and judges', async () => {
    await using e = await engineWorld();
    await using v = verificationsOf(e.w, async (isSo) => await eventually(isSo, 'the run', 90_000));
    await v.image('node', { kind: 'command', source: 'true' });
    await v.verify(sandboxOf());
    const number = await v.open('feature', startsApp);
    const first = await e.start('verification:driving');
    expect(await first.ended).toMatch(/SIGKILL|137/);
    await e.start();
    const passed = await v.comesTo(number, 'passed');
    expect(await v.log(passed)).toContain('It is begun again, for the 2. time.');
    const { accountId } = v.ctx;
    const handle = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId: passed.id }));
    await keepHistory('verifications.sandbox-killed', await handle.fetchHistory());
  });
});
