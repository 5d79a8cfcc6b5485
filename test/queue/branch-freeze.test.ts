import { describe, expect, it } from 'vitest';
import { openPullRequest } from '../../src/modules/queue/index.ts';
import { freezeBranches, scheduleBranchFreeze, unfreezeBranches } from '../../src/modules/repositories/index.ts';
import { logExplanations, expectSameLater, find } from '../support/explanation-log.ts';
import { parallel, world, type World } from '../support/world.ts';
import { judgedByBuildsAlone, line, meanwhile, statuses, turnsAt } from './stories.ts';

async function freeze(w: World, baseBranches: string, more: { reason?: string; endsAt?: Date } = {}): Promise<void> {
  await freezeBranches(w.ctx, { repository: w.repository, baseBranches, ...more });
}

async function unfreeze(w: World, baseBranches: string): Promise<number> {
  return await unfreezeBranches(w.ctx, { repository: w.repository, baseBranches });
}

const greenBuilds = async (w: World): Promise<number> =>
  (await w.rows('select 1 from batch b join build u on u.commit = b.tested_commit and u.finished_at is not null'))
    .length;

async function freezeEvents(w: World): Promise<string[]> {
  return (await w.events()).map(([action]) => action).filter((action) => /freeze|frozen/.test(action));
}

describe('a frozen base branch', () => {
  it('builds but lands nothing, explains why and until when, and lands after the freeze has ended', async () => {
    await using w = await world({
      configuration: `base_branches: [main, release/1]\n${parallel({ builds: 2 })}${judgedByBuildsAlone}`,
    });
    await using chronicled = logExplanations(w);
    await w.commit('release/1', { 'release.txt': '1\n' });
    const onMain = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('b', { 'b.txt': 'b\n' }, { from: 'origin/release/1' });
    await openPullRequest(w.ctx, {
      repository: w.repository,
      title: 'Add b',
      headBranch: 'b',
      baseBranch: 'release/1',
    });
    const onRelease = onMain + 1;
    const endsAt = new Date(Date.now() + 3_600_000);
    await freeze(w, 'release/*', { reason: 'the release is being signed', endsAt });
    await w.commit('release/1', { 'release.txt': '2\n' });
    await w.queue(onMain, onRelease);
    await w.settled(onMain);
    await w.until(async () => (await greenBuilds(w)) > 0);
    await w.until(async () => (await chronicled.write())[1]?.kind === 'frozen');
    expect(await statuses(w, onMain, onRelease)).toEqual(['merged', 'tagged']);
    const said = chronicled.pages.at(-1)?.answers[1];
    const until = `${endsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    expect(said?.sentence).toBe(
      `Its build is green; its base branch is frozen until ${until}, by ${w.ctx.actor.email ?? 'interlock'}: the release is being signed.`,
    );
    expect(said?.who).toBe('queue');
    expect(find(said, 'landing', 'not_frozen')).toMatchObject({
      holds: false,
      nextCheckAt: endsAt.getTime(),
      cause: { action: 'freeze_created' },
    });
    expect(find(said, 'landing', 'merge_window')).toMatchObject({ holds: true });
    await w.until(async () => (await w.comments(onRelease)).some(({ key }) => key.startsWith('reply:frozen:')));
    expect(
      (await w.comments(onRelease)).filter(({ key }) => key.startsWith('reply:frozen:')).map(({ body }) => body),
    ).toEqual([
      `Nothing is merged into \`release/1\` for now: it is frozen until ${until}: the release is being signed`,
    ]);

    expect(await unfreeze(w, 'release/1')).toBe(0);
    expect(await unfreeze(w, 'release/*')).toBe(1);
    await w.settled(onRelease);
    expect(await w.git('show', 'release/1:b.txt')).toBe('b');
    expect(await freezeEvents(w)).toEqual([
      'freeze_created',
      'base_branch_frozen',
      'freeze_ended',
      'base_branch_unfrozen',
    ]);
    await chronicled.write();
    await expectSameLater(w, chronicled);
  });

  it('starts no landing after the freeze was answered, and a landing that had started lands', async () => {
    await using w = await world({ configuration: parallel({ builds: 2 }) });
    const [first, second] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    const frozen = async (): Promise<void> => await freeze(w, 'ma*');
    const ended = async (): Promise<{ reason: string }[]> =>
      await w.rows("select outcome ->> 'reason' as reason from intent where kind = 'land' and state = 'void'");
    await w.queue(first);
    await meanwhile('landing:before_gate', frozen, () => w.until(async () => (await ended()).length > 0));
    expect(await ended()).toEqual([{ reason: 'frozen' }]);
    expect(await line(w)).toEqual([]);
    await unfreeze(w, 'ma*');
    await w.queue(second);
    await meanwhile('landing:after_gate', frozen, () => w.settled(first));
    await w.until(
      async () =>
        (await w.rows("select 1 from intent where kind = 'land' and state in ('planned', 'started')")).length === 0,
    );
    expect(await statuses(w, first, second)).toEqual(['merged', expect.stringMatching(/^(queued|tagged)$/)]);
    await unfreeze(w, 'ma*');
    await w.settled(second);
    expect(await line(w)).toHaveLength(2);
  });

  it('gets a turn when its freeze schedule ends', async () => {
    await using w = await world({ configuration: parallel({ builds: 2 }) });
    const endsAt = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000);
    const hour = endsAt.getUTCHours();
    await scheduleBranchFreeze(w.ctx, {
      repository: w.repository,
      baseBranches: 'main',
      reason: 'nights',
      schedule: { cronStart: `30 ${hour} * * *`, cronEnd: `0 ${hour} * * *`, timezone: 'UTC' },
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(number);
    await w.until(async () => (await greenBuilds(w)) === 1);
    await turnsAt(w, new Date(endsAt.getTime() - 1000));
    expect(await line(w)).toEqual(['Change main']);
    expect(await w.rows('select next_look_at from queue')).toEqual([{ next_look_at: endsAt }]);
    expect(await unfreeze(w, 'main')).toBe(0);
    await turnsAt(w, endsAt);
    await turnsAt(w, endsAt);
    expect(await line(w)).toEqual(['Change main', 'Add a (#1)']);
  });

  it('that schedules freeze for ever lets a turn search only once, so the turn looks again after the freezes it knows', async () => {
    await using w = await world({ configuration: parallel({ builds: 2 }) });
    for (const [cronStart, cronEnd] of [
      ['0 0 * * *', '0 12 * * *'],
      ['0 12 * * *', '0 0 * * *'],
    ] as const)
      await scheduleBranchFreeze(w.ctx, {
        repository: w.repository,
        baseBranches: 'main',
        schedule: { cronStart, cronEnd, timezone: 'UTC' },
      });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.commit('main', { 'other.txt': 'o\n' });
    await w.queue(number);
    await w.until(async () => (await greenBuilds(w)) === 1);
    const halfDay = 12 * 3_600_000;
    const now = new Date(Math.floor(Date.now() / halfDay) * halfDay + halfDay + 3_600_000);
    await turnsAt(w, now);
    expect(await line(w)).toEqual(['Change main']);
    const lookAgainAt = new Date(now.getTime() - 3_600_000 + 50 * halfDay);
    expect(await w.rows('select next_look_at from queue')).toEqual([{ next_look_at: lookAgainAt }]);
    await turnsAt(w, lookAgainAt);
    expect(await line(w)).toEqual(['Change main']);
  });
});
