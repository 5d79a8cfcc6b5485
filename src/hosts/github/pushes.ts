// Moves refs at GitHub by `git push --atomic`, with `--force-with-lease` for the expected value of each ref. Unlike an
// API call, a push also sends the objects, costs no points, and reports the rule that refuses it.
import { setTimeout as delay } from 'node:timers/promises';
import { passFailpoint } from '../../platform/failpoints.ts';
import {
  BranchRefused,
  CallGivenBack,
  HostRefused,
  type HostRepository,
  HostUnavailable,
  RefMoved,
  type RefUpdate,
} from '../port.ts';
import type { Mirrors } from './mirrors.ts';
import { judgeRefs, readPushAnswer, refuseUpdates } from './push-answers.ts';
import { createPushLane, type PushLane, type PushPace } from './push-lane.ts';

export type UpdateRefs = (repository: HostRepository, updates: readonly RefUpdate[]) => Promise<void>;

export interface Pushes {
  readonly updateRefs: UpdateRefs;
  /** Like `updateRefs`, but ignores the ledger of landings. Pushes of landings come first. */
  readonly updateActualRefs: UpdateRefs;
}

const pushTimeoutMs = 10 * 60_000;
/** How long pushes may go on after a stop has begun: as long as other running work. */
const stopGraceMs = 10_000;

/** What the pushes of one process share. */
interface Pushing {
  readonly mirrors: Mirrors;
  /** Aborted when the time of pushes is over after a stop has begun. */
  readonly ending: AbortSignal;
}

function abortLater(signal: AbortSignal, graceMs: number): AbortSignal {
  const later = new AbortController();
  const begin = (): void => void setTimeout(() => later.abort(), graceMs).unref();
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return later.signal;
}

interface PendingPushes {
  readonly updates: RefUpdate[];
  readonly done: Promise<void>;
}

/** After `stopping` is aborted, updates that would wait are given back, and pushes that run are ended after 10 s. */
export function createPushes(mirrors: Mirrors, pace: PushPace, stopping: AbortSignal): Pushes {
  const pushing: Pushing = { mirrors, ending: abortLater(stopping, stopGraceMs) };
  const lanes = new Map<string, PushLane>();
  const pending = new Map<string, PendingPushes>();

  function laneOf(repository: HostRepository): PushLane {
    const key = `${repository.accountId}/${repository.id}`;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const made = createPushLane(pace, stopping);
    lanes.set(key, made);
    return made;
  }

  /** Deletes bot branches, several in one push. A branch that somebody has moved is not deleted. */
  async function deleteTogether(repository: HostRepository, update: RefUpdate): Promise<void> {
    const key = `${repository.accountId}/${repository.id}`;
    const open = pending.get(key);
    if (open !== undefined) {
      open.updates.push(update);
      await open.done;
    } else {
      const updates = [update];
      const gathering = delay(pace.gatherMs, undefined, { ref: false, signal: stopping }).catch(() => {
        throw new CallGivenBack();
      });
      const done = gathering
        .finally(() => pending.delete(key))
        .then(
          async () =>
            await laneOf(repository).push('other', async () => await pushDeletions(pushing, repository, updates)),
        );
      done.catch(() => {});
      pending.set(key, { updates, done });
      await done;
    }
    const actual = (await readActual(mirrors, repository, [update])).get(update.ref) ?? null;
    if (actual !== null) throw deletionError(update, actual);
  }

  async function updateRefs(repository: HostRepository, updates: readonly RefUpdate[]): Promise<void> {
    refuseUpdates(updates);
    const [only] = updates;
    if (only === undefined) return;
    if (updates.length === 1 && only.from !== null && only.to === null && isBotRef(only.ref))
      return await deleteTogether(repository, only);
    const priority = updates.every(({ ref }) => isBotRef(ref)) ? 'other' : 'landing';
    await laneOf(repository).push(priority, async () => await pushAll(pushing, repository, updates));
  }

  return {
    updateRefs,
    updateActualRefs: async (repository, updates) => {
      refuseUpdates(updates);
      const withoutLedger: Mirrors = { ...mirrors, readRefs: mirrors.readActualRefs };
      await laneOf(repository).push(
        'other',
        async () => await pushAll({ ...pushing, mirrors: withoutLedger }, repository, updates),
      );
    },
  };
}

