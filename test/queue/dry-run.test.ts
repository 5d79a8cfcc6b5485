// Each change is previewed by a dry run and then made. What happens must equal the preview.
import { describe, expect, it } from 'vitest';
import { impactText, type Impact } from '../../src/domain/queue/dry-run.ts';
import {
  dequeuePullRequest,
  previewDequeueing,
  previewQueueing,
  queuePullRequest,
} from '../../src/modules/queue/index.ts';
import { haltQueue, previewHalt } from '../../src/modules/queue/requests/halting.service.ts';
import {
  previewBuildRetry,
  previewQueueReset,
  resetQueue,
  retryBuild,
} from '../../src/modules/queue/requests/resetting.service.ts';
import { previewConfiguration } from '../../src/modules/queue/api/dry-run.configuration.ts';
import { dryRun } from '../../src/modules/queue/planning/dry-run.ts';
import { freezeBranches, pauseBranches, pauseRepository } from '../../src/modules/repositories/index.ts';
import { configurationYaml, parallel, world, type World } from '../support/world.ts';
import { judgedByBuildsAlone, startCi, statuses } from './stories.ts';

async function inBuilds(configuration: string, names: readonly string[], waiting = 0) {
  const w = await world({ configuration, runsCi: false });
  const numbers: number[] = [];
  for (const name of names) numbers.push(await w.open(name, { [`${name}.txt`]: `${name}\n` }));
  const asked = numbers.slice(0, numbers.length - waiting);
  await w.queue(...asked);
  await w.until(async () => (await statuses(w, ...asked)).every((status) => status === 'tagged'));
  return { w, numbers, [Symbol.asyncDispose]: async () => await w[Symbol.asyncDispose]() };
}

/** The rows of every table that the queue writes, and the events. */
async function everything(w: World): Promise<unknown> {
  const tables = ['repository', 'queue', 'pull_request', 'batch', 'batch_member', 'intent', 'event', 'user_action'];
  const more = ['branch_pause', 'configuration_change', 'pull_request_past', 'queue_past', 'local_comment'];
  const kept: unknown[] = [];
  for (const table of [...tables, ...more])
    kept.push(await w.rows(`select to_jsonb(t) - 'position' as row from ${table} t order by 1`));
  return kept;
}

/** Returns the preview, and what happened when all builds of the next turns were started. */
async function previewedAndDone(
  w: World,
  preview: () => Promise<readonly Impact[]>,
  change: () => Promise<unknown>,
): Promise<{ foreseen: Impact; done: Pick<Impact, 'resets' | 'buildsStarted' | 'buildsStopped'> }> {
  const before = await everything(w);
  const [foreseen] = await preview();
  expect(await everything(w)).toEqual(before);
  if (foreseen === undefined) throw new Error('The preview is empty.');
  const batches = await w.batches();
  await change();
  await w.until(async () => (await w.rows('select 1 from queue where version > planned_version')).length === 0);
  await w.until(async () => (await w.rows("select 1 from batch where state = 'making'")).length === 0);
  const known = new Set(batches.map(({ id }) => id));
  const now = await w.batches();
  const wereLive = new Set(batches.filter(({ state }) => isLive(state)).map(({ id }) => id));
  const resets = await w.rows<{ code: number; members: number[] }>(
    `select b.reset_code as code, array_agg(p.number order by b.position, m.ordinal) as members
     from batch b join batch_member m on m.batch_id = b.id join pull_request p on p.id = m.pull_request_id
     where b.state = 'superseded' and b.id = any($1) and p.status in ('queued', 'tagged') group by b.reset_code`,
    [[...wereLive]],
  );
  return {
    foreseen,
    done: {
      resets: resets.map(({ code, members }) => ({ code, pullRequests: members }) as Impact['resets'][number]),
      buildsStarted: now.filter(({ id }) => !known.has(id)).map(({ members }) => members),
      buildsStopped: now.filter(({ id, state }) => wereLive.has(id) && !isLive(state)).map(({ members }) => members),
    },
  };
}

const isLive = (state: string) => ['making', 'building', 'landing'].includes(state);
const withoutHeld = ({ resets, buildsStarted, buildsStopped }: Impact) => ({ resets, buildsStarted, buildsStopped });

