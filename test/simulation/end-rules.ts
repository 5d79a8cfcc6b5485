// Rules about the end of a history, when all work has ended and no fault happens any more.
import { webhookActions } from '../../src/domain/events/subscription.ts';
import { verifyRepository } from '../../src/modules/queue/landing/verify.ts';
import { findRepository } from '../../src/modules/repositories/index.ts';
import { worldName } from '../support/world-template.ts';
import { allBelow, type Promises, type PullRequest } from './promises.ts';
import { hasRelease, hasStacks } from './configurations.ts';
import type { Installation } from './installation.ts';
import { linesOf } from './repository.ts';
import type { Truth } from './truth.ts';

interface PullRequestRow {
  readonly number: number;
  readonly status: string;
  readonly text: string | null;
}

/** Compares the line, the webhooks, the proofs and the repository. Returns a sentence for each problem. */
export async function lookAtTheRest(i: Installation, promises: Promises, truth: Truth): Promise<readonly string[]> {
  return [
    ...(await lookAtLine(i, promises, truth)),
    ...(await lookAtStacks(i, promises)),
    ...(await lookAtWebhooks(i)),
    ...(await lookAtProofs(i)),
    ...(await lookAtRepository(i)),
  ];
}

async function lookAtLine(i: Installation, promises: Promises, truth: Truth): Promise<string[]> {
  const rows = await i.rows<PullRequestRow>(
    'select number, status, status_text as text from pull_request order by number',
  );
  const problems: string[] = [];
  for (const { number, status, text } of rows) {
    if (['queued', 'tagged'].includes(status)) problems.push(`#${number} stays ${status}.`);
    if (['pending', 'blocked'].includes(status) && !text) problems.push(`#${number} is ${status} without a reason.`);
    if (status === 'open' && promises.asked.has(number) && !promises.touched.has(number))
      problems.push(`#${number} was queued, and is out of the line without a reason.`);
    if (status === 'blocked' && !promises.touched.has(number) && (await isInnocent(i, { number, promises, truth })))
      problems.push(`#${number} is blocked, and nothing is wrong with it: ${text ?? ''}`);
  }
  return problems;
}

/** After a landing, the pull requests that were stacked on the landed one are based on its base branch. */
async function lookAtStacks(i: Installation, { moved }: Promises): Promise<string[]> {
  if (!i.configurations.every(hasStacks)) return [];
  const left = await i.rows<{ number: number; below: number }>(
    `select l.number, p.number as below from local_pull_request l
     join pull_request p on p.account_id = l.account_id and p.repository_id = l.repository_id and p.head_branch = l.base_branch
     where l.state = 'open' and p.status = 'merged' and l.created_at < p.merged_at order by l.number`,
  );
  return left.flatMap(({ number, below }) =>
    moved.has(number) || moved.has(below)
      ? []
      : [`#${number} is still based on the branch of #${below}, which has landed.`],
  );
}

/**
 * Whether the pull request is good by itself, CI has not reported anything untrue about its builds, and no two of them
 * with one tree were canceled.
 */
async function isInnocent(
  i: Installation,
  { number, promises, truth }: { readonly number: number; readonly promises: Promises; readonly truth: Truth },
): Promise<boolean> {
  const pullRequest = promises.pullRequests.find((each) => each.number === number);
  if (pullRequest?.nature !== 'good' || !(await isStackSound(i, pullRequest, promises))) return false;
  // Another configuration may have had no queue for its base branch. It stays blocked then until somebody queues it.
  if (pullRequest.wasElsewhere && i.configurations.length > 2) return false;
  if (pullRequest.base !== 'main' && !hasRelease(await configurationInForce(i))) return false;
  const builds = await i.rows<{ commit: string }>(
    `select head_sha as commit from pull_request where number = $1
     union select coalesce(b.tested_commit, b.commit) from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
       join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id where p.number = $1 and b.commit is not null`,
    [number],
  );
  const canceled = await i.rows(
    `select 1 from build b join check_result c on c.account_id = b.account_id and c.repository_id = b.repository_id and c.commit = b.commit
     where c.conclusion = 'cancelled' and b.tree in (select tree from build where commit = any($1)) group by b.tree having count(*) > 1`,
    [builds.map(({ commit }) => commit)],
  );
  return canceled.length === 0 && builds.every(({ commit }) => !truth.wronged.has(commit));
}

async function configurationInForce(i: Installation): Promise<string> {
  const [row] = await i.rows<{ yaml: string }>('select configuration_yaml as yaml from repository');
  return row?.yaml ?? '';
}

/** Whether nothing below the pull request can be a reason to block it. */
async function isStackSound(i: Installation, pullRequest: PullRequest, promises: Promises): Promise<boolean> {
  const below = allBelow(pullRequest);
  if (below.length === 0) return true;
  const yaml = await configurationInForce(i);
  const isSound = ({ nature, number }: PullRequest): boolean =>
    nature === 'good' && number !== null && !promises.touched.has(number);
  return hasStacks(yaml) && below.every(isSound);
}

async function lookAtWebhooks(i: Installation): Promise<string[]> {
  const rows = await i.rows<{ message: string; state: string; action: string; body: string }>(
    'select message_id as message, state, action, body from webhook_delivery order by id',
  );
  const problems = rows.flatMap(({ message, state, action, body }) => {
    const bodies = i.received.get(message) ?? [];
    if (!['succeeded', 'failed'].includes(state)) return [`The webhook ${message} (${action}) is ${state}.`];
    if (state === 'succeeded' && bodies.length === 0) return [`The webhook ${message} (${action}) never came.`];
    return bodies.every((each) => each === body) ? [] : [`The webhook ${message} (${action}) came with other words.`];
  });
  const known = new Set(rows.map(({ message }) => message));
  const strange = [...i.received.keys()].filter((message) => !known.has(message));
  const counts = await i.rows<{ action: string; events: number; webhooks: number }>(
    `select e.action, count(*)::int as events,
            (select count(*)::int from webhook_delivery d where d.action = e.action) as webhooks
     from event e where e.action = any($1) and e.position > (select min(from_position) from webhook_endpoint)
     group by e.action order by e.action`,
    [webhookActions],
  );
  const lost = counts.flatMap(({ action, events, webhooks }) =>
    events === webhooks ? [] : [`There are ${events} events ${action}, and ${webhooks} webhooks of them.`],
  );
  return [...problems, ...strange.map((message) => `The webhook ${message} came from nowhere.`), ...lost];
}

/** Whether git finds the repository sound, and the same line of commits that the rules have read. */
async function lookAtRepository(i: Installation): Promise<string[]> {
  let isSame = true;
  for (const base of ['main', 'release']) {
    const tip = await i.git.tip(base);
    if (tip === '') continue;
    const line = await i.git.run('rev-list', '--first-parent', `refs/heads/${base}`);
    isSame &&= line === (await i.git.firstParents(tip)).join('\n');
  }
  const faults = linesOf(await i.git.run('fsck', '--strict', '--no-dangling', '--no-progress'));
  return [...(isSame ? [] : ['git lists other commits on the base than the rules have read.']), ...faults];
}

async function lookAtProofs(i: Installation): Promise<string[]> {
  const [first] = i.processes;
  const repository = first === undefined ? null : await findRepository(first.ctx, worldName);
  if (first === undefined || repository === null) return ['The repository is gone.'];
  const verified = await verifyRepository(first.ctx, repository);
  return verified.flatMap(({ failures }) => failures);
}
