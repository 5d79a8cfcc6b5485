// Spans without faults: windows in the middle of a history, and its end. What was lost before must be made up for, and
// all work must come to its end.
import { makeRelease } from './base-acts.ts';
import { hasRelease } from './configurations.ts';
import type { Draws } from './draws.ts';
import { holds, setHold } from './holds.ts';
import { finish, goOnFairly, hour, isAnythingDue, minute, second, type Played } from './played.ts';

/** How long it takes until the rows agree with all that happened. */
const convergesWithinMs = minute;
/**
 * How long the first pull request in line may stay the first one, if CI answers at once. A workflow of a batch looks at
 * the host every five minutes, if no hint comes, and a batch of two is bisected into builds one after the other.
 */
const lineMovesWithinMs = 16 * minute;
/** How long it takes until nothing is left to do. Deliveries of webhooks take longer, because their retries wait. */
const restsWithinMs = hour;

/**
 * Ends all faults. Returns the latest instant that any clock has shown. From then on, leases and deadlines of a process
 * whose clock was ahead count as they would without that fault.
 */
function endFaults({ i, w }: Played): number {
  w.truth.setHonest(true);
  i.answer = () => 'accepted';
  i.fullUntil = 0;
  i.slowUntil = 0;
  return Math.max(i.time.now(), i.correctClocks());
}

/** People run the canceled checks of heads again, because a pull request that needs them waits for them. */
async function repeatCanceledChecks({ i }: Played): Promise<void> {
  const [by] = i.processes;
  const heads = await i.rows<{ commit: string }>(
    `select distinct c.commit from local_check_run c
     join pull_request p on p.account_id = c.account_id and p.repository_id = c.repository_id and p.head_sha = c.commit
     where c.conclusion = 'cancelled' and p.status not in ('merged', 'closed')
       and not exists (select from local_check_run n where n.account_id = c.account_id and n.repository_id = c.repository_id
                       and n.commit = c.commit and n.name = c.name and n.attempt > c.attempt)`,
  );
  for (const { commit } of heads) await by?.service.localHost.rerunChecks(i.repository, commit, ['test']);
}

/**
 * Continues for a while without people and without faults, and returns what has not converged. A long window also
 * returns whether the line stood still, and what was left behind.
 */
export async function watchWithoutFaults(p: Played, draw: Draws, isLong: boolean): Promise<string[]> {
  const { i, w, rules } = p;
  p.say(isLong ? 'a long window without faults' : 'a window without faults');
  const from = endFaults(p);
  await i.time.set(from);
  // Hints and wakes in memory are lost. Hints that are stored are lost in long windows only, because in short ones the
  // leases of dead processes must end.
  i.loseHints();
  i.woken.clear();
  if (isLong) await i.rows('delete from host_hint');
  const first = await rules.liveness.firstInLine();
  const problems: string[] = [];
  const goOnUntil = async (until: number, pauseMs: number): Promise<void> => {
    while (problems.length === 0 && i.time.now() < until) {
      if (isLong) await repeatCanceledChecks(p);
      await i.time.set((await isAtRest(p)) ? until : i.time.now() + pauseMs);
      problems.push(...(await goOnFairly(p, draw)), ...(await rules.look()));
    }
  };
  await goOnUntil(from + convergesWithinMs, 10 * second);
  if (problems.length === 0) problems.push(...(await rules.liveness.lookAtConvergence()));
  if (isLong) {
    await goOnUntil(from + lineMovesWithinMs, minute);
    if (problems.length === 0) problems.push(...(await rules.liveness.lookAtProgress(first)));
  }
  w.truth.setHonest(false);
  return problems;
}

/** Continues without faults until nothing is left to do. Returns what does not hold, or the work that does not end. */
export async function comeToRest(p: Played, draw: Draws): Promise<string[]> {
  const { i, tasks } = p;
  endFaults(p);
  // The last hints and wakes are lost too. The reconciler and the relay must find what they reported.
  i.loseHints();
  i.woken.clear();
  const [first] = i.processes;
  if (first === undefined) return [];
  // A pause that a person has begun must be there before it is ended.
  const found = await finish(p, tasks);
  if (found.length > 0) return found;
  // A repository without a line is compared with its host every 15 minutes. Only a comparison finds a pull request that
  // was opened at the host by a request that failed, and the end may take less time.
  await i.rows('update host_comparison set due_at = least(due_at, now())');
  for (const kind of holds) {
    p.promises.held[kind] = null;
    await setHold(first, kind, false);
  }
  // The pull requests of a deleted base branch wait until the branch exists again.
  if (i.configurations.some(hasRelease) && !(await i.git.hasBranch('release'))) await makeRelease(i, p.promises);
  for (let workedMs = 0; workedMs < restsWithinMs; ) {
    const problems = [...(await goOnFairly(p, draw)), ...(await p.rules.look())];
    if (problems.length > 0) return problems;
    // The work before shows whether a canceled check counts as passed.
    await repeatCanceledChecks(p);
    if (await isAtRest(p)) return [];
    const left = await whatIsLeft(p);
    const isOnlyWebhooks = tasks.length === 0 && left.every((each) => each.startsWith('delivery'));
    const next = i.time.now() + 20 * second;
    await i.time.set(isOnlyWebhooks ? Math.max(next, Math.min(...i.retries.values(), next + hour)) : next);
    if (!isOnlyWebhooks) workedMs += 20 * second;
  }
  return [`The installation does not come to rest: ${(await whatIsLeft(p)).join('; ')}`];
}

/** Whether nothing is left to do before people or CI act. */
async function isAtRest(p: Played): Promise<boolean> {
  return p.tasks.length === 0 && (await whatIsLeft(p)).length === 0 && !(await isAnythingDue(p));
}

async function whatIsLeft({ i }: Played): Promise<string[]> {
  const rows = await i.rows<{ left: string }>(
    `select format('#%s is %s', number, status) as left from pull_request where status in ('queued', 'tagged')
     union all select format('batch %s is %s', id, state) from batch where cleaned_up_at is null
     union all select format('intent %s (%s) is %s', id, kind, state) from intent where state in ('planned', 'started')
     union all select format('queue %s is not planned', id) from queue where version > planned_version
     union all select format('the hint %s %s is due', kind, subject) from host_hint where due_at <= now()
     union all select format('the comparison of repository %s with its host is due', repository_id) from host_comparison where due_at <= now()
     union all select format('event %s has no position', id) from event where position is null
     union all select format('the outbox is behind') from webhook_cursor c join event_head h on h.account_id = c.account_id where c.position < h.position
     union all select format('delivery %s is %s', id, state) from webhook_delivery where state in ('pending', 'retrying')
     union all select format('pull request %s waits for a notification', number) from pull_request where notify_at is not null
     union all select format('check %s is %s', id, state) from local_check_run where state <> 'completed'`,
  );
  return rows.map(({ left }) => left);
}