describe('a preview says what happens, and writes nothing', () => {
  it('of skipping the line', async () => {
    await using line = await inBuilds(`${parallel({ builds: 3 })}${judgedByBuildsAlone}`, ['a', 'b', 'c'], 1);
    const { w, numbers } = line;
    const [a = 0, b = 0, c = 0] = numbers;
    const request = { repository: w.repository, number: c, source: 'graphql_api', skipLine: true } as const;
    const { foreseen, done } = await previewedAndDone(
      w,
      async () => (await previewQueueing(w.ctx, request)).impacts,
      async () => await queuePullRequest(w.ctx, request),
    );
    expect(foreseen).toMatchObject({
      resets: [{ code: 302, pullRequests: [a, b] }],
      buildsStopped: [[a], [b]],
      buildsStarted: [[c], [a], [b]],
    });
    expect(done).toEqual(withoutHeld(foreseen));
  });

  it('of dequeuing from the middle of a line, and of dequeuing a pull request that is not in a batch', async () => {
    await using line = await inBuilds(`${parallel({ builds: 3 })}${judgedByBuildsAlone}`, ['a', 'b', 'c', 'd'], 1);
    const { w, numbers } = line;
    const [, b = 0, c = 0, d = 0] = numbers;
    const idle = await previewDequeueing(w.ctx, { repository: w.repository, number: d });
    expect(idle.impacts.map(withoutHeld)).toEqual([{ resets: [], buildsStarted: [], buildsStopped: [] }]);
    const request = { repository: w.repository, number: b };
    const { foreseen, done } = await previewedAndDone(
      w,
      async () => (await previewDequeueing(w.ctx, request)).impacts,
      async () => await dequeuePullRequest(w.ctx, request),
    );
    expect(foreseen).toMatchObject({
      resets: [{ code: 303, pullRequests: [c] }],
      buildsStopped: [[b], [c]],
      buildsStarted: [[c]],
    });
    expect(done).toEqual(withoutHeld(foreseen));
  });

  it('of halting, which holds landings, and of resuming, which builds what waited', async () => {
    await using line = await inBuilds(`${parallel({ builds: 2 })}${judgedByBuildsAlone}`, ['a', 'b', 'c'], 1);
    const { w, numbers } = line;
    const [a = 0, b = 0, c = 0] = numbers;
    const request = { repository: w.repository, baseBranch: 'main' };
    const halted = await previewedAndDone(
      w,
      async () => (await previewHalt(w.ctx, request, 'An incident')).impacts,
      async () => await haltQueue(w.ctx, { ...request, reason: 'An incident' }),
    );
    expect(halted.foreseen).toMatchObject({ resets: [], buildsStarted: [], buildsStopped: [], landingsHeld: [a, b] });
    expect(halted.done).toEqual(withoutHeld(halted.foreseen));
    await w.dequeue(b);
    await w.queue(c);
    const [resumed] = (await previewHalt(w.ctx, request, null)).impacts;
    expect(resumed?.landingsHeld).toEqual([]);
    expect(resumed?.buildsStarted).toEqual([[c]]);
    await expect(previewHalt(w.ctx, { ...request, baseBranch: 'none' }, null)).rejects.toThrow('Queue not found');
  });

  it('of resetting a queue and of retrying a build, which stop builds and make them again', async () => {
    await using line = await inBuilds(`${parallel({ builds: 2 })}${judgedByBuildsAlone}`, ['a', 'b', 'c'], 1);
    const { w, numbers } = line;
    const [a = 0, b = 0, c = 0] = numbers;
    const ofQueue = { repository: w.repository, baseBranch: 'main' };
    const all = await previewedAndDone(
      w,
      async () => (await previewQueueReset(w.ctx, ofQueue)).impacts,
      async () => await resetQueue(w.ctx, ofQueue),
    );
    expect(all.foreseen).toMatchObject({
      resets: [{ code: 300, pullRequests: [a, b] }],
      buildsStopped: [[a], [b]],
      buildsStarted: [[a], [b]],
    });
    expect(all.done).toEqual(withoutHeld(all.foreseen));
    const ofB = { repository: w.repository, number: b };
    const one = await previewedAndDone(
      w,
      async () => (await previewBuildRetry(w.ctx, ofB)).impacts,
      async () => await retryBuild(w.ctx, ofB),
    );
    expect(one.foreseen).toMatchObject({ resets: [{ code: 300, pullRequests: [b] }], buildsStarted: [[b]] });
    expect(one.done.buildsStarted).toEqual([[b]]);
    const ofC = { repository: w.repository, number: c };
    for (const refused of [previewBuildRetry, retryBuild])
      await expect(refused(w.ctx, ofC)).rejects.toMatchObject({ code: 'CONFLICT' });
    await haltQueue(w.ctx, { ...ofQueue, reason: 'An incident' });
    for (const refused of [previewQueueReset, resetQueue])
      await expect(refused(w.ctx, ofQueue)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('of pausing, which holds landings, and of unpausing, which builds what waited', async () => {
    await using line = await inBuilds(`${parallel({ builds: 2 })}${judgedByBuildsAlone}`, ['a', 'b', 'c'], 1);
    const { w, numbers } = line;
    const [a = 0, b = 0, c = 0] = numbers;
    const pause = { repository: w.repository, pattern: 'main', paused: true };
    const paused = await previewedAndDone(
      w,
      async () => await dryRun(w.ctx, w.repositoryId, async (ctx) => await pauseBranches(ctx, pause)),
      async () => await pauseBranches(w.ctx, pause),
    );
    expect(paused.foreseen).toMatchObject({
      baseBranch: 'main',
      resets: [],
      buildsStarted: [],
      buildsStopped: [],
      landingsHeld: [a, b],
      buildMsLost: 0,
    });
    expect(paused.done).toEqual(withoutHeld(paused.foreseen));
    await w.dequeue(b);
    await w.queue(c);
    await w.until(async () => (await w.rows("select 1 from batch where state = 'building'")).length === 1);
    const resumed = await previewedAndDone(
      w,
      async () =>
        await dryRun(w.ctx, w.repositoryId, async (ctx) => await pauseBranches(ctx, { ...pause, paused: false })),
      async () => await pauseBranches(w.ctx, { ...pause, paused: false }),
    );
    expect(resumed.foreseen).toMatchObject({ buildsStarted: [[c]], landingsHeld: [] });
    expect(resumed.done).toEqual(withoutHeld(resumed.foreseen));
    const frozen = await dryRun(
      w.ctx,
      w.repositoryId,
      async (ctx) => await freezeBranches(ctx, { repository: w.repository, baseBranches: 'ma*' }),
    );
    // A freeze holds only landings. Builds continue.
    expect(frozen).toMatchObject([
      { baseBranch: 'main', resets: [], buildsStarted: [], buildsStopped: [], landingsHeld: [a, c] },
    ]);
    expect(await w.rows('select 1 from freeze_rule')).toEqual([]);
    const whole = await dryRun(
      w.ctx,
      w.repositoryId,
      async (ctx) => await pauseRepository(ctx, { repository: w.repository, paused: true }),
    );
    expect(whole.map(({ landingsHeld }) => landingsHeld)).toEqual([[a, c]]);
    await using _ = await startCi(w);
    await w.settled(a, c);
  });

  it('of another configuration, which resets builds for build keys and not for gate keys', async () => {
    await using line = await inBuilds(`${parallel({ builds: 2 })}${judgedByBuildsAlone}`, ['a', 'b', 'c'], 1);
    const { w, numbers } = line;
    const [a = 0, b = 0] = numbers;
    const preview = async (rules: string) =>
      await previewConfiguration(w.ctx, { repository: w.repository, yaml: configurationYaml(rules) });
    const gate = await preview(`${parallel({ builds: 2 })}${judgedByBuildsAlone}require_all_checks_pass: true\n`);
    expect(gate.changed).toEqual([
      { key: 'merge_rules.require_all_checks_pass', mark: 'gate', before: 'false', after: 'true' },
    ]);
    expect(gate.impacts?.map(withoutHeld)).toEqual([{ resets: [], buildsStarted: [], buildsStopped: [] }]);
    const rules = `${parallel({ builds: 1, batch: 2 })}${judgedByBuildsAlone}merge_strategy:\n  name: merge\n`;
    const { foreseen, done } = await previewedAndDone(
      w,
      async () => (await preview(rules)).impacts ?? [],
      async () => await w.configure(rules),
    );
    expect(foreseen).toMatchObject({
      resets: [{ code: 307, pullRequests: [a, b] }],
      buildsStopped: [[a], [b]],
      buildsStarted: [[a, b]],
    });
    expect(done).toEqual(withoutHeld(foreseen));
    const refused = await preview('labels_: {}\n');
    expect(refused).toMatchObject({ impacts: null, changed: [] });
    expect(refused.outcome).toMatchObject({ ok: false, problems: [{ code: 'UNKNOWN_KEY', nearestKey: 'labels' }] });
  });

  it('of a configuration that no longer manages the base branch, which takes the whole line', async () => {
    await using line = await inBuilds(`${parallel({ builds: 1 })}${judgedByBuildsAlone}`, ['a']);
    const { w, numbers } = line;
    const [a = 0] = numbers;
    const b = await w.open('b', { 'b.txt': 'b\n' });
    await w.queue(b);
    await w.until(async () => (await statuses(w, b)).every((status) => status === 'queued'));
    const rules = `${parallel({ builds: 1 })}${judgedByBuildsAlone}base_branches: [trunk]\n`;
    const { foreseen } = await previewedAndDone(
      w,
      async () =>
        (await previewConfiguration(w.ctx, { repository: w.repository, yaml: configurationYaml(rules) })).impacts ?? [],
      async () => await w.configure(rules),
    );
    expect(await statuses(w, a, b)).toEqual(['blocked 118', 'blocked 118']);
    expect(foreseen.leaving).toEqual([a, b]);
    expect(impactText(foreseen)).toContain(`#${a}, #${b} leave the line.`);
  });
});
