// Moves refs, either all or none. A move is refused with RefMoved if a ref does not have its expected value. The error
// has the actual value.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommitMissing, HostRefused, HostUnavailable, RefMoved, type RefUpdate } from '../port.ts';
import { readDiskTime } from './disk-time.ts';
import { GitFailed } from './git-failed.ts';
import type { Git } from './git.ts';
import { requireObjectId, requireRefName } from './names.ts';
import { isAncestor } from './ancestry.ts';
import { readRefValue } from './ref-files.ts';
import { listRefFolders } from './ref-folders.ts';
import { findAbandonedUpdates, removeEntry, noteUpdates } from './ref-journal.ts';

/**
 * Applies all updates or none. Throws RefMoved, CommitMissing, HostRefused (git does not accept an object or a name) or
 * HostUnavailable.
 */
export async function updateRefs(git: Git, directory: string, updates: readonly RefUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  const ordered = orderBranchesFirst(updates);
  const note = ordered.length > 1 ? await noteUpdates(directory, ordered) : null;
  try {
    await transact(git, directory, ordered);
  } catch (error) {
    // If git refused while preparing, no ref has moved. After every other failure, some refs may have moved, and the
    // update is completed.
    const isApplied = !isRefusal(error) && (await completeUpdates(git, directory, ordered)) === 'applied';
    if (!isApplied) {
      if (note !== null) await removeEntry(note);
      throw await explainFailure(directory, ordered, error);
    }
  }
  if (note !== null) await removeEntry(note);
}

/** Sets a ref without a check of its present value. */
export async function setRef(
  git: Git,
  directory: string,
  { ref, to }: { readonly ref: string; readonly to: string },
): Promise<void> {
  await transactText(
    git,
    directory,
    transactionText([`update ${requireRefName(ref)}\0${requireObjectId(to)}\0\0`]),
  ).catch(async (error: unknown) => {
    if (!(error instanceof GitFailed)) throw error;
    await git.run(directory, ['update-ref', ref, to]);
  });
}

/** Completes the ref updates of processes that died during them. */
export async function completeAbandonedUpdates(git: Git, directory: string): Promise<void> {
  for (const { path, updates } of await findAbandonedUpdates(directory)) {
    await completeUpdates(git, directory, updates);
    await removeEntry(path);
  }
}

/**
 * Removes the lock files of killed git processes, and returns their names. A lock younger than `olderThanMs` may belong
 * to a running process and stays.
 */
export async function removeStaleLocks(directory: string, olderThanMs: number): Promise<string[]> {
  const { files } = await listRefFolders(directory, 'refs').catch(() => ({ files: [] as string[] }));
  const candidates = [
    'HEAD.lock',
    'packed-refs.lock',
    'config.lock',
    'shallow.lock',
    'objects/info/commit-graph.lock',
    ...files.filter((path) => path.endsWith('.lock')),
  ];
  const removed: string[] = [];
  let now: number | undefined;
  for (const candidate of candidates) {
    const path = join(directory, candidate);
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile()) continue;
    now ??= await readDiskTime(directory);
    if (now - found.mtimeMs < olderThanMs) continue;
    await rm(path, { force: true });
    removed.push(candidate);
  }
  return removed;
}

function orderBranchesFirst(updates: readonly RefUpdate[]): RefUpdate[] {
  const refs = new Set(updates.map(({ ref }) => ref));
  if (refs.size !== updates.length) throw new HostRefused('An update names the same ref twice');
  const isBranch = ({ ref }: RefUpdate): boolean => ref.startsWith('refs/heads/');
  return [...updates.filter(isBranch), ...updates.filter((update) => !isBranch(update))];
}

function transactionOf(updates: readonly RefUpdate[]): string {
  const lines = updates.map(({ ref, from, to }) => {
    const name = requireRefName(ref);
    if (from !== null) requireObjectId(from);
    if (to !== null) requireObjectId(to);
    if (to === null) return from === null ? `verify ${name}\0\0` : `delete ${name}\0${from}\0`;
    return from === null ? `create ${name}\0${to}\0` : `update ${name}\0${to}\0${from}\0`;
  });
  return transactionText(lines);
}

