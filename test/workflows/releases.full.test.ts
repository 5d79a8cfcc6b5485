// A worker of production is stopped while a deployment's command runs: the next worker runs it to its end.
import { describe, expect, it } from 'vitest';
import { stage } from './release-stage.ts';

describe('on Temporal', { timeout: 180_000 }, () => {
  it('a worker is stopped while a command runs: it gives it back, and the next worker runs it to its end', async () => {
    // Twice as long as a worker that is stopped waits for it.
    const command = 'echo "run $RUN_KEY"; sleep 20; echo deployed';
    await using s = await stage({ provider: { kind: 'command', command, timeoutSec: 60 } });
    const { e, r, until } = s;
    await r.candidate('v1-rc1');
    const id = await r.deploy('v1-rc1');
    const first = await e.start();
    await until(async () => (await r.log({ deployment: id })).includes('run '), 'the command runs');
    await first.stop();
    const held = 'select status, supervised_by, supervised_until, calls from deployment';
    expect(await e.w.rows(held)).toEqual([
      { status: 'in_progress', supervised_by: null, supervised_until: null, calls: 0 },
    ]);
    await e.start();
    await r.become('v1-rc1 success');
    const log = await r.log({ deployment: id });
    expect(log).toContain('Its worker cannot go on with it. Another starts it again.');
    expect(log.match(/^deployed$/gm)).toHaveLength(1);
    const runs = log.match(/^run .+$/gm) ?? [];
    expect(runs).toHaveLength(2);
    expect(new Set(runs).size).toBe(1);
  });
});
