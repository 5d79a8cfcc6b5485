// What the tests of the queue use: changes that arrive at an exact step, and what users see in the end.
import { expect } from 'vitest';
import { dequeuePullRequest, queuePullRequest } from '../../src/modules/queue/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import type { HostRepository } from '../../src/hosts/port.ts';
import { verifyRepository, type Verification } from '../../src/modules/queue/landing/verify.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { explainWorld, type Answer } from '../support/explanation-log.ts';
import type { World } from '../support/world.ts';

/** Rules under which own checks and conflicts do not count, so that only builds decide. */
export const judgedByBuildsAlone = 'preconditions:\n  use_github_mergeability: false\n';

/** Runs `work`. When the engine first reaches the failpoint, `arrival` runs there. */
export async function meanwhile(
  failpoint: string,
  arrival: () => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  let passed = 0;
  const disarm = onFailpoint(failpoint, async () => {
    passed += 1;
    if (passed === 1) await arrival();
  });
  try {
    await work();
  } finally {
    disarm();
  }
  expect(passed, `the engine came past ${failpoint}`).toBeGreaterThan(0);
}

/** The engine stops at the failpoint, as if its process died. Later turns go on. */
export async function dyingAt(w: World, failpoint: string, work: () => Promise<void>): Promise<void> {
  const die = async (): Promise<void> => {
    throw new Error('the worker died');
  };
  await expect(meanwhile(failpoint, die, work)).rejects.toThrow('the worker died');
  await wakeAll(w);
  await work();
}

/** Wakes every queue, as the relay wakes a queue whose work does not go on. */
export async function wakeAll(w: World): Promise<void> {
  for (const { id } of await w.rows<{ id: string }>('select id from queue'))
    await w.service.ports.wake({ accountId: w.ctx.accountId, queueId: id });
}

