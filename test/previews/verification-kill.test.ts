// Kills the process that verifies with -9 at its steps. Each time the verification has the same end, every status is
// reported once, and nothing of a preview is left.
import { describe, expect, it } from 'vitest';
import { among } from '../support/tier.ts';
import { expectNothingLeft, openFeature, stage, reportedStatuses } from './verification-kill.ts';

describe('a verification whose worker is killed', { timeout: 600_000 }, () => {
  it('before it reports its begin, and before and after it boots, is booted again and driven once', async () => {
    await using s = await stage();
    const number = await openFeature(s);
    const places = among(
      ['verification:published', 'verification:before_boot', 'verification:after_boot'],
      ['verification:before_boot', 'verification:after_boot'],
    );
    for (const place of places) await s.killAt(place);
    await s.start();
    const passed = await s.v.comesTo(number, 'passed');
    expect(passed).toMatchObject({ attempt: 1, steps: ['passed Home: `GET /`'] });
    expect(await s.v.log(passed)).toContain('The verification starts again: attempt 3.');
    // A sandbox of a lost worker has another name, so that it is found on any machine.
    expect(await s.v.rows('select name from preview_sandbox')).toEqual([
      { name: expect.stringMatching(/^interlock-preview-\d+-\d+-3$/) },
    ]);
    expect(await reportedStatuses(s)).toEqual(['pending', 'booting', 'driving', 'tearing_down', 'passed']);
    await expectNothingLeft(s);
  });
});