function transactionText(lines: readonly string[]): string {
  return ['start\0', ...lines, 'prepare\0', 'commit\0'].join('');
}

/**
 * Runs the transaction in the repository's long-running `git update-ref`. If that git process dies, or refuses although
 * every ref has its expected value, a new git process runs the transaction. The result of the new process counts,
 * because it has no outdated refs in memory.
 */
async function transact(git: Git, directory: string, updates: readonly RefUpdate[]): Promise<void> {
  const text = transactionOf(updates);
  try {
    await transactText(git, directory, text);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (isRefusal(error) && (await findMoved(directory, updates)) !== null) throw error;
    if (!isRefusal(error) && (await completeUpdates(git, directory, updates)) === 'applied') return;
    await git.run(directory, ['update-ref', '--stdin', '-z'], { stdin: text });
  }
}

async function transactText(git: Git, directory: string, text: string): Promise<void> {
  const committed = 'commit: ok\n';
  await git.processes.ask(directory, 'update-ref', {
    text,
    read: (output) => {
      const at = output.indexOf(committed);
      return at === -1 ? { bytesNeeded: output.length + 1 } : { answer: null, end: at + committed.length };
    },
  });
}

/** Whether git refused the transaction while preparing it. Then no ref has moved. */
function isRefusal(error: unknown): boolean {
  return error instanceof GitFailed && /^fatal: prepare:/m.test(error.stderr);
}

const maxAttempts = 3;

async function completeUpdates(
  git: Git,
  directory: string,
  updates: readonly RefUpdate[],
): Promise<'applied' | 'not applied'> {
  const moving = updates.filter(({ from, to }) => from !== to);
  for (let attempt = 1; ; attempt += 1) {
    const states = await Promise.all(
      moving.map(async (update) => ({ update, state: await stateOf(git, directory, update) })),
    );
    if (states.every(({ state }) => state !== 'after')) return 'not applied';
    const missing = states.filter(({ state }) => state === 'before').map(({ update }) => update);
    if (missing.length === 0) return 'applied';
    try {
      await git.run(directory, ['update-ref', '--stdin', '-z'], { stdin: transactionOf(missing) });
      return 'applied';
    } catch (error) {
      // Another process may be completing the same update. The refs are read again.
      if (attempt === maxAttempts) throw error;
    }
  }
}

async function stateOf(
  git: Git,
  directory: string,
  { ref, from, to }: RefUpdate,
): Promise<'before' | 'after' | 'elsewhere'> {
  const actual = await readRefValue(directory, ref);
  if (actual === to) return 'after';
  if (actual === from) return 'before';
  // A branch that was updated and then pushed to contains the commit of the update.
  return actual !== null && to !== null && (await isAncestor(git, directory, { ancestor: to, descendant: actual }))
    ? 'after'
    : 'elsewhere';
}

async function explainFailure(directory: string, updates: readonly RefUpdate[], error: unknown): Promise<unknown> {
  if (!(error instanceof GitFailed)) return error;
  const moved = await findMoved(directory, updates);
  if (moved !== null) return moved;
  const message = error.stderr.trim().replace(/^fatal: /, '');
  const missing = /nonexistent object ([0-9a-f]{40,64})/.exec(message)?.[1];
  if (missing !== undefined) return new CommitMissing(missing, { cause: error });
  const isRefused = /nonexistent object|non-commit object|cannot create|invalid ref format|not a valid/.test(message);
  return isRefused && !/\.lock/.test(message) ? new HostRefused(message) : new HostUnavailable(message);
}

async function findMoved(directory: string, updates: readonly RefUpdate[]): Promise<RefMoved | null> {
  for (const { ref, from } of updates) {
    const actual = await readRefValue(directory, ref);
    if (actual !== from) return new RefMoved(ref, from, actual);
  }
  return null;
}
