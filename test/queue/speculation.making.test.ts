// Speculative builds while they are made: the content of their commits, the commit they begin with, what is recorded if
// they do not merge, and which pull requests they tag.
import { expect, it } from 'vitest';
import { driveBatch } from '../../src/modules/queue/index.ts';
import { configurationOf, rulesOf } from '../../src/modules/queue/store/rules-in-force.ts';
import { writeDecisions } from '../../src/modules/queue/planning/decisions.writer.ts';
import { loadSnapshot } from '../../src/modules/queue/planning/snapshot.loader.ts';
import { QueueEntity } from '../../src/modules/queue/store/queue.entities.ts';
import { changeQueue } from '../../src/modules/queue/store/queue.locks.ts';
import { startWork, finishWork } from '../../src/modules/queue/store/status.writer.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import type { QueueRules } from '../../src/domain/queue/model/rules.ts';
import type { Snapshot } from '../../src/domain/queue/model/snapshot.ts';
import { parallel, world, type World } from '../support/world.ts';
import { resets, statuses } from './stories.ts';
import type { Decision } from '../../src/domain/queue/model/decision.ts';

type Decide = (snapshot: Snapshot) => readonly Decision[];

/** Runs a turn of the queue with these decisions instead of the planner's. Returns the snapshot for the decisions. */
async function turn(w: World, decide: Decide, change: Partial<QueueRules> = {}): Promise<Snapshot> {
  return await w.ctx.db.transaction(w.ctx.accountId, async (tx) => {
    const [{ id } = { id: '' }] = await w.rows<{ id: string }>('select id from queue');
    await changeQueue(w.ctx, tx, id);
    const queue = await tx.em.findOneOrFail(QueueEntity, { id });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId });
    const rules = { ...rulesOf(repository, { hostRequiredChecks: [] }).rules, ...change };
    const [tip, tipTree] = [queue.baseTip ?? '', queue.baseTree ?? ''];
    const loaded = await loadSnapshot(w.ctx, tx, { queue, repository, rules, tip, tipTree });
    const work = startWork(w.ctx, tx, queue);
    const configuration = configurationOf(repository);
    await writeDecisions(work, loaded, { decisions: decide(loaded.snapshot), configuration });
    await finishWork(work);
    return loaded.snapshot;
  });
}

/** Decides to start a speculative build of `members` on the tip, which assumes that `assumes` land first. */
const speculative =
  (assumes: readonly number[], ...members: readonly number[]): Decide =>
  ({ queue, pullRequests }) => {
    const pinned = (numbers: readonly number[]) =>
      numbers.map((number) => {
        const { id, head } = pullRequests.find((candidate) => candidate.number === number)!;
        return { pullRequest: id, head };
      });
    return [
      {
        kind: 'StartBatch',
        position: queue.nextPosition,
        members: pinned(members),
        assumes: pinned(assumes),
        restsOn: [],
        parentBatch: null,
        parentCommit: queue.tip,
        base: queue.tip,
        sideBuild: 'speculative',
        cause: 'new',
      },
    ];
  };

interface BuildRow {
  readonly id: string;
  readonly state: string;
  readonly given_up: boolean;
  readonly commit: string | null;
  readonly pre_batch_commit: string | null;
}

/** Starts a speculative build, and drives it until it waits. */
async function start(w: World, assumes: readonly number[], ...members: readonly number[]): Promise<BuildRow> {
  await turn(w, speculative(assumes, ...members));
  const [{ id } = { id: '' }] = await w.rows<{ id: string }>('select max(id) as id from batch');
  await driveBatch(w.ctx, id);
  const { need } = await driveBatch(w.ctx, id);
  expect(need).toBe('wait');
  const [row] = await w.rows<BuildRow>(
    'select id, state, given_up, commit, pre_batch_commit from batch where id = $1',
    [id],
  );
  return row!;
}

async function filesOf(w: World, commit: string | null): Promise<readonly string[]> {
  return (await w.git('ls-tree', '--name-only', commit ?? '')).split('\n').filter((name) => name.endsWith('.txt'));
}

