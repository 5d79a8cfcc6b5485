// Work that goes on without people: turns of the queue and steps of batches as their workflows take them, hints of the
// host, the relay, the reconcilers, CI, the sequencer, and webhooks. A process may lose each of these tasks.
import { setTimeout as delay } from 'node:timers/promises';
import { advanceQueue, carryOutAll, createRelay, driveBatch, planIfIrrelevant } from '../../src/modules/queue/index.ts';
import { sequenceEvents } from '../../src/modules/events/index.ts';
import { advanceOutbox } from '../../src/modules/webhooks/outbox.ts';
import { findLostRetries } from '../../src/modules/webhooks/relay.ts';
import {
  claimCheckRun,
  concludeCheckRun,
  recoverLeases,
  renewLeases,
} from '../../src/hosts/local/check-run-leases.rows.ts';
import { createReconciler } from '../../src/reconciler.ts';
import { isOutage } from '../../src/platform/outage.ts';
import type { Draws } from './draws.ts';
import type { Hint, Installation, Process, RunningCheck } from './installation.ts';
import { newTask, type Task } from './tasks.ts';
import type { Truth } from './truth.ts';

/** The workflows that Temporal would have. */
export interface Workflows {
  /** The task of the turn that runs, by queue. */
  readonly turns: Map<string, Task>;
  /** The deadlines that turns have returned, by queue. */
  readonly deadlines: Map<string, number>;
  /** The batches with a workflow: when the workflow looks next, and its task that runs. */
  readonly batches: Map<string, { lookAt: number; task: Task | null; polls: number }>;
}

export interface Working {
  readonly i: Installation;
  readonly workflows: Workflows;
  readonly truth: Truth;
  /**
   * The loops of each process, by its name. They are kept, because a relay and a reconciler remember what they have
   * seen.
   */
  readonly loops: Map<string, Loops>;
  /** Tasks that a process runs only once at a time, by `<process> <name>`. */
  readonly alone: Map<string, Task>;
}

interface Loops {
  readonly relay: ReturnType<typeof createRelay>;
  readonly reconciler: ReturnType<typeof createReconciler>;
}

export interface Choice {
  readonly weight: number;
  readonly name: string;
  readonly begin: () => Task;
}

/** Which kinds of work wait, so that few steps find nothing to do. */
interface Waiting {
  readonly checks: boolean;
  readonly hints: boolean;
  readonly events: boolean;
  readonly webhooks: boolean;
  /** The commit on which the first build in line is tested. Null: there is no such build. */
  readonly firstBuild: string | null;
}

async function readWaiting({ i }: Working): Promise<Waiting> {
  const [waiting] = await i.rows<Waiting>(
    `select exists (select from local_check_run where state = 'queued' or lease_owner = any($1)) as checks,
            exists (select from host_hint) as hints,
            exists (select from event where position is null) as events,
            exists (select from webhook_delivery where state = 'pending')
              or exists (select from webhook_cursor c join event_head h on h.account_id = c.account_id where c.position < h.position) as webhooks,
            (select coalesce(b.tested_commit, b.commit) from batch b where b.ended_at is null and b.side_build is null
             order by b.position limit 1) as "firstBuild"`,
    [i.deadRunners],
  );
  return waiting ?? { checks: false, hints: false, events: false, webhooks: false, firstBuild: null };
}

const pollSeconds = [10, 20, 40, 80, 160, 300] as const;
const failedAgainMs = 5_000;
const leaseSec = 2 * 3600;

