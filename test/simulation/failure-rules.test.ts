// What the rules about failures notice. The rows are written by the test, because the service writes no such rows.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { open } from './acts.ts';
import type { Head } from './build-rules.ts';
import { configurations, configurationsOf } from './configurations.ts';
import { drawsOf } from './draws.ts';
import { createFailureRules, type FailureRules } from './failure-rules.ts';
import { openInstallation, type Installation } from './installation.ts';
import { noPromises } from './promises.ts';

const seed = configurations.findIndex(({ name }) => name === 'second attempts');
const noHeads: ReadonlyMap<number, Head> = new Map();

const promises = noPromises();
let i: Installation;
let pullRequest: { readonly id: string; readonly number: number };

beforeAll(async () => void (i = await openInstallation(configurationsOf(seed).slice(0, 2))));
afterAll(async () => await i[Symbol.asyncDispose]());

beforeEach(async () => {
  const [by] = i.processes;
  if (by === undefined) throw new Error('There is no process.');
  await open({ i, promises, draw: drawsOf(1, 0), by }, { base: 'main', below: null, mayQueue: false }).work();
  const [row] = await i.rows<{ id: string; number: number }>(
    'select id::text as id, number from pull_request order by id desc limit 1',
  );
  if (row === undefined) throw new Error('No pull request was opened.');
  pullRequest = row;
});

async function lookedAt(rules: FailureRules): Promise<readonly string[]> {
  await i.kept.refresh('rules');
  return await rules.look(noHeads, noHeads);
}

/** Adds a batch of the pull request. Its only check has this conclusion. */
async function addBatch(of: {
  readonly state: string;
  readonly side?: 'isolation';
  readonly parent?: string;
  readonly conclusion: string;
}): Promise<string> {
  const { state, side = null, parent = null, conclusion } = of;
  const [batch] = await i.rows<{ id: string }>(
    `insert into batch (account_id, queue_id, repository_id, position, side_build, cause, mode, state, parent_batch_id, parent_commit, base_commit,
                        strategy, batch_commit, build_keys_hash, group_message, created_at)
     select account_id, queue_id, repository_id, 1, $2, 'new', 'parallel', $3, $4, '', '', 'squash', 'group', '', '', now() from pull_request where id = $1
     returning id::text as id`,
    [pullRequest.id, side, state, parent],
  );
  const id = batch?.id ?? '';
  await i.rows('update batch set commit = $2, tree = $2 where id = $1', [id, `commit ${id}`]);
  await i.rows(
    `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
     select account_id, $2, 1, id, head_sha, '', '', '' from pull_request where id = $1`,
    [pullRequest.id, id],
  );
  await i.rows(
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
     select account_id, repository_id, $2, 'test', 1, $3 from pull_request where id = $1`,
    [pullRequest.id, `commit ${id}`, conclusion],
  );
  return id;
}

it.each([
  ['cancelled', 1],
  ['success', 1],
  ['failure', 0],
])(
  'looks at a pull request that a failed check blocks, and whose build ended with %s',
  async (conclusion, problems) => {
    const rules = createFailureRules(i);
    await lookedAt(rules);
    await addBatch({ state: 'superseded', conclusion });
    await i.rows("update pull_request set status = 'blocked', status_code = 107 where id = $1", [pullRequest.id]);
    const sentence = `#${pullRequest.number} is blocked by a failed check, and no check of it has failed.`;
    expect(await lookedAt(rules)).toEqual(problems === 1 ? [sentence] : []);
    expect(await lookedAt(rules)).toEqual([]);
  },
);

/** Adds an event of the batch. Events have the order in which they were written. */
async function addEvent(batch: string, action: 'batch_failed' | 'batch_merged'): Promise<void> {
  await i.rows(
    'insert into event (account_id, batch_id, action, at) select account_id, id, $2, now() from batch where id = $1',
    [batch, action],
  );
}

it.each([
  ['building', ['success'], 'later', 1],
  ['building', ['failure'], 'later', 0],
  ['building', ['cancelled'], 'later', 1],
  ['building', ['cancelled', 'cancelled'], 'later', 0],
  ['landing', ['success'], 'later', 1],
  ['landed', ['success'], 'later', 1],
  ['landed', ['failure'], 'later', 0],
  ['landed', ['success'], 'before', 0],
] as const)(
  'looks at a failure behind a batch that is %s, with isolation builds of %j, if the batch lands %s',
  async (state, isolations, lands, problems) => {
    const rules = createFailureRules(i);
    await lookedAt(rules);
    const parent = await addBatch({ state, conclusion: 'success' });
    for (const conclusion of isolations) await addBatch({ state: 'superseded', side: 'isolation', conclusion });
    const id = await addBatch({ state: 'failed', parent, conclusion: 'failure' });
    if (lands === 'before') await addEvent(parent, 'batch_merged');
    await addEvent(id, 'batch_failed');
    if (lands === 'later' && state === 'landed') await addEvent(parent, 'batch_merged');
    const sentence = `Batch ${id} failed behind batch ${parent}, and no isolation build of it was red.`;
    expect(await lookedAt(rules)).toEqual(problems === 1 ? [sentence] : []);
  },
);

it('looks at how often a pull request has returned to the line', async () => {
  const rules = createFailureRules(i);
  await lookedAt(rules);
  await i.rows('update pull_request set requeue_attempts = 1 where id = $1', [pullRequest.id]);
  expect(await lookedAt(rules)).toEqual([]);
  await i.rows('update pull_request set requeue_attempts = 2 where id = $1', [pullRequest.id]);
  expect(await lookedAt(rules)).toEqual([
    `#${pullRequest.number} returned to the line 2 times, and the configuration allows 1.`,
  ]);
});