function deletionError({ ref, from }: RefUpdate, actual: string): Error {
  return actual === from ? new HostUnavailable(`GitHub has not deleted ${ref}`) : new RefMoved(ref, from, actual);
}

async function pushAll(pushing: Pushing, repository: HostRepository, updates: readonly RefUpdate[]): Promise<void> {
  const { mirrors } = pushing;
  const moving = updates.filter(({ from, to }) => from !== to);
  await mirrors.fetchMissing(
    repository,
    moving.flatMap(({ to }) => (to === null ? [] : [to])),
  );
  // If a ref already has its new value, git does not check its lease. It would then apply the other updates of the
  // push. So the expected values are compared before the push.
  const actual = await readActual(mirrors, repository, updates);
  const moved = updates.find(({ ref, from }) => (actual.get(ref) ?? null) !== from);
  if (moved !== undefined) throw new RefMoved(moved.ref, moved.from, actual.get(moved.ref) ?? null);
  if (moving.length === 0) return;
  await passFailpoint('github:before_push');
  const message = await push(pushing, repository, { updates: moving, options: ['--atomic'] });
  await passFailpoint('github:after_push');
  if (message === null) return;
  const problem = judgeRefs(moving, await readActual(mirrors, repository, moving), message);
  if (problem !== null) throw problem;
}

async function pushDeletions(
  pushing: Pushing,
  repository: HostRepository,
  updates: readonly RefUpdate[],
): Promise<void> {
  const { mirrors } = pushing;
  // A ref that is already deleted would make git fail before it deletes the others.
  const actual = await readActual(mirrors, repository, updates);
  const there = updates.filter(({ ref, from }) => actual.get(ref) === from);
  // If a ref is named twice, git pushes nothing.
  const once = [...new Map(there.map((update) => [update.ref, update])).values()];
  if (once.length > 0) await push(pushing, repository, { updates: once, options: [] });
}

/**
 * Pushes the updates. Returns null if GitHub has confirmed all of them. Otherwise returns a message, and it is not known
 * which refs have moved. Throws HostRefused if a rule refuses the push.
 */
async function push(
  { mirrors, ending }: Pushing,
  repository: HostRepository,
  { updates, options }: { readonly updates: readonly RefUpdate[]; readonly options: readonly string[] },
): Promise<string | null> {
  const leases = updates.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
  const refspecs = updates.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  try {
    const end = await mirrors.runWithRemote(
      repository,
      (url) => ['push', '--porcelain', '--no-verify', ...options, ...leases, url, ...refspecs],
      { accept: [0, 1], timeoutMs: pushTimeoutMs, signal: ending },
    );
    const answer = readPushAnswer({ ...end, stdout: end.stdout.toString('utf8') });
    if (answer.kind === 'refused')
      throw answer.isForAll ? new BranchRefused(answer.message) : new HostRefused(answer.message);
    return answer.kind === 'done' ? null : answer.message;
  } catch (error) {
    // The connection was lost, or git was killed. The caller reads the refs to see the result.
    if (error instanceof HostUnavailable) return error.message;
    throw error;
  }
}

async function readActual(
  mirrors: Mirrors,
  repository: HostRepository,
  updates: readonly RefUpdate[],
): Promise<ReadonlyMap<string, string>> {
  const refs = await mirrors.readRefs(
    repository,
    updates.map(({ ref }) => ref),
  );
  return new Map(refs.map(({ ref, commit }) => [ref, commit]));
}

function isBotRef(ref: string): boolean {
  return ref.startsWith('refs/heads/mq-') || ref.startsWith('refs/interlock/builds/');
}
