// The process that executes a runbook is killed with SIGKILL at every place in turn. The result has the same commits,
// the same single pull request and the same files as a runbook without a kill.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startEngine, type Engine } from '../support/engine.ts';
import { runbooksOf, type Runbooks } from '../support/runbook-world.ts';
import { among, inFull } from '../support/tier.ts';
import { world } from '../support/world.ts';

interface Stage extends AsyncDisposable {
  readonly r: Runbooks;
  start(failpoint?: string): Promise<Engine>;
  /** Starts an engine that is killed at this failpoint, and waits for its end. */
  killAt(failpoint: string): Promise<void>;
}

async function stage(): Promise<Stage> {
  const w = await world({ runsCi: false, wake: async () => {} });
  const engines: Engine[] = [];
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + 180_000;
    while (!(await isSo())) {
      if (performance.now() > deadline)
        throw new Error(`It did not come about. ${JSON.stringify([await r.leaves(1), await r.pullRequests(1)])}`);
      await delay(50);
    }
  };
  const r = runbooksOf(w, until);
  const start: Stage['start'] = async (failpoint) => {
    const { databaseUrl, dataDir, secrets } = w;
    const engine = await startEngine({ mode: 'loop', databaseUrl, dataDir, secrets }, failpoint);
    engines.push(engine);
    return engine;
  };
  return {
    r,
    start,
    async killAt(failpoint) {
      const engine = await start(failpoint);
      const late = delay(180_000, 'not killed', { ref: false });
      expect(await Promise.race([engine.ended, late]), failpoint).toMatch(/SIGKILL|137/);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(engines.map(async (engine) => await engine.kill()));
      await w[Symbol.asyncDispose]();
    },
  };
}

const places = [
  'runbook:advanced_supervise',
  'runbook:supervising_plan',
  'runbook:before_plan_written',
  'runbook:after_plan_written',
  'runbook:supervising_leaf',
  'runbook:worked',
  'runbook:committed',
  'runbook:before_leaf_written',
  'runbook:after_leaf_written',
  'runbook:advanced_call',
  'runbook:before_push',
  'runbook:pushed',
  'runbook:before_open',
  'runbook:opened',
  'runbook:before_refresh',
  'runbook:refreshed',
];
const onePlaceOfEachKind = ['runbook:supervising_plan', 'runbook:committed', 'runbook:pushed', 'runbook:opened'];

const prompt = 'write a.txt one | write b.txt two\nwrite c.txt three';

async function expectDoneOnce(r: Runbooks, number: number, branch: string): Promise<string> {
  expect(await r.leaves(number)).toEqual(['1.1 completed', '1.2 completed', '2.1 completed']);
  expect(await r.commits(branch)).toEqual(['write a.txt one', 'write b.txt two', 'write c.txt three']);
  expect(await r.pullRequests(number)).toEqual([`1 open ${branch} into main`]);
  const opened = await r.w.rows('select 1 from local_pull_request where head_branch = $1', [branch]);
  expect(opened).toHaveLength(1);
  const { body } = await r.atHost(await r.pullRequestNumber(number));
  expect(body.match(/^- \*\*\d\.\d\*\*/gm)).toEqual(['- **1.1**', '- **1.2**', '- **2.1**']);
  return await r.w.git('rev-parse', `${branch}^{tree}`);
}

describe('a runbook whose worker is killed', { timeout: 600_000 }, () => {
  it('at every step has each commit and its pull request once, and the same files as without a kill', async () => {
    await using s = await stage();
    const { r } = s;
    const number = await r.begin(prompt);
    for (const place of among(places, onePlaceOfEachKind)) await s.killAt(place);
    await s.start();
    await r.rest(number);
    const tree = await expectDoneOnce(r, number, 'interlock/runbook-1');
    const undisturbed = await r.begin(prompt);
    await r.rest(undisturbed);
    expect(await expectDoneOnce(r, undisturbed, 'interlock/runbook-2')).toBe(tree);
    expect(await r.log(number)).toContain('The work starts again: attempt 2');
  });

  it.each(inFull(['runbook:before_queue', 'runbook:queued']))(
    'before and after it queues its pull request (%s, then %s) lands once',
    async (...places) => {
      await using s = await stage();
      const { r } = s;
      const number = await r.begin('write a.txt one', { queueWhenGreen: true });
      for (const place of places) await s.killAt(place);
      await s.start();
      await r.w.watch([await r.pullRequestNumber(number)]);
      await r.rest(number);
      expect(await r.pullRequests(number)).toEqual(['1 merged interlock/runbook-1 into main']);
      expect(await r.w.rows('select 1 from landing')).toHaveLength(1);
      expect(await r.file('main', 'a.txt')).toBe('one');
    },
  );
});
