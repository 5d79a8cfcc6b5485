// Kills the process that verifies with -9 at more of its steps. Each time the verification has the same end, every
// status is reported once, and nothing of a preview is left.
import { describe, expect, it } from 'vitest';
import { expectNothingLeft, openFeature, stage, reportedStatuses } from './verification-kill.ts';
import { endpoint } from './verification-world.ts';

describe('a verification whose process is killed', { timeout: 600_000 }, () => {
  it('while it drives and before it tears down keeps its verdict', async () => {
    await using s = await stage();
    const number = await openFeature(s);
    await s.killAt('verification:driving');
    await s.killAt('verification:before_teardown');
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    expect(passed.steps).toEqual(['passed Home: `GET /`']);
    expect(await reportedStatuses(s)).toEqual([
      'pending',
      'booting',
      'driving',
      'booting',
      'driving',
      'tearing_down',
      'passed',
    ]);
    await expectNothingLeft(s);
  });

  it('while it drives and before it boots again keeps its URL, which reaches no app until the sandbox is ready', async () => {
    await using s = await stage();
    const number = await openFeature(s);
    const address = async (): Promise<object | undefined> =>
      (
        await s.v.rows<object>(
          'select slug, ready_at is not null as came_up, gone_at is not null as ended from preview_sandbox',
        )
      )[0];
    await s.killAt('verification:driving');
    const first = await address();
    expect(first).toMatchObject({ came_up: true, ended: false });
    await s.killAt('verification:before_boot');
    expect(await address()).toEqual({ ...first, ended: true });
    await s.start();
    await s.v.comesTo(number, 'passed');
    expect(await address()).toEqual({ ...first, ended: true });
    await expectNothingLeft(s);
  });

  it('three times in a row ends with an error, which the check shows', async () => {
    await using s = await stage();
    const number = await openFeature(s);
    for (let time = 1; time <= 3; time += 1) await s.killAt('verification:before_boot');
    await s.start();
    const given = await s.v.comesTo(number, 'error');
    expect(given.summary).toBe('The verification was started 3 times, and each time its worker was lost.');
    await expect.poll(async () => (await s.v.check(given.head))?.state).toBe('failure');
  });

  it('before and after it reports its end still shows it in its check', async () => {
    await using s = await stage();
    await s.v.verify(endpoint);
    const number = await s.v.open('feature', { 'feature.txt': 'new\n' });
    await s.v.register(number, await s.v.app((_, response) => response.end()));
    for (const place of ['verification:before_conclusion', 'verification:advanced_passed', 'verification:published'])
      await s.killAt(place);
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    await expect.poll(async () => (await s.v.check(passed.head))?.state).toBe('success');
    await expect
      .poll(async () => await s.v.rows("select attempt, conclusion from check_result where name = 'interlock/verify'"))
      .toEqual([{ attempt: 1, conclusion: 'success' }]);
    expect(await reportedStatuses(s)).toEqual(['pending', 'waiting', 'driving', 'passed']);
  });
});