async function openAll(w: World, ...names: readonly string[]): Promise<void> {
  for (const name of names) await w.queue(await w.open(name, { [`${name}.txt`]: `${name}\n` }));
}

it('a speculative build has its members on top of its assumptions, and begins with the commit of a speculative build with exactly these', async () => {
  await using w = await world({ configuration: parallel(), runsCi: false });
  await openAll(w, 'a', 'b', 'c', 'd');
  const first = await start(w, [], 1);
  const second = await start(w, [1], 2);
  const fourth = await start(w, [1, 2, 3], 4);
  expect(await filesOf(w, second.commit)).toEqual(['a.txt', 'b.txt']);
  expect(await filesOf(w, fourth.commit)).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
  expect(await filesOf(w, fourth.pre_batch_commit)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  expect(second.pre_batch_commit).toBe(first.commit);
  expect(await w.git('rev-parse', `${fourth.pre_batch_commit}^`)).toBe(second.commit);
  // The bot pull request and the event must name the same commit.
  expect(await w.rows('select pre_batch_sha as sha from bot_pull_request where batch_id = $1', [fourth.id])).toEqual([
    { sha: fourth.pre_batch_commit },
  ]);
  const added = await w.rows(
    "select payload->'blockingPullRequests' as blocking from event where action = 'added_to_batch' order by id",
  );
  expect(added).toEqual([{ blocking: [] }, { blocking: [1] }, { blocking: [1, 2, 3] }]);
  const heads = async (...numbers: number[]): Promise<string[]> =>
    await Promise.all(numbers.map(async (number) => (await w.status(number)).head_sha));
  const tip = await w.git('rev-parse', 'main');
  const merged = await w.rows('select parent, heads, tree from merge_result order by cardinality(heads)');
  expect(merged).toEqual([
    { parent: tip, heads: await heads(1), tree: await w.git('rev-parse', `${first.commit}^{tree}`) },
    { parent: tip, heads: await heads(1, 2), tree: await w.git('rev-parse', `${second.commit}^{tree}`) },
    { parent: tip, heads: await heads(1, 2, 3, 4), tree: await w.git('rev-parse', `${fourth.commit}^{tree}`) },
  ]);
});

it('a speculative build that does not merge is given up, and the conflict is recorded with all heads before it', async () => {
  await using w = await world({ configuration: parallel(), runsCi: false });
  await w.queue(await w.open('a', { 'shared.txt': 'a\n' }), await w.open('b', { 'shared.txt': 'b\n' }));
  await openAll(w, 'c');
  const onFirst = await start(w, [1], 2);
  const onBoth = await start(w, [1, 2], 3);
  expect(onFirst).toMatchObject({ state: 'making', given_up: true, commit: null });
  expect(onBoth).toMatchObject({ state: 'making', given_up: true, commit: null });
  expect(await statuses(w, 1, 2, 3)).toEqual(['queued', 'queued', 'queued']);
  const heads = [(await w.status(1)).head_sha, (await w.status(2)).head_sha];
  const { batches, mergeResults } = await turn(w, () => []);
  expect(mergeResults).toEqual([{ parent: await w.git('rev-parse', 'main'), heads, tree: null, conflictAt: 1 }]);
  expect(batches.map(({ sideBuild, givenUp, assumes }) => [sideBuild, givenUp, assumes.length])).toEqual([
    ['speculative', true, 1],
    ['speculative', true, 2],
  ]);
});

it('a pull request in two speculative builds is tagged until the last one ends, and is tagged and reset once', async () => {
  await using w = await world({ configuration: parallel(), runsCi: false });
  await openAll(w, 'a', 'b');
  const started = [await start(w, [], 2), await start(w, [1], 2)];
  expect(await statuses(w, 1, 2)).toEqual(['queued', 'tagged']);
  const end = async (id: string): Promise<void> =>
    void (await turn(w, () => [{ kind: 'SupersedeBatch', batch: id, code: 301, causedBy: null, failedBuild: null }]));
  await end(started[0]!.id);
  expect(await statuses(w, 2)).toEqual(['tagged']);
  expect(await resets(w)).toEqual([]);
  await end(started[1]!.id);
  expect(await statuses(w, 2)).toEqual(['queued']);
  expect(await resets(w)).toEqual([[301, 2, 1]]);
  expect((await w.events()).filter(([action]) => action === 'added_to_batch')).toEqual([['added_to_batch', [2]]]);
  const [depth] = await w.rows('select waiting, tagged from queue');
  expect(depth).toEqual({ waiting: 2, tagged: 0 });
});

it('the snapshot says why pull requests that a speculative build assumes have left the line', async () => {
  await using w = await world({ configuration: parallel(), runsCi: false });
  await openAll(w, 'a', 'b', 'c', 'd');
  await start(w, [1, 2, 3], 4);
  await w.rows("update pull_request set status = 'open', rank = null where number = 1");
  await w.rows("update pull_request set status = 'pending', rank = null, head_sha = 'moved' where number = 2");
  await w.rows("update pull_request set status = 'blocked', rank = null, status_code = 107 where number = 3");
  const { departures } = await turn(w, () => []);
  const numbers = await w.rows<{ id: string; number: number }>('select id, number from pull_request');
  const gone = departures.map(({ pullRequest, code }) => [numbers.find(({ id }) => id === pullRequest)?.number, code]);
  expect(gone.sort()).toEqual([
    [1, 303],
    [2, 310],
    [3, 301],
  ]);
});

it('the snapshot counts how many second builds of red contents have passed', async () => {
  await using w = await world({ configuration: parallel(), runsCi: false });
  await openAll(w, 'a', 'b', 'c', 'd', 'e');
  const started: BuildRow[] = [];
  for (const number of [1, 2, 3, 4, 5]) started.push(await start(w, [], number));
  const end = async (place: number, content: string, conclusion: 'success' | 'failure'): Promise<void> => {
    const { id, commit } = started[place]!;
    await w.rows('update batch set content = $2 where id = $1', [id, content]);
    await w.rows('update build set complete = true, finished_at = started_at where commit = $1', [commit]);
    await w.rows(
      `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
       select account_id, repository_id, commit, 'test', 99, $2 from build where commit = $1`,
      [commit, conclusion],
    );
  };
  const adaptive = { speculation: 'adaptive' } as const;
  expect((await turn(w, () => [], adaptive)).secondTries).toEqual({ passed: 0, judged: 0 });
  await end(0, 'one', 'failure');
  await end(1, 'one', 'success');
  await end(2, 'other', 'failure');
  await end(3, 'other', 'failure');
  await end(4, 'alone', 'failure');
  expect((await turn(w, () => [], adaptive)).secondTries).toEqual({ passed: 1, judged: 2 });
  expect((await turn(w, () => [])).secondTries).toBeUndefined();
});

it('the snapshot has the affected targets, and the success probability from earlier pull requests', async () => {
  await using w = await world({ configuration: parallel() });
  await openAll(w, 'good', 'bad');
  await w.commit('bad', { bad: 'x\n' });
  await w.queue(2);
  await w.settled(1, 2);
  await openAll(w, 'c', 'd');
  const usingTargets = { useAffectedTargets: true };
  await w.rows("update pull_request set affected_targets = '{api,web}' where number = 3");
  const before = await turn(w, () => [], usingTargets);
  expect(before.pullRequests.map(({ number, targets }) => [number, targets])).toEqual([
    [3, ['api', 'web']],
    [4, null],
  ]);
  expect(before.landings).toEqual([]);
  const [outcome] = await w.rows<{ blocked: number }>(
    "select count(*)::int as blocked from event where action = 'blocked' and payload->>'statusCode' = '107'",
  );
  expect(outcome?.blocked).toBeGreaterThan(0);
  for (const { successProbability } of before.pullRequests) expect(successProbability).toBeLessThan(0.9);
});