/** What a process could begin now. */
export async function choicesOf(w: Working, by: Process, draw: Draws): Promise<Choice[]> {
  const { i } = w;
  const waiting = await readWaiting(w);
  const idle = (weight: number, isWaiting: boolean): number => (isWaiting ? weight : 0.05);
  const now = i.time.now();
  const isFree = (task: Task | null | undefined): boolean =>
    task === null || task === undefined || task.state === 'done';
  const choices: Choice[] = [];
  const add = (weight: number, name: string, work: () => Promise<void>): void =>
    void choices.push({ weight, name, begin: () => newTask(by.name, name, work) });
  const alone = (weight: number, name: string, work: () => Promise<void>, only = name): void => {
    const key = `${by.name} ${only}`;
    if (!isFree(w.alone.get(key))) return;
    choices.push({
      weight,
      name,
      begin: () => {
        const task = newTask(by.name, name, work);
        w.alone.set(key, task);
        return task;
      },
    });
  };

  const due = [...w.workflows.deadlines].flatMap(([id, at]) => (at <= now ? [id] : []));
  for (const queueId of new Set([...i.woken, ...due])) {
    if (!isFree(w.workflows.turns.get(queueId))) continue;
    const name = `turn of queue ${queueId}`;
    choices.push({
      weight: 8,
      name,
      begin: () => {
        const isLight = i.wokenLightly.delete(queueId);
        i.woken.delete(queueId);
        const task = newTask(by.name, name, async () => {
          if (isLight && (await isPlannedBeforeWake(w, by, queueId))) return;
          w.workflows.deadlines.delete(queueId);
          await takeTurn(w, by, queueId);
        });
        w.workflows.turns.set(queueId, task);
        return task;
      },
    });
  }
  for (const [batchId, batch] of w.workflows.batches) {
    if (!isFree(batch.task) || batch.lookAt > now) continue;
    const name = `step of batch ${batchId}`;
    choices.push({
      // A workflow that only asks again whether CI has ended does not keep other work waiting.
      weight: batch.polls === 0 ? 6 : 2,
      name,
      begin: () => {
        batch.task = newTask(by.name, name, async () => await stepBatch(w, by, batchId));
        return batch.task;
      },
    });
  }
  const own = i.hints.filter(({ process }) => process === by.name);
  if (own.length > 0)
    alone(8, 'hint', async () => {
      const hints = chooseHints(own, draw);
      const again = hints.filter(() => draw.chance(0.05));
      i.hints.splice(0, i.hints.length, ...i.hints.filter((hint) => !hints.includes(hint) || again.includes(hint)));
      await by.service.storeHostEvents(hints.map(({ event }) => event));
      await drained(by.service);
    });
  else alone(idle(3, waiting.hints), 'hint', async () => await drained(by.service));

  const loops = loopsOf(w, by);
  alone(1, 'relay', async () => await loops.relay.look());
  alone(0.3, 'find lost retries', async () => {
    for (const { deliveryId } of await findLostRetries(by.service.ports, new Date(now))) i.retries.set(deliveryId, now);
  });
  alone(0.6, 'reconcile', async () => await drained(loops.reconciler));
  alone(0.6, 'reconcile the host', async () => await by.service.localHost.reconcile(i.repository));
  alone(idle(5, waiting.checks), 'take a check', async () => await takeChecks(w, by, 1 + draw.below(3)));
  const isSlow = ({ run }: RunningCheck): boolean =>
    now < i.slowUntil && (!i.isOnlyFirstSlow || run.commit === waiting.firstBuild);
  for (const check of i.running.filter((each) => each.process === by.name && !isSlow(each)))
    add(12, `report of check ${check.run.id}`, async () => await report(w, by, { check, draw }));
  alone(idle(1, waiting.events), 'give events positions', async () => void (await sequenceEvents(by.service.ports.db)));
  // A process writes the outcomes of its webhooks together, so that one of these tasks would wait for another.
  alone(idle(2, waiting.webhooks), 'send webhooks', async () => await send(w, by, draw), 'webhooks');
  for (const [deliveryId, at] of i.retries)
    if (at <= now) alone(2, `retry of delivery ${deliveryId}`, async () => await retry(w, by, deliveryId), 'webhooks');
  return choices;
}

/** All hints of a process, or one of them: mostly the oldest, because hints of a host may arrive in another order. */
function chooseHints(own: readonly Hint[], draw: Draws): readonly Hint[] {
  if (draw.chance(0.5)) return own;
  const at = draw.chance(0.7) ? 0 : draw.below(own.length);
  return own.slice(at, at + 1);
}

function loopsOf(w: Working, by: Process): Loops {
  const known = w.loops.get(by.name);
  if (known !== undefined) return known;
  const { ports } = by.service;
  const made = {
    relay: createRelay(ports),
    reconciler: createReconciler(ports),
  };
  w.loops.set(by.name, made);
  return made;
}

/** If a part of the work fails, waits for the rest of it too, so that nothing runs beside other tasks. */
async function drained(work: { drain(): Promise<void> }): Promise<void> {
  try {
    await work.drain();
  } catch (error) {
    await work.drain();
    throw error;
  }
}

/**
 * Does what a process does before it wakes the workflow of a queue. If it fails, it wakes the workflow. A running service
 * plans beside turns and effects of other processes; here the plan and the turn that may follow are one task.
 */
async function isPlannedBeforeWake({ i, workflows }: Working, { ctx }: Process, queueId: string): Promise<boolean> {
  // A workflow whose own deadline has come takes a turn in any case.
  if ((workflows.deadlines.get(queueId) ?? Infinity) <= i.time.now()) return false;
  try {
    return await planIfIrrelevant(ctx, queueId);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return false;
  }
}

