// Final gates are workflows that run after a green build, on the commit that lands, in their order, once. A gate
// without a result counts as failed.
import { describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { dyingAt, expectLandedOnce, expectVerified, setLabel, statuses, turnsAt } from './stories.ts';

const gates = (...named: string[]): string => `final_gates:\n${named.map((gate) => `  - {${gate}}\n`).join('')}`;
const ci = `checks:
  test: {run: 'true'}
workflows:
  smoke: {run: 'test ! -e explodes'}
  canary: {run: 'test "$INTERLOCK_CHECK" = canary'}
  slow: {run: 'sleep 600'}
`;

interface Run {
  readonly workflow: string;
  readonly state: string;
  readonly commit: string;
  readonly reason: string | null;
}

async function runs(w: World): Promise<Run[]> {
  return await w.rows<Run>('select workflow, state, commit, reason from gate_run order by id');
}

describe('final_gates', () => {
  it('run in order on the commit that lands, a labelled gate only for its label, and once even if the worker dies', async () => {
    const asked = gates('workflow: smoke, timeout_mins: 5', 'workflow: canary, timeout_mins: 5, label: risky');
    await using w = await world({ configuration: `${parallel({ builds: 2 })}${asked}`, ci });
    const plain = await w.open('plain', { plain: '1\n' });
    const risky = await w.open('risky', { risky: '1\n' });
    await setLabel(w, risky, 'risky');
    await w.queue(plain, risky);
    await dyingAt(w, 'gate:after_host', async () => await w.settled(plain, risky));
    await expectLandedOnce(w, plain, risky);
    const landed = await w.landed();
    expect(await runs(w)).toEqual([
      { workflow: 'smoke', state: 'passed', commit: landed[0], reason: null },
      { workflow: 'smoke', state: 'passed', commit: landed[1], reason: null },
      { workflow: 'canary', state: 'passed', commit: landed[1], reason: null },
    ]);
    expect(await w.host.workflowRuns()).toHaveLength(3);
    // The runs of the gates are no checks of the commit.
    expect(await w.rows("select 1 from check_result where name in ('smoke', 'canary')")).toEqual([]);
    await expectVerified(w, await gradesOf(w));
    const [proof] = await w.rows<{ body: { finalGates: object[] } }>('select body from proof order by id desc limit 1');
    expect(proof?.body.finalGates).toMatchObject([{ workflow: 'smoke' }, { workflow: 'canary', commit: landed[1] }]);
  });

  it('find out which pull request of a batch fails the gate, and let the other one land', async () => {
    const asked = gates('workflow: smoke, timeout_mins: 5');
    await using w = await world({ configuration: `${parallel({ builds: 2, batch: 2 })}${asked}`, ci });
    const good = await w.open('good', { good: '1\n' });
    const bad = await w.open('bad', { explodes: '1\n' });
    await w.queue(good, bad);
    await w.settled(good, bad);
    expect(await statuses(w, good, bad)).toEqual(['merged', 'blocked 119']);
    expect((await w.status(bad)).status_text).toMatch(/final gate smoke failed: ./);
    await expectLandedOnce(w, good);
  });

  it('block the pull request if they cannot be started, or take too long', async () => {
    const asked = gates('workflow: absent, timeout_mins: 5');
    await using w = await world({ configuration: `${parallel({ builds: 2 })}${asked}`, ci });
    const first = await w.open('first', { first: '1\n' });
    await w.queue(first);
    await w.settled(first);
    expect(await statuses(w, first)).toEqual(['blocked 119']);
    expect((await w.status(first)).status_text).toContain('has no workflow "absent"');
    await w.configure(`${parallel({ builds: 2 })}${gates('workflow: slow, timeout_mins: 5')}`);
    const second = await w.open('second', { second: '1\n' });
    await w.queue(second);
    const isAsked = async (): Promise<boolean> =>
      (await runs(w)).some(({ workflow, state }) => workflow === 'slow' && state === 'running');
    await w.until(isAsked);
    expect(await statuses(w, second)).not.toEqual(['merged']);
    await turnsAt(w, new Date(Date.now() + 6 * 60_000));
    expect(await statuses(w, second)).toEqual(['blocked 119']);
    expect(await w.landed()).toEqual([]);
    const hasStopped = async (): Promise<boolean> =>
      (await w.host.workflowRuns()).some(({ name, conclusion }) => name === 'slow' && conclusion === 'cancelled');
    await w.until(hasStopped);
  });
});

async function gradesOf(w: World): Promise<Record<string, number>> {
  const rows = await w.rows<{ grade: string; n: number }>(
    'select grade, count(*)::int as n from landing group by grade',
  );
  return Object.fromEntries(rows.map(({ grade, n }) => [grade, n]));
}
