// The gate of a landing: a planned landing passes it, and is refused with a reason if something has changed since.
import { describe, expect, it } from 'vitest';
import { decideGate, findEarlierOverlap, type GateFacts } from '../../../src/domain/queue/landing/gate.ts';
import { buildsSpeculatively } from '../../../src/domain/queue/model/rules.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { plan } from '../../../src/domain/queue/plan.ts';
import { minute, now, parallel, pr, serial, situation, type Situation } from './situation.ts';

/** What the gate sees of the first planned landing, if nothing has changed. */
function plannedLanding(snapshot: Snapshot): GateFacts {
  const landing = plan(snapshot, now).find(({ kind }) => kind === 'LandBatch');
  const batch = snapshot.batches.find(({ id }) => landing?.kind === 'LandBatch' && id === landing.batch);
  if (batch === undefined || landing?.kind !== 'LandBatch') throw new Error('No landing is planned.');
  const { queue, rules, builds } = snapshot;
  const rows = new Map(snapshot.pullRequests.map((row) => [row.id, row]));
  return {
    now,
    rules,
    queue: { paused: false, frozen: false, inMergeWindow: true, halted: false, tip: queue.tip, lineage: queue.lineage },
    batch: { ...batch, isBuilding: true, givenUp: false },
    members: batch.members.map(({ pullRequest, head }) => {
      const row = rows.get(pullRequest);
      return { pullRequest, pinned: head, current: row === undefined ? null : { ...row, obstacle: null } };
    }),
    line: buildsSpeculatively(rules) ? snapshot.pullRequests : [],
    claimed: landing.evidence,
    builds,
    isComposed: false,
    finalGates: batch.gates ?? [],
  };
}

const green: Situation = { line: [{ of: [1], build: 'success' }] };
const speculative: Situation = {
  waiting: [pr(1, { targets: ['api'] }), pr(2, { targets: ['web'] })],
  line: [{ of: [1], build: 'success', change: { sideBuild: 'speculative' } }],
  rules: { speculation: 'adaptive', useAffectedTargets: true },
};
const smoke = { workflow: 'smoke', timeoutMins: 5 };
const passedRun = { state: 'passed', plannedAt: now - minute, reason: null } as const;

describe('a planned landing passes the gate:', () => {
  it.each<[string, Situation, string | null]>([
    ['a green batch, by its own build', green, 'commit of b1'],
    ['a green batch in serial mode', { ...green, rules: serial }, 'commit of b1'],
    [
      'skipped validation, with a green build',
      { ...green, waiting: [pr(1, { skipValidation: true })] },
      'commit of b1',
    ],
    [
      'a pull request whose own checks run, if none is required',
      { ...green, waiting: [pr(1, { ownVerdict: 'pending' })] },
      'commit of b1',
    ],
    [
      'skipped validation, while an own check runs',
      {
        ...green,
        waiting: [pr(1, { skipValidation: true, ownVerdict: 'pending' })],
        rules: { ownRequiredChecks: null },
      },
      'commit of b1',
    ],
    [
      'skipped validation, without a build',
      { line: [{ of: [1], build: 'unstarted' }], waiting: [pr(1, { skipValidation: true })] },
      null,
    ],
    ['a batch without a queue', { line: [{ of: [1], build: 'unstarted' }], rules: { mode: 'no-queue' } }, null],
    [
      'skipped validation, with a failed own check',
      {
        ...green,
        waiting: [pr(1, { skipValidation: true, ownVerdict: 'red', ownFailedChecks: ['lint'] })],
      },
      'commit of b1',
    ],
    ['a speculative build on the tip', speculative, 'commit of b1'],
    [
      'a pull request together with the one that it is stacked on',
      { line: [{ of: [1, 2], build: 'success' }], waiting: [pr(1), pr(2, { stack: 'p1', below: 'p1' })] },
      'commit of b1',
    ],
    [
      'a commit that was built itself, at a host that takes no other',
      { ...green, rules: { landsBuiltCommitsOnly: true } },
      'commit of b1',
    ],
    [
      'a batch that has passed its final gate',
      { line: [{ of: [1], build: 'success', change: { gates: [{ ...smoke, run: passedRun }] } }] },
      'commit of b1',
    ],
  ])('%s', (_name, from, evidence) => {
    const decision = decideGate(plannedLanding(situation(from)));
    expect(decision.kind === 'Pass' ? [decision.evidence?.commit ?? null] : decision).toEqual([evidence]);
  });
});

