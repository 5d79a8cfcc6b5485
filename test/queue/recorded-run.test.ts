// Records a run of the real service plan by plan, and simulates the same pull requests. The simulation only learns when
// each pull request was queued, and what CI said of which content and when. Its decisions must be the same.
import { afterAll, expect, it, vi } from 'vitest';
import type * as planning from '../../src/domain/queue/plan.ts';
import type { BuildState, Snapshot } from '../../src/domain/queue/model/snapshot.ts';
import { simulate } from '../../src/domain/simulation/engine.ts';
import { plannerPolicy } from '../../src/domain/simulation/planner-policy.ts';
import type { Change, Policy, GroundTruth } from '../../src/domain/simulation/policy.ts';
import type { World } from '../support/world.ts';
import type { Decision } from '../../src/domain/queue/model/decision.ts';

interface Plan {
  readonly now: number;
  readonly snapshot: Snapshot;
  readonly decisions: readonly Decision[];
}

const recorded = vi.hoisted((): Plan[] => []);

vi.mock('../../src/domain/queue/plan.ts', async (original) => {
  const real = await original<typeof planning>();
  return {
    ...real,
    plan: (snapshot: Snapshot, now: number): Decision[] => {
      const decisions = real.plan(snapshot, now);
      recorded.push({ now, snapshot, decisions });
      return decisions;
    },
  };
});

// Test files share a process. So the planner is loaded again here, and again for the files after this one.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { parallel, world } = await import('../support/world.ts');
const { startCi, statuses } = await import('./stories.ts');

async function recordRun(): Promise<Plan[]> {
  recorded.length = 0;
  await using w: World = await world({
    configuration: `${parallel({ builds: 4, batch: 2 })}preconditions:\n  use_github_mergeability: false\n`,
    ci: "checks:\n  test:\n    run: 'test ! -e broken'\n",
    runsCi: false,
  });
  const numbers: number[] = [];
  for (const name of ['one', 'broken', 'other', 'more', 'last'])
    numbers.push(await w.open(name, { [name]: `${name}\n` }));
  await w.queue(...numbers);
  await w.until(async () => (await statuses(w, ...numbers)).every((status) => status === 'tagged'));
  await using _ci = await startCi(w);
  await w.settled(...numbers);
  expect(await statuses(w, ...numbers)).toEqual(['merged', 'blocked 107', 'merged', 'merged', 'merged']);
  return [...recorded];
}

/** The verdict of CI on a set of pull requests, including landed ones, and its time. */
interface Word {
  readonly at: number;
  readonly isGreen: boolean;
}

/** Returns the outcomes of builds in order, by the content of the build. */
function wordsOf(plans: readonly Plan[]): Map<string, readonly Word[]> {
  const contents = new Map<string, readonly number[]>();
  const trees = new Map<string, readonly number[]>();
  const builds = new Map<string, BuildState>();
  const numberOf = new Map(
    plans.flatMap(({ snapshot }) => snapshot.pullRequests.map(({ id, number }) => [id, number])),
  );
  for (const { snapshot } of plans) {
    for (const batch of [...snapshot.batches].sort((a, b) => a.position - b.position)) {
      if (batch.commit === null || batch.tree === null) continue;
      const below = contents.get(batch.parentCommit) ?? [];
      const content = [...below, ...batch.members.map(({ pullRequest }) => numberOf.get(pullRequest) ?? 0)];
      contents.set(batch.commit, content);
      trees.set(batch.tree, content);
    }
    // The build of a pull request's own head may be the build of the tree.
    for (const build of snapshot.builds) if (build.finishedAt !== null) builds.set(build.commit, build);
  }
  const inOrder = [...builds.values()].sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0));
  const byContent = Map.groupBy(inOrder, ({ tree }) => keyOf(trees.get(tree) ?? []));
  return new Map([...byContent].map(([content, of]) => [content, of.map(wordOf)]));
}

function wordOf({ finishedAt, checks }: BuildState): Word {
  return { at: finishedAt ?? 0, isGreen: checks.every(({ conclusion }) => conclusion === 'success') };
}

function keyOf(content: readonly number[]): string {
  return [...content].sort((a, b) => a - b).join();
}

