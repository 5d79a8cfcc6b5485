// Which pull requests are reordered, as events, rows and explanations report it: a failed one, and one that is unlikely
// to land.
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { logExplanations, expectSameLater, find, type Answer } from '../support/explanation-log.ts';
import { expectLandedOnce, line, statuses, verified } from './stories.ts';
import { ask, speculativeWorld, builds, filesOf, targetedRules } from './speculation.ts';

const configuration = `${targetedRules}speculation: adaptive\n`;

interface Reordered {
  readonly number: number;
  readonly reason: string;
  readonly failedChecks: readonly string[];
  readonly probability: number | null;
  readonly text: string;
}

async function reordered(w: World): Promise<readonly Reordered[]> {
  const rows = await w.rows<{ payload: Reordered }>("select payload from event where action = 'reordered' order by id");
  return rows.map(({ payload: { number, reason, failedChecks, probability, text } }) => ({
    ...{ number, reason, failedChecks, probability, text },
  }));
}

/** The reorders as the row of the pull request records them. */
async function kept(w: World, number: number): Promise<unknown> {
  const [row] = await w.rows(
    'select reordered_for_failure as "reorderedForFailure", times_passed as "timesPassed" from pull_request where number = $1',
    [number],
  );
  return row;
}

function placeOf(said: readonly Answer[], number: number): string | undefined {
  return find(
    said.find((answer) => answer.number === number),
    'place',
  )?.sentence;
}

/** Gives the repository a history with so many failures that no pull request is likely to land. */
async function carelessly(w: World): Promise<void> {
  const bad = [await ask(w, 'bad', ['c']), await ask(w, 'worse', ['d'], { bad: 'worse\n' })];
  await w.settled(...bad);
  expect(await statuses(w, ...bad)).toEqual(['blocked 107', 'blocked 107']);
}

it('an unlikely pull request goes behind one that is ready without it, its reorder is reported, and it lands there by its build', async () => {
  await using w = await speculativeWorld(configuration);
  await carelessly(w);
  await using story = logExplanations(w);
  const slow = await ask(w, 'slow', ['a'], { waits: 'slow\n' });
  const fast = await ask(w, 'fast', ['a']);
  await w.settled(fast);
  expect(await statuses(w, slow, fast)).toEqual(['tagged', 'merged']);
  const said = await story.write();
  const [event, ...more] = await reordered(w);
  expect(more).toEqual([]);
  expect(event).toMatchObject({ number: slow, reason: 'unlikely', failedChecks: [] });
  expect(event?.probability).toBeLessThan(0.8);
  expect(event?.text).toBe(
    `Pull requests behind it were ready to merge, and it was only ${Math.round((event?.probability ?? 0) * 100)} % likely to merge.`,
  );
  expect(await kept(w, slow)).toEqual({ reorderedForFailure: false, timesPassed: 1 });
  expect(placeOf(said, slow)).toBe(
    'Nothing is before it. Pull requests that were ready passed it once, because its result was uncertain; this happens at most three times.',
  );
  await w.release();
  await w.settled(slow);
  expect(await line(w)).toEqual([`Add fast (#${fast})`, `Add slow (#${slow})`]);
  expect(await kept(w, slow)).toEqual({ reorderedForFailure: false, timesPassed: 0 });
  await expectLandedOnce(w, slow, fast);
  // If its commit is made after the other one has landed, its grade is `exact`, otherwise `same_tree`.
  const { failures, grades } = (await verified(w)) ?? {};
  expect(failures).toEqual([]);
  expect([{ exact: 2 }, { exact: 1, same_tree: 1 }]).toContainEqual(grades);
  await expectSameLater(w, story);
});

it('a failed pull request lets another one pass, which lands, and is blocked when it fails again', async () => {
  await using w = await speculativeWorld(configuration);
  const numbers = [await ask(w, 'bad', ['a']), await ask(w, 'two', ['a'])];
  await w.settled(...numbers);
  expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'merged']);
  expect(await reordered(w)).toEqual([
    {
      number: 1,
      reason: 'failed',
      failedChecks: ['test'],
      probability: null,
      text: 'Its build failed: pull requests behind it may pass it, and it is built once more.',
    },
  ]);
  expect(await kept(w, 1)).toEqual({ reorderedForFailure: false, timesPassed: 0 });
  expect(await filesOf(w, 'main')).toEqual(['two']);
});

/**
 * The check of `slow` alone waits for GATE.slow, and that of `fast` alone for GATE.fast. A commit with both ends at
 * once.
 */
const together = `checks:
  test:
    run: |
      while test -e slow && ! test -e fast && ! test -e GATE.slow; do sleep 0.05; done
      while test -e fast && ! test -e slow && ! test -e GATE.fast; do sleep 0.05; done
      test ! -e bad
`;

it('a pull request is blocked while its first build runs, if it was red with the one that passes it and red again on its commit', async () => {
  const gates = await mkdtemp(join(tmpdir(), 'interlock-gates-'));
  // Checks run as the user nobody, so this folder must be readable.
  await chmod(gates, 0o755);
  await using w = await speculativeWorld(configuration, { ci: together.replaceAll('GATE', join(gates, 'open')) });
  await carelessly(w);
  const slow = await ask(w, 'slow', ['a'], { bad: 'bad\n' });
  const fast = await ask(w, 'fast', ['a']);
  await w.until(async () => {
    const red = await w.rows(
      `select from batch b join check_result c on c.account_id = b.account_id and c.commit = b.tested_commit
       where c.conclusion = 'failure' and exists (select from batch_assumption a where a.batch_id = b.id)`,
    );
    return red.length > 0;
  });
  expect(await statuses(w, slow, fast)).toEqual(['tagged', 'tagged']);
  await writeFile(join(gates, 'open.fast'), '');
  await w.settled(slow, fast);
  expect(await statuses(w, slow, fast)).toEqual(['blocked 107', 'merged']);
  // The last build is on top of the pull request that passed and has landed by then.
  const own = [`${slow}`, `${slow}, ${fast}`, `${fast}`, `${fast}, ${slow}`];
  expect((await builds(w)).filter((build) => build !== '1' && build !== '2').sort()).toEqual(own.sort());
  expect(await reordered(w)).toMatchObject([{ number: slow, reason: 'failed', failedChecks: ['test'] }]);
  expect(await filesOf(w, 'main')).toEqual(['fast']);
  await expectLandedOnce(w, fast);
  expect((await verified(w))?.failures).toEqual([]);
  await writeFile(join(gates, 'open.slow'), '');
});
