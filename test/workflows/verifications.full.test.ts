// A production worker is killed while it tests the app in a sandbox.
import { describe, expect, it } from 'vitest';
import { verificationWorkflowId } from '../../workflows/verification/messages.ts';
import { sandboxOf, verificationsOf } from '../previews/verification-world.ts';
import { engineWorld, eventually, keepHistory } from './engine-world.ts';

const startsApp = {
  'app.cjs':
    "require('node:http').createServer((_, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1');\n",
  '.service/scripts/preview-setup.sh': 'node app.cjs &\n',
};

describe('on Temporal', () => {
  it('if a worker is killed while it tests an app, another worker boots the sandbox again and ends the verification', async () => {
    await using e = await engineWorld();
    await using v = verificationsOf(e.w, async (isSo) => await eventually(isSo, 'the run', 90_000));
    await v.image('node', { kind: 'command', source: 'true' });
    await v.verify(sandboxOf());
    const number = await v.open('feature', startsApp);
    const first = await e.start('verification:driving');
    expect(await first.ended).toMatch(/SIGKILL|137/);
    await e.start();
    const passed = await v.comesTo(number, 'passed');
    expect(await v.log(passed)).toContain('The verification starts again: attempt 2.');
    const { accountId } = v.ctx;
    const handle = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId: passed.id }));
    await keepHistory('verifications.sandbox-killed', await handle.fetchHistory());
  });
});