function replay(plans: readonly Plan[]): Plan[] {
  const words = wordsOf(plans);
  // The pull requests were queued one after the other, and then planned together.
  const first = plans.find(({ snapshot }) => snapshot.pullRequests.length === 5);
  if (first === undefined) throw new Error('They were never in the queue together.');
  const numbers = first.snapshot.pullRequests.map(({ number }) => number).sort((a, b) => a - b);
  const changes = numbers.map((_, number): Change => ({ number, arrivedAt: first.now, author: 0, targets: null }));
  let { now } = first;
  let landed: readonly number[] = [];
  let started: readonly number[] = [];
  const wordsOn = (added: readonly number[]): readonly Word[] =>
    words.get(keyOf([...landed, ...added].map((change) => numbers[change] ?? 0))) ?? [];
  const truth: GroundTruth = {
    isGreen: (_, added) => wordsOn(added).some(({ isGreen }) => isGreen),
    isFlake: () => false,
    durationOf: ({ attempt }) => Math.max(1, (wordsOn(started)[attempt]?.at ?? now) - now),
  };
  const replayed: Plan[] = [];
  const policy = plannerPolicy({
    rules: first.snapshot.rules,
    onPlan: (snapshot, decisions) => replayed.push({ now, snapshot, decisions }),
  });
  const decide: Policy['decide'] = (queue, actions) => {
    now = queue.now;
    // What lands is added at once, before anything is built on it.
    policy.decide(queue, {
      start: (content) => {
        started = [...content.assumes, ...content.members];
        return actions.start(content);
      },
      cancel: (build) => actions.cancel(build),
      eject: (change) => actions.eject(change),
      wakeAt: (at) => actions.wakeAt(at),
      land: (lands, restsOn) => {
        actions.land(lands, restsOn);
        landed = [...landed, ...lands];
      },
    });
  };
  simulate({ workers: 100, changes, truth }, () => ({ decide }));
  return replayed;
}

/**
 * Returns the decisions about pull requests, by kind, each once. Making a commit takes no time in the simulated world.
 * So kinds may overtake each other, and work that a red build ends may have started or not.
 */
function summarise(plans: readonly Plan[]): Record<string, string[]> {
  const numberOf = new Map(
    plans.flatMap(({ snapshot }) => snapshot.pullRequests.map(({ id, number }) => [id, number])),
  );
  const first = Math.min(...numberOf.values());
  const name = (id: string): number => (numberOf.get(id) ?? first) - first + 1;
  const lines: Record<string, string[]> = {};
  for (const { snapshot, decisions } of plans)
    for (const decision of decisions) {
      const line = tell(decision, snapshot, name);
      if (line === null) continue;
      const known = (lines[decision.kind] ??= []);
      if (!known.includes(line)) known.push(line);
    }
  return lines;
}

function tell(decision: Decision, { batches }: Snapshot, name: (id: string) => number): string | null {
  const batch = 'batch' in decision ? batches.find(({ id }) => id === decision.batch) : undefined;
  const members = batch?.members.map(({ pullRequest }) => name(pullRequest)).join(' ');
  switch (decision.kind) {
    case 'StartBatch':
      return `${decision.members.map(({ pullRequest }) => name(pullRequest)).join(' ')}, ${decision.cause}`;
    case 'BlockPullRequest':
      return `${name(decision.pullRequest)}, ${decision.code}`;
    case 'SupersedeBatch':
      return `${members}, ${decision.code}`;
    case 'BisectBatch':
      return decision.halves.map((half) => half.map(name).join(' ')).join(' | ');
    case 'LandBatch':
    case 'FailBatch':
      return members ?? null;
    case 'AnnounceStuck':
    case 'AnnounceTop':
    case 'Reorder':
    case 'PlanAgainAt':
    case 'PendPullRequest':
    case 'ReadChecks':
    case 'RequeuePullRequest':
    case 'ReturnBatch':
    case 'RunGate':
      return null;
    default:
      return decision satisfies never;
  }
}

it('the simulated world takes the same decisions as the service', async () => {
  const plans = await recordRun();
  const decided = summarise(plans);
  expect(decided).toMatchObject({
    BisectBatch: ['1 | 2'],
    LandBatch: ['1', '3 4', '5'],
    BlockPullRequest: ['2, 107'],
  });
  expect(summarise(replay(plans))).toEqual(decided);
});
