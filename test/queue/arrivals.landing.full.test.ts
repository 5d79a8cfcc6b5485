// More of what arrives while a landing is started, or right after the host did it.
import { describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, line, meanwhile, resetCodes, skipLine, statuses } from './stories.ts';
import { started, done, twoInLine } from './arrivals.landing.ts';

describe.each([started, done])('at %s', (moment) => {
  it('a pause lets this one land and nothing after it', async () => {
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

  it('a build key was read inside the gate: this one lands as it was built, the next is reset with 307', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const configure = () => w.configure(`${parallel({ builds: 2, batch: 1 })}merge_strategy:\n  name: merge\n`);
    await meanwhile(moment, configure, () => w.settled(a, b));
    await expectLandedOnce(w, a, b);
    expect(await resetCodes(w)).toEqual([307]);
    const subjectAndParents = await w.git('log', '-2', '--first-parent', '--reverse', '--format=%s: %P', 'main');
    expect(subjectAndParents).toMatch(/^Add a \(#1\): \w+\nAdd b \(#2\): \w+ \w+$/);
  });

  it('a gate key was read inside the gate: this one lands, the next is judged by the new one', async () => {
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

  it('a pull request that skips the line goes next, and what was built behind the landing is reset with 302', async () => {
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

  it('after the host moved the base stands on top of the landing, which is recorded', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    await meanwhile(
      done,
      () => push(w),
      () => w.settled(a, b),
    );
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add a (#1)', 'Outside', 'Add b (#2)']);
    expect(await w.rows("select 1 from event where action = 'base_moved'")).toHaveLength(1);
  });

  it('that is taken back before it was read lets the same landing be tried again', async () => {
    const { w, a, b } = await twoInLine();
    await using _ = w;
    const tip = await w.git('rev-parse', 'main');
    const takeBack = async () => void (await w.git('update-ref', 'refs/heads/main', tip));
    await meanwhile(
      started,
      () => push(w),
      () => meanwhile(done, takeBack, () => w.settled(a, b)),
    );
    await expectLandedOnce(w, a, b);
    expect(await line(w)).toEqual(['Add a (#1)', 'Add b (#2)']);
  });
});

describe('before the gate', () => {
  it('a pause that was answered is in force: the landing is void, and planned again when it ends', async () => {
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

  it('a push to the head wins: what was not tested does not land', async () => {
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
