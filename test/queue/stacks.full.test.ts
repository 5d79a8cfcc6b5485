// Stacks under other rules: separate commits, a bisection, serial mode, and a configuration without stacks.
import { describe, expect, it } from 'vitest';
import { parallel, serial, world } from '../support/world.ts';
import { expectLandedOnce, expectVerified, line, setLabel, statuses } from './stories.ts';
import { stacking, openStack, baseAtHost } from './stacks.ts';

describe('a stack', () => {
  it('lands with a commit for each pull request with use_separate_commits_for_stack, whatever the strategy', async () => {
    const strategy = 'merge_strategy:\n  use_separate_commits_for_stack: true\n  override_labels: {rebase: rebase}\n';
    await using w = await world({ configuration: stacking(`${parallel()}${strategy}`) });
    const [one, two, three] = await openStack(w);
    await setLabel(w, three, 'rebase');
    await w.queue(three);
    await w.settled(one, two, three);
    expect(await line(w)).toEqual([`Land #${one}, #${two} and #${three}`]);
    expect(await line(w, 'main^2')).toEqual([`Add one (#${one})`, `Add two (#${two})`, 'Change three']);
    for (const [commit, text] of [
      ['main^2', 'one\ntwo\nthree'],
      ['main^2~1', 'one\ntwo'],
      ['main^2~2', 'one'],
    ])
      expect(await w.git('show', `${commit}:story.txt`)).toBe(text);
    await expectLandedOnce(w, one, two, three);
    await expectVerified(w, { exact: 1 });
  });

  it('is bisected like any other batch, the lower half first', async () => {
    const ci = "checks:\n  test:\n    run: 'test ! -e bad || test ! -e worse'\n";
    await using w = await world({ configuration: stacking(parallel({ batch: 4 })), ci });
    const other = await w.open('other', { worse: 'worse\n' });
    const [one, two, three] = await openStack(w, { bad: 'bad\n' });
    await w.pause(true);
    await w.queue(other, three);
    await w.pause(false);
    await w.until(async () => (await w.status(two)).status === 'blocked');
    await w.until(async () => (await w.status(three)).status === 'pending');
    expect(await statuses(w, other, one, two, three)).toEqual(['merged', 'merged', 'blocked 107', 'pending']);
    const bisected = (await w.batches()).filter(({ state }) => state === 'bisected').map(({ members }) => members);
    expect(bisected).toEqual([
      [other, one, two, three],
      [two, three],
    ]);
    expect(await line(w)).toEqual([`Land #${other} and #${one}`]);
    await w.until(async () => (await baseAtHost(w, two)) === 'main');
  });

  it('lands one pull request at a time in serial mode, and none of them conflicts when it is brought up to date', async () => {
    await using w = await world({ configuration: stacking(serial()) });
    const [one, two, three] = await openStack(w);
    await w.queue(three);
    await w.settled(one, two, three);
    expect(await line(w)).toEqual([`Add one (#${one})`, `Add two (#${two})`, `Add three (#${three})`]);
    expect(await w.git('show', 'main:story.txt')).toBe('one\ntwo\nthree');
    await expectLandedOnce(w, one, two, three);
  });

  it('is not queued without its lowest pull request, and is blocked if the configuration has no stacks', async () => {
    await using w = await world({ configuration: stacking(parallel()), runsCi: false });
    const [one, two, three] = await openStack(w);
    await w.queue(three);
    await w.host.close(one);
    await w.service.drain();
    expect(await statuses(w, one, two, three)).toEqual(['closed', 'open', 'open']);
    await w.queue(three);
    expect(await statuses(w, two, three)).toEqual(['open', 'blocked 118']);
    await w.host.reopen(one);
    await w.service.drain();
    await w.queue(three);
    expect(await statuses(w, one, two, three)).toEqual(['queued', 'queued', 'queued']);
    await w.configure(parallel());
    await w.until(async () => (await w.status(three)).status === 'blocked');
    expect(await statuses(w, one, two, three)).toEqual(['tagged', 'blocked 118', 'blocked 118']);
  });
});
