// A landing in line of a queue with speculative builds: when it ends before it has happened.
import { expect, test } from 'vitest';
import type { BuildState } from '../../../src/domain/queue/model/snapshot.ts';
import { minute, now, planned, pr, serial, type BatchSpec, type Situation } from './situation.ts';

const adaptive = { speculation: 'adaptive', useAffectedTargets: true } as const;
const on = (number: number, targets: readonly string[], change: object = {}) => pr(number, { targets, ...change });
const [a, b] = [['a'], ['b']];
const running: BatchSpec = { of: [1], build: 'pending' };
const green: BatchSpec = { of: [1], build: 'success' };
const waits = on(1, a, { status: 'tagged', ownVerdict: 'pending' });
const gate = (run: object | null) => [{ workflow: 'smoke', timeoutMins: 5, run: run as never }];

test.each<[string, Situation, readonly string[]]>([
  ['goes on', { line: [running] }, []],
  ['lands when it is green', { line: [green] }, ['land b1 by commit of b1']],
  [
    'ends if the tip has moved',
    { line: [{ ...running, change: { parentCommit: 'root', base: 'root' } }], queue: { lineage: ['tip', 'root'] } },
    ['supersede b1 305', 'speculate new p1 on tip'],
  ],
  [
    'ends if a member has left',
    {
      line: [{ of: [1, 2], build: 'pending' }],
      waiting: [on(1, a)],
      change: { departures: [{ pullRequest: 'p2', code: 303 }] },
    },
    ['supersede b1 303 by p2', 'speculate new p1 on tip'],
  ],
  [
    'ends if the rules have changed',
    { line: [{ ...running, change: { buildKeysHash: 'others' } }] },
    ['supersede b1 307', 'speculate new p1 on tip'],
  ],
  [
    'ends if its build was canceled',
    { line: [{ ...green, build: 'cancelled' }] },
    ['supersede b1 309', 'speculate new p1 on tip'],
  ],
  [
    'ends if a member conflicts',
    {
      line: [{ of: [1, 2], build: 'making' }],
      waiting: [on(1, a), on(2, a, { conflict: { parent: 'tip', after: ['h1'] } })],
    },
    ['supersede b1 301 by p2', 'speculate new p1 on tip'],
  ],
  [
    'ends if a pull request that it overlaps is before it',
    { line: [{ of: [2], build: 'pending' }], waiting: [on(1, a), on(2, a)] },
    ['supersede b1 309 by p1', 'speculate new p1 on tip', 'speculate new p2 on p1'],
  ],
  [
    'ends if a pull request that it overlaps skipped the line',
    { line: [running], waiting: [on(1, a), on(2, a, { skipLine: true })] },
    ['supersede b1 302 by p2', 'speculate new p2 on tip', 'speculate new p1 on p2'],
  ],
  [
    'goes on if a disjoint pull request is before it',
    { line: [{ of: [2], build: 'pending' }], waiting: [on(1, b), on(2, a)] },
    ['speculate new p1 on tip'],
  ],
  [
    'ends if a member must wait for its own checks',
    { line: [green], waiting: [waits], rules: { ownRequiredChecks: null } },
    ['supersede b1 309 by p1', 'speculate new p1 on tip'],
  ],
  [
    'goes on before it is green, although a member must wait',
    { line: [running], waiting: [waits], rules: { ownRequiredChecks: null } },
    [],
  ],
  [
    'waits for own checks if its landing is planned',
    { line: [{ ...green, change: { landingPlanned: true } }], waiting: [waits], rules: { ownRequiredChecks: null } },
    [],
  ],
  [
    'waits for own checks if its final gate has started',
    {
      line: [{ ...green, change: { gates: gate({ state: 'running', plannedAt: now, reason: null }) } }],
      waiting: [waits],
      rules: { ownRequiredChecks: null },
    },
    ['look again in 5 min'],
  ],
  [
    'ends if a member must wait before its final gate has started',
    { line: [{ ...green, change: { gates: gate(null) } }], waiting: [waits], rules: { ownRequiredChecks: null } },
    ['supersede b1 309 by p1', 'speculate new p1 on tip'],
  ],
  ['fails if it is red', { line: [{ ...running, build: 'failure' }] }, ['fail b1', 'block p1 107']],
  [
    'is bisected if it is red',
    { line: [{ of: [1, 2], build: 'failure' }], waiting: [on(1, a), on(2, a)] },
    ['bisect b1 p1 | p2', 'speculate bisect p1 on tip', 'speculate bisect p2 on p1'],
  ],
  [
    'leaves no other batch of an earlier mode',
    { line: [running, { of: [2], build: 'pending' }], waiting: [on(1, a), on(2, b)] },
    ['supersede b2 307', 'speculate new p2 on tip'],
  ],
])('%s', (_name, { rules, waiting = [on(1, a)], ...from }, decisions) =>
  expect(planned({ ...from, waiting, rules: { ...adaptive, ...rules } })).toEqual(decisions),
);

