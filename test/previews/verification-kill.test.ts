// The process that verifies is killed with -9 at its steps: the same end, every status told once, and nothing of a preview is
// left.
import { describe, expect, it } from 'vitest';
import { among } from '../support/tier.ts';
import { nothingIsLeft, opened, stage, told } from './verification-kill.ts';
import { endpoint } from './verification-world.ts';

describe('whoever verifies is killed', { timeout: 600_000 }, () => {
  it('before it says that it begins, before and after it boots: it is booted again, and driven once', async () => {
    await using s = await stage();
    const number = await opened(s);
    const places = among(
      ['verification:published', 'verification:before_boot', 'verification:after_boot'],
      ['verification:before_boot', 'verification:after_boot'],
    );
    for (const place of places) await s.killAt(place);
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    expect(passed).toMatchObject({ attempt: 1, steps: ['passed Home: `GET /`'] });
    expect(await s.v.log(passed)).toContain('It is begun again, for the 3. time.');
    expect(await told(s)).toEqual(['pending', 'booting', 'driving', 'tearing_down', 'passed']);
    await nothingIsLeft(s);
  });

  it('before and after it says how it ended: its check says it all the same', async () => {
    await using s = await stage();
    await s.v.verify(endpoint);
    const number = await s.v.open('feature', { 'feature.txt': 'new\n' });
    await s.v.register(number, await s.v.app((_, response) => response.end()));
    const places = ['verification:before_conclusion', 'verification:advanced_passed', 'verification:published'];
    for (const place of among(places, ['verification:advanced_passed'])) await s.killAt(place);
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    await expect.poll(async () => (await s.v.check(passed.head))?.state).toBe('success');
    await expect
      .poll(async () => await s.v.rows("select attempt, conclusion from check_result where name = 'interlock/verify'"))
      .toEqual([{ attempt: 1, conclusion: 'success' }]);
    expect(await told(s)).toEqual(['pending', 'waiting', 'driving', 'passed']);
  });
});