export function hostOf(w: World): HostRepository {
  return { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
}

export async function setLabel(w: World, number: number, label: string, present = true): Promise<void> {
  await w.host.label(number, label, present);
  await w.service.drain();
}

/** Changes the base branch of a pull request, as a person does at the host. */
export async function retarget(w: World, number: number, base: string): Promise<void> {
  await w.host.retarget(number, base);
}

export async function skipLine(w: World, number: number): Promise<void> {
  await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', skipLine: true });
}

export async function dequeueAnswer(w: World, number: number, clock = w.ctx.clock): Promise<string> {
  try {
    await dequeuePullRequest({ ...w.ctx, clock }, { repository: w.repository, number });
    return 'accepted';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Waits until no intent is open and every batch is cleaned up. */
export async function atRest(w: World): Promise<void> {
  await w.until(async () => {
    const open = await w.rows(
      `select 1 from batch where cleaned_up_at is null union all select 1 from intent where state in ('planned', 'started')`,
    );
    return open.length === 0;
  });
}

export async function statuses(w: World, ...numbers: number[]): Promise<string[]> {
  return await Promise.all(
    numbers.map(async (number) => {
      const { status, status_code } = await w.status(number);
      return status_code === null ? status : `${status} ${status_code}`;
    }),
  );
}

/** Subjects of the first-parent line of the base since the first commit, oldest first. */
export async function line(w: World, base = 'main'): Promise<string[]> {
  return (await w.git('log', '--first-parent', '--reverse', '--format=%s', base)).split('\n').slice(1);
}

/** `[code, pull request, number of pull requests put back]` of every reset so far, in order. */
export async function resets(w: World): Promise<[number, number, number][]> {
  const rows = await w.rows<{ code: number; number: number; back: number }>(
    `select (payload->>'resetCode')::int as code, (payload->>'number')::int as number, (payload->>'pullRequestsReset')::int as back
     from event where action = 'reset' order by id`,
  );
  return rows.map(({ code, number, back }) => [code, number, back]);
}

export async function resetCodes(w: World): Promise<(number | null)[]> {
  const rows = await w.rows<{ reset_code: number | null }>(
    "select reset_code from batch where state = 'superseded' order by id",
  );
  return rows.map((row) => row.reset_code);
}

/**
 * Expects that each pull request was merged by one landing and reported once, that all bot pull requests and their
 * branches are gone, and that nothing else is in line.
 */
export async function expectLandedOnce(w: World, ...numbers: number[]): Promise<void> {
  await atRest(w);
  const landed = await w.landed();
  for (const number of numbers) {
    const { status, merge_commit_sha } = await w.status(number);
    expect(status, `#${number}`).toBe('merged');
    expect(landed.filter((commit) => commit === merge_commit_sha)).toHaveLength(1);
  }
  const merged = (await w.events()).filter(([action]) => action === 'merged').map(([, [number]]) => number);
  expect(merged.toSorted()).toEqual([...numbers].toSorted());
  expect(await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/mq-*')).toBe('');
  expect((await w.host.pullRequests()).filter(({ branch, isOpen }) => isOpen && branch.startsWith('mq-'))).toEqual([]);
  expect(
    await w.rows(
      'select base_branch, halted_reason, waiting, tagged from queue where halted_reason is not null or waiting <> 0 or tagged <> 0',
    ),
  ).toEqual([]);
}

/** Expects that every proof holds when it is derived again, and that the proofs have these grades. */
export async function expectVerified(w: World, grades: Readonly<Record<string, number>>): Promise<void> {
  const found = await verified(w);
  expect(found?.failures).toEqual([]);
  expect(found?.grades).toEqual(grades);
}

/** The verification of the proofs of `main`. */
export async function verified(w: World): Promise<Verification | undefined> {
  return (await verifyAll(w)).find(({ baseBranch }) => baseBranch === 'main');
}

export async function verifyAll(w: World): Promise<Verification[]> {
  const repository = await w.ctx.db.transaction(
    w.ctx.accountId,
    async (tx) => await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId }),
  );
  return await verifyRepository(w.ctx, repository);
}

/** Runs the engine as a wake at this instant would. */
export async function turnsAt(w: World, now: Date): Promise<void> {
  await w.service.drain();
  await wakeAll(w);
  await w.loop.run({ ...w.service.ports, clock: () => now });
}

/** Starts the checks of a world that was made with `runsCi: false`. */
export async function startCi(w: World): Promise<AsyncDisposable> {
  return await w.host.runCi();
}

/**
 * Makes delayed notifications due now, and so the next look at their queues. Without the latter, the next turns are
 * skipped as quiet ones until the notifications would have been due. Returns whether there were any.
 */
export async function hurry(w: World): Promise<boolean> {
  const waiting = await w.rows(
    `with hurried as (update pull_request set notify_at = now() - interval '1 second' where notify_at > now() returning queue_id)
     update queue set next_look_at = now() - interval '1 second' where id in (select queue_id from hurried) returning 1`,
  );
  if (waiting.length > 0) await wakeAll(w);
  return waiting.length > 0;
}

export async function untilNotified(w: World): Promise<void> {
  await w.until(
    async () =>
      !(await hurry(w)) &&
      (await w.rows('select 1 from pull_request where notify_at is not null')).length === 0 &&
      (await w.rows("select 1 from intent where state in ('planned', 'started')")).length === 0,
  );
}

/**
 * Expects that the comment and the check of each pull request say what `explain` says, once both are published. For a
 * pull request in line they say only what stays true: that it is in line, and which pull requests are built with it. A
 * comment does not name the person who dequeued the pull request.
 */
export async function expectNotifiedAsExplained(w: World, ...numbers: number[]): Promise<void> {
  await untilNotified(w);
  const answers = new Map((await explainWorld(w, null)).map((answer) => [answer.number, answer]));
  for (const number of numbers) {
    const answer = answers.get(number);
    const comment = await w.statusComment(number);
    expect(comment, `#${number} is ${answer?.kind}`).toContain(answer === undefined ? '?' : toldText(answer));
    expect(comment).toContain((await w.statusCheck(number))?.summary);
  }
}

function toldText({ kind, sentence }: Answer): string {
  if (kind === 'halted' || kind === 'paused') return 'It is in line';
  if (kind === 'merged') return 'It was merged into';
  if (kind === 'building') return `It is validated${/ together with #\d+(?:, #\d+)*/.exec(sentence)?.[0] ?? ''} in`;
  if (kind === 'not_asked') return sentence.replace(/^It was dequeued by .*/, 'It was dequeued.');
  return ['blocked', 'precondition', 'closed'].includes(kind) ? sentence : 'It is in line';
}