describe('a landing is refused', () => {
  const facts = plannedLanding(situation(green));
  const onTargets = plannedLanding(situation(speculative));
  const [member] = facts.members;
  const withMember = (change: object): Partial<GateFacts> => ({
    members: facts.members.map((each) => ({ ...each, current: each.current && { ...each.current, ...change } })),
  });
  const build = facts.builds[0]!;
  it.each<[string, Partial<GateFacts>, string]>([
    ['during a pause', { queue: { ...facts.queue, paused: true } }, 'paused'],
    ['in a freeze', { queue: { ...facts.queue, frozen: true } }, 'frozen'],
    ['between merge windows', { queue: { ...facts.queue, inMergeWindow: false } }, 'outside of the merge windows'],
    ['during a halt', { queue: { ...facts.queue, halted: true } }, 'halted'],
    ['when the batch has ended', { batch: { ...facts.batch, isBuilding: false } }, 'superseded'],
    ['when the batch was given up', { batch: { ...facts.batch, givenUp: true } }, 'superseded'],
    ['without a commit', { batch: { ...facts.batch, commit: null } }, 'superseded'],
    ['without a tree', { batch: { ...facts.batch, tree: null } }, 'superseded'],
    ['on another tip', { queue: { ...facts.queue, tip: 'moved' } }, 'base moved'],
    ['on an unknown tip', { queue: { ...facts.queue, tip: null } }, 'base moved'],
    ['with other build keys', { rules: { ...parallel, buildKeysHash: 'others' } }, 'configuration changed'],
    ['if a member has left', { members: [{ ...member!, current: null }] }, 'a member left'],
    ['with another head', withMember({ head: 'pushed' }), 'a head moved'],
    [
      'if the pull request below has not landed',
      withMember({ below: 'p9' }),
      'the pull request below it has not landed',
    ],
    ['of a pull request that would not be admitted', withMember({ obstacle: 'It is a draft.' }), 'It is a draft.'],
    [
      'with a pull request whose own check failed',
      withMember({ ownVerdict: 'red', ownFailedChecks: ['lint', 'unit'] }),
      'an own check failed: lint, unit',
    ],
    [
      'with a pull request whose own check runs again',
      { rules: { ...facts.rules, ownRequiredChecks: null }, ...withMember({ ownVerdict: 'pending' }) },
      'the own checks of a pull request run',
    ],
    [
      'in serial mode, with a pull request whose check of the service runs',
      {
        rules: {
          ...facts.rules,
          mode: 'serial',
          ownRequiredChecks: [{ name: 'interlock/verify', acceptableStatuses: ['success'] }],
        },
        ...withMember({ ownVerdict: 'pending' }),
      },
      'the own checks of a pull request run',
    ],
    [
      'of a speculative build, if none are made any more',
      { batch: { ...facts.batch, sideBuild: 'speculative' } },
      'speculative builds are no longer made',
    ],
    ['without evidence', { claimed: '' }, 'no evidence'],
    [
      'with a build that is red now',
      { builds: [{ ...build, checks: [{ name: 'test', attempt: 2, conclusion: 'failure' }] }] },
      'the build of commit of b1 is no longer evidence',
    ],
    [
      'with another build than the planned one',
      { claimed: 'elsewhere' },
      'the build of elsewhere is no longer evidence',
    ],
    [
      'by a build of another commit, at a host that takes only commits that were built themselves',
      {
        rules: { ...parallel, landsBuiltCommitsOnly: true },
        claimed: 'elsewhere',
        builds: [{ ...build, commit: 'elsewhere' }],
      },
      'the host takes only commits that were built themselves',
    ],
    ['with builds that no longer exist', { builds: [] }, 'the build of commit of b1 is no longer evidence'],
    ['before its final gate', { finalGates: [{ ...smoke, run: null }] }, 'the final gate smoke is not passed'],
    [
      'of a composed commit before its final gate',
      { builds: [], isComposed: true, finalGates: [{ ...smoke, run: null }] },
      'the final gate smoke is not passed',
    ],
  ])('%s', (_name, change, reason) => expect(decideGate({ ...facts, ...change })).toEqual({ kind: 'Refused', reason }));

  it('behind a pull request that skipped the line since', () =>
    expect(
      decideGate({ ...onTargets, line: [pr(1, { targets: ['api'] }), pr(3, { targets: ['api'], skipLine: true })] }),
    ).toEqual({ kind: 'Refused', reason: '#3, which it overlaps, is before it in line' }));
});

it('a landing of green parts passes without evidence for the whole', () =>
  expect(decideGate({ ...plannedLanding(situation(green)), builds: [], isComposed: true })).toEqual({
    kind: 'Pass',
    evidence: null,
  }));

function entry(number: number, targets: readonly string[] | null, skipLine = false) {
  return { id: `p${number}`, number, rank: number, skipLine, targets };
}

describe('the earlier pull request that a landing passes', () => {
  const [api, web] = [['api'], ['web']];
  it.each([
    ['is none if the first one lands', [entry(1, api), entry(2, api)], [1], null],
    ['is none if it lands too', [entry(1, api), entry(2, api)], [1, 2], null],
    ['is none if it is disjoint', [entry(1, api), entry(2, web)], [2], null],
    ['is none if others overlap', [entry(1, api), entry(2, api), entry(3, web)], [3], null],
    ['is one that overlaps', [entry(1, api), entry(2, ['api', 'web'])], [2], 1],
    ['is one with unknown targets', [entry(1, null), entry(2, web)], [2], 1],
    ['is any one if the targets of the landing are unknown', [entry(1, web), entry(2, null)], [2], 1],
    ['is one that has skipped the line', [entry(1, api), entry(2, api, true)], [1], 2],
    ['is one behind another that lands', [entry(3, api), entry(1, web), entry(2, api)], [1, 3], 2],
  ] as const)('%s', (_name, line, landing, passed) =>
    expect(findEarlierOverlap(line, new Set(landing.map((number) => `p${number}`)))?.number ?? null).toBe(passed),
  );
});