/** A build of the tree of the first batch. */
const buildOfTree = (commit: string, conclusion: 'success' | 'failure'): BuildState => ({
  commit,
  tree: 'tree of b1',
  base: 'tip',
  checks: [{ name: 'test', attempt: 1, conclusion }],
  complete: true,
  ...{ startedAt: now - minute, finishedAt: now, lastEndAt: now },
});

test.each([
  [
    'is built again if it is red, and another commit with its tree is green',
    [buildOfTree('earlier', 'success')],
    ['supersede b1 309', 'speculate new p1 on tip'],
  ],
  [
    'fails if two builds of its tree are red',
    [buildOfTree('earlier', 'success'), buildOfTree('repeated', 'failure')],
    ['fail b1', 'block p1 107'],
  ],
] as const)('where the host lands only commits that were built, a landing %s', (_name, others, decisions) => {
  const builds = [buildOfTree('commit of b1', 'failure'), ...others];
  const rules = { ...adaptive, landsBuiltCommitsOnly: true };
  expect(planned({ line: [running], waiting: [on(1, a)], rules, change: { builds } })).toEqual(decisions);
});

test('in serial mode, a red head fails although another commit with its tree is green, because it is not built again', () => {
  const head: BatchSpec = { of: [1], build: 'failure', change: { commit: 'h1', testedCommit: 'h1' } };
  const builds = [buildOfTree('h1', 'failure'), buildOfTree('earlier head', 'success')];
  const rules = { ...serial, landsBuiltCommitsOnly: true };
  expect(planned({ line: [head], waiting: [pr(1)], rules, change: { builds } })).toEqual(['fail b1', 'block p1 107']);
});

const started: BatchSpec = { ...green, change: { landingStarted: true, landingPlanned: true } };
const limited = { maxParallelBuilds: 1 };
const third = [on(1, a), on(2, a), on(3, b)];
const together = (build: BatchSpec['build'], change: BatchSpec['change']): BatchSpec => ({ of: [1, 2], build, change });

test.each<[string, Situation, readonly string[]]>([
  [
    'a disjoint pull request is built on the tip',
    { line: [started], waiting: [on(1, a), on(2, b)] },
    ['speculate new p2 on tip'],
  ],
  [
    'one that overlaps it is built on it',
    { line: [started], waiting: [on(1, a), on(2, a)] },
    ['speculate new p2 on p1'],
  ],
  ['nothing is reset', { line: [{ ...started, change: { ...started.change, buildKeysHash: 'others' } }] }, []],
  ['nothing is built during a pause', { line: [started], waiting: [on(1, a), on(2, b)], queue: { paused: true } }, []],
])('while a landing runs, %s', (_name, { waiting = [on(1, a)], ...from }, decisions) =>
  expect(planned({ ...from, waiting, rules: adaptive })).toEqual(decisions),
);

test.each<[string, BatchSpec, readonly string[]]>([
  ['counts as a build while its own commit is built', together('pending', {}), []],
  ['counts as a build while its commit is made', together('making', {}), []],
  [
    'counts as a build while its own commit is built, although it rests on parts',
    together('pending', { restsOn: ['x'] }),
    [],
  ],
  [
    'does not count while a commit of green parts is made',
    together('making', { restsOn: ['x'] }),
    ['speculate new p3 on tip'],
  ],
])('a landing %s', (_name, landing, decisions) =>
  expect(planned({ line: [landing], waiting: third, rules: { ...adaptive, ...limited } })).toEqual(decisions),
);