/** Does what the workflow of a queue does: plans, starts a workflow for each batch, and carries out the effects. */
async function takeTurn({ i, workflows }: Working, { ctx }: Process, queueId: string): Promise<void> {
  const again = (inMs: number): void => {
    const at = i.time.now() + inMs;
    workflows.deadlines.set(queueId, Math.min(workflows.deadlines.get(queueId) ?? at, at));
  };
  let advance: Awaited<ReturnType<typeof advanceQueue>>;
  try {
    advance = await advanceQueue(ctx, queueId);
  } catch (error) {
    again(failedAgainMs);
    throw error;
  }
  if (advance.nextLookAt !== null) again(advance.nextLookAt - i.time.now());
  for (const { id } of advance.batches)
    if (!workflows.batches.has(id)) workflows.batches.set(id, { lookAt: i.time.now(), task: null, polls: 0 });
    else Object.assign(workflows.batches.get(id) ?? {}, { lookAt: i.time.now() });
  for (const { intents } of advance.effects) {
    const errors = await carryOutAll(ctx, intents).catch((error: unknown) => [error]);
    if (errors.length > 0) again(failedAgainMs);
    for (const error of errors) if (!isOutage(error)) throw error;
  }
}

/** Does what the workflow of a batch does: one step, and the next step at once or when the host can be asked again. */
async function stepBatch({ i, workflows }: Working, { ctx }: Process, batchId: string): Promise<void> {
  const batch = workflows.batches.get(batchId);
  if (batch === undefined) return;
  batch.lookAt = i.time.now() + failedAgainMs;
  const { need } = await driveBatch(ctx, batchId);
  if (need === 'done') return void workflows.batches.delete(batchId);
  const isWaiting = need === 'wait' || need === 'make';
  const pollSec = pollSeconds[Math.min(batch.polls, pollSeconds.length - 1)] ?? 300;
  batch.polls = isWaiting ? batch.polls + 1 : 0;
  batch.lookAt = i.time.now() + (isWaiting ? pollSec * 1000 : 0);
}

async function takeChecks({ i }: Working, by: Process, most: number): Promise<void> {
  const { db } = by.service.ports;
  const ids = i.running.flatMap(({ process, run }) => (process === by.name ? [run.id] : []));
  await recoverLeases(db, { owner: by.runner, ids, deadOwners: i.deadRunners });
  for (let taken = 0; taken < most; taken += 1) {
    const run = await claimCheckRun(db, by.runner, leaseSec);
    if (run === null) return;
    i.running.push({ process: by.name, run });
  }
}

async function report(
  { i, truth }: Working,
  by: Process,
  { check, draw }: { readonly check: Installation['running'][number]; readonly draw: Draws },
): Promise<void> {
  const { db } = by.service.ports;
  const { run } = check;
  const whim = draw.real();
  const [held] = await renewLeases(db, { owner: by.runner, ids: [run.id], leaseSec });
  if (held !== undefined) {
    const verdict = await truth.judge(run.commit, whim);
    const conclusion = held.cancel_requested ? 'cancelled' : verdict;
    truth.report(run.commit, conclusion);
    // Tries until the conclusion is written, like a runner, because no other process writes it.
    for (;;)
      try {
        await concludeCheckRun(db, { run, leaseOwner: by.runner }, { conclusion, summary: conclusion });
        break;
      } catch (error) {
        if (!isOutage(error)) throw error;
        await delay(100);
      }
  }
  i.running.splice(i.running.indexOf(check), 1);
  by.service.localHost.installation.emit({ kind: 'checks', repository: i.repository, commit: run.commit });
}

async function send({ i, truth }: Working, by: Process, draw: Draws): Promise<void> {
  const { webhooks, ports } = by.service;
  if (webhooks === null) throw new Error('Nothing is sent from here.');
  await advanceOutbox(ports.db, i.accountId, ports.clock());
  const endpoints = await i.rows<{ id: string }>('select id::text as id from webhook_endpoint where enabled');
  for (const { id } of endpoints) {
    const endpoint = { accountId: i.accountId, endpointId: id };
    const sendSome = async (): Promise<number> => {
      const { deliveries, target } = await webhooks.takePendingDeliveries(endpoint, 1 + draw.below(8));
      for (const delivery of deliveries) await webhooks.send(delivery, target);
      return deliveries.length;
    };
    let sent = await sendSome();
    // Without faults everything is sent, as the relay does. With faults, other work happens between the deliveries.
    while (sent > 0 && truth.isHonest()) sent = await sendSome();
  }
}

async function retry({ i }: Working, by: Process, deliveryId: string): Promise<void> {
  i.retries.set(deliveryId, i.time.now() + failedAgainMs);
  const waiting = await by.service.webhooks?.attemptRetry({ accountId: i.accountId, deliveryId });
  if (waiting === undefined) return;
  if (waiting.nextLookAt === null) i.retries.delete(deliveryId);
  else i.retries.set(deliveryId, waiting.nextLookAt);
}
