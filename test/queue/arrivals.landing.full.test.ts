// More changes that arrive after a landing has started, or right after the host has carried it out.
import { describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, line, meanwhile, resetCodes, skipLine, statuses } from './stories.ts';
import { landingDone, landingStarted, twoInLine } from './arrivals.landing.ts';

describe.each([landingStarted, landingDone])('at %s', (moment) => {
  it('a pause lets the started landing finish, and holds all later landings', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      moment,
      () => w.pause(true),
      () => w.settled(a),
    );
    await w.until(async () => (await w.rows('select 1 from build where finished_at is null')).length === 0);
    await w.loop.run(w.service.ports);
    expect(await statuses(w, a, b)).toEqual(['merged', 'tagged']);
    expect(await line(w)).toEqual(['Add a (#1)']);
    await w.pause(false);
    await w.settled(b);
    await expectLandedOnce(w, a, b);
  });

  it('a changed build key does not change the started landing, and resets the next batch with 307', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const configure = () => w.configure(`${parallel({ builds: 2, batch: 1 })}merge_strategy:\n  name: merge\n`);
    await meanwhile(moment, configure, () => w.settled(a, b));
    await expectLandedOnce(w, a, b);
    expect(await resetCodes(w)).toEqual([307]);
    const subjectAndParents = await w.git('log', '-2', '--first-parent', '--reverse', '--format=%s: %P', 'main');
    expect(subjectAndParents).toMatch(/^Add a \(#1\): \w+\nAdd b \(#2\): \w+ \w+$/);
  });

  it('a changed gate key does not change the started landing, and judges the next pull request', async () => {
    const gate = (check: string) =>
      `${parallel({ builds: 2, batch: 1, more: `override_required_checks: [${check}]\n` })}preconditions:\n  use_github_mergeability: false\n`;
    await using w = await world({
      configuration: gate('test'),
      ci: "checks:\n  test: {run: 'true'}\n  lint: {run: 'false'}\n",
    });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await meanwhile(
      moment,
      () => w.configure(gate('lint')),
      () => w.settled(a, b),
    );
    expect(await statuses(w, a, b)).toEqual(['merged', 'blocked 107']);
    await expectLandedOnce(w, a);
  });

  it('a pull request that skips the line lands next, and the batch behind the landing is reset with 302', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const c = await w.open('c', { 'c.txt': 'c\n' });
    await meanwhile(
      moment,
      () => skipLine(w, c),
      () => w.settled(a, b, c),
    );
    await expectLandedOnce(w, a, b, c);
    expect(await line(w)).toEqual(['Add a (#1)', 'Add c (#3)', 'Add b (#2)']);
    expect(await resetCodes(w)).toEqual([302]);
  });
});

describe('a push to the base', () => {
  const push = async (w: World) => void (await w.commit('main', { 'outside.txt': 'o\n' }, { message: 'Outside' }));

  it('after the host has moved the base, the push is on top of the landing, and the landing is recorded', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      landingDone,
      () => push(w),
      () => w.settled(a, b),
    );
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add a (#1)', 'Outside', 'Add b (#2)']);
    expect(await w.rows("select 1 from event where action = 'base_moved'")).toHaveLength(1);
  });

  it('if the push is taken back before it is read, the same landing is tried again', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const tip = await w.git('rev-parse', 'main');
    const takeBack = async () => void (await w.git('update-ref', 'refs/heads/main', tip));
    await meanwhile(
      landingStarted,
      () => push(w),
      () => meanwhile(landingDone, takeBack, () => w.settled(a, b)),
    );
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add a (#1)', 'Add b (#2)']);
  });
});

describe('before the gate', () => {
  it('an answered pause is in force: the landing is void, and is planned again when the pause ends', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const isVoid = async () => (await w.rows("select 1 from intent where kind = 'land' and state = 'void'")).length > 0;
    await meanwhile(
      'landing:before_gate',
      () => w.pause(true),
      () => w.until(isVoid),
    );
    expect(await w.landed()).toEqual([]);
    await w.pause(false);
    await w.settled(a, b);
    await expectLandedOnce(w, a, b);
    expect(await resetCodes(w)).toEqual([]);
  });

  it('a push to the head comes first: the pull request is blocked, and does not land untested', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      'landing:before_gate',
      async () => void (await w.commit('a', { 'late.txt': 'l\n' })),
      () => w.settled(a, b),
    );
    expect(await statuses(w, a, b)).toEqual(['blocked 116', 'merged']);
    await expectLandedOnce(w, b);
  });
});
