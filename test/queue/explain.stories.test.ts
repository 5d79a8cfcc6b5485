// Explanations on the way of a pull request into its base branch, as users read them.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logExplanations, expectSameLater, find } from '../support/explanation-log.ts';
import { parallel, world } from '../support/world.ts';
import { judgedByBuildsAlone, startCi, statuses } from './stories.ts';
import { open, areTagged } from './explain.stories.ts';
import { among } from '../support/tier.ts';

/** CI whose check waits on commits that have the file `slow`, until `release` is called. Then `run` is its command. */
async function slowChecks(run: string, slow: string) {
  const flags = await mkdtemp(join(tmpdir(), 'interlock-flags-'));
  await chmod(flags, 0o777);
  const flag = join(flags, 'released');
  const waiting = `test ! -e ${slow} || while ! test -e ${flag}; do sleep 0.1; done`;
  return {
    waiting,
    ci: `checks:\n  test:\n    run: '${waiting}; ${run}'\n`,
    release: async () => await writeFile(flag, ''),
    [Symbol.asyncDispose]: async () => await rm(flags, { recursive: true }),
  };
}

const bisections: readonly (readonly [string, string, RegExp])[] = [
  ['in place', '', /^It waits for a build; one pull request is before it\.$/],
  [
    'beside the line',
    'use_parallel_bisection: true\n',
    /^Its batch failed, and it waits to be built apart from the others\.$/,
  ],
];

describe('an explanation', () => {
  it('of a red build says that a later build may pass it, and later that it was passed; nothing is built behind it meanwhile', async () => {
    await using checks = await slowChecks('test ! -e broken || test -e repair', 'repair');
    await using w = await world({
      configuration: `${parallel({ builds: 2 })}${judgedByBuildsAlone}`,
      ci: checks.ci,
      runsCi: false,
    });
    await using story = logExplanations(w);
    const [broken = 0, repair = 0, later = 0] = await open(w, 'broken', 'repair', 'later');
    await w.queue(broken, repair, later);
    await w.until(async () => await areTagged(w, broken, repair));
    expect((await story.write())[2]?.sentence).toBe(
      'It waits until fewer than 2 builds run; 2 pull requests are before it.',
    );
    {
      await using _ = await startCi(w);
      await w.until(async () => (await story.write())[0]?.kind === 'build_failed');
      const mayPass = story.when(broken, 'Its build failed; a later build that still runs may pass it.');
      expect(mayPass.who).toBe('queue');
      expect(find(mayPass, 'build')).toMatchObject({
        holds: false,
        observed: 'red',
        needed: 'green',
        who: 'queue',
        cause: { action: 'added_to_batch' },
        conditions: [{ name: 'test', observed: 'failure', sentence: 'The check test ended: failure.' }],
      });
      const behind = story.when(repair, 'Its build is running.');
      expect(find(behind, 'place')).toMatchObject({
        observed: `1 before it: #${broken}`,
        sentence: 'One pull request is before it.',
      });
      story.when(later, `It waits until the queue has decided about the failed build of #${broken} before it.`);
      await checks.release();
      await w.settled(broken, repair, later);
    }
    await story.write();
    const passed = story.when(broken, /^Its build together with #2 is being made/);
    expect(passed.sentence).toBe(
      `Its build together with #${repair} is being made: later pull requests were green together with a failed one.`,
    );
    const next = story.when(repair, `Its build together with #${broken} is green; it is merged next.`);
    expect(find(next, 'place')).toMatchObject({ holds: true, observed: 'first in line' });
    expect(story.sentences(later).at(-1)).toBe('It is merged.');
    await expectSameLater(w, story);
  });

  it.each(among(bisections, bisections.slice(0, 1)))(
    'of a bisection %s says which part is built, and in the end which check failed',
    async (_name, more, waits) => {
      await using w = await world({
        configuration: `${parallel({ builds: 4, batch: 2, more: `${more}use_optimistic_validation: false\n` })}${judgedByBuildsAlone}`,
        runsCi: false,
      });
      await using story = logExplanations(w);
      const [one = 0, bad = 0] = await open(w, 'one', 'bad');
      await w.queue(one, bad);
      await w.until(async () => await areTagged(w, one, bad));
      expect((await story.write())[0]?.sentence).toBe(`Its build together with #${bad} is running.`);
      await using _ = await startCi(w);
      await w.settled(one, bad);
      await story.write();
      story.when(one, 'Its build is being made: it is a part of a batch that failed.');
      const apart = story.when(bad, waits);
      expect(find(apart, 'build')).toMatchObject({ holds: false, observed: 'none', who: 'queue' });
      const alone = story.when(bad, 'Its build is being made: it is a part of a batch that failed.');
      expect(find(alone, 'build')).toMatchObject({ observed: 'being made', who: 'ci' });
      const blocked = story.pages.at(-1)?.answers[1];
      expect(blocked).toMatchObject({ kind: 'blocked', who: 'author', sentence: 'A required check failed: test.' });
      expect(blocked?.sentence).toBe((await w.status(bad)).status_text);
      expect(find(blocked, 'asked')).toMatchObject({ observed: 'blocked', cause: { action: 'blocked' } });
      expect(await statuses(w, one)).toEqual(['merged']);
      await expectSameLater(w, story);
    },
  );

  it('of a green build names the own checks that are stuck, and then the final gate', async () => {
    await using checks = await slowChecks('test -e README.md', 'own');
    await using w = await world({
      configuration: `${parallel({ builds: 2, more: 'stuck_pr_timeout_mins: 0\nbypass_stuck_state: true\n' })}final_gates:\n  - {workflow: smoke, timeout_mins: 5}\n`,
      ci: `checks:\n  test:\n    run: 'test -e moved || ${checks.waiting}'\nworkflows:\n  smoke: {run: 'true'}\n`,
    });
    await using story = logExplanations(w);
    const [own = 0] = await open(w, 'own');
    await w.commit('main', { moved: 'moved\n' });
    await w.queue(own);
    await w.until(async () => (await w.events()).some(([action]) => action === 'stuck'));
    const [stuck] = await story.write();
    expect(stuck).toMatchObject({
      kind: 'own_checks',
      who: 'ci',
      sentence: 'Its build is green; it merges as soon as its own required checks have passed.',
    });
    expect(find(stuck, 'landing', 'landing_checks')).toMatchObject({
      observed: 'stuck',
      who: 'ci',
      cause: { action: 'stuck' },
    });
    expect(find(stuck, 'preconditions', 'own_checks', 'check')).toMatchObject({ name: 'test', observed: 'running' });
    await checks.release();
    await w.settled(own);
    await story.write();
    const gate = story.when(own, 'Its build is green; it is merged as soon as the final gate smoke is passed.');
    expect(find(gate, 'landing', 'final_gate')).toMatchObject({ observed: 'smoke is not passed', who: 'ci' });
    await expectSameLater(w, story);
  });
});
