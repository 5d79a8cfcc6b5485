// Daily maintenance of mirrors: moves landing refs of earlier days to the ledger, removes refs that are not needed any
// more, and joins packs. Only one process of the machine maintains a mirror at a time, at low priority, and usually not
// while the mirror is in use. If all mirrors together take too much room, mirrors that were not used lately are
// removed.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../platform/database.ts';
import { type Loop, repeat } from '../../platform/repeat.ts';
import { listRefs, removeStaleLocks, updateRefs } from '../git/index.ts';
import type { HostRepository, Identity } from '../port.ts';
import { composeCompaction, landingPrefix, ledgerRef, maxInCompaction, planCompaction } from './landing-ledger.ts';
import { underMachineLock } from '../../platform/machine-lock.ts';
import { locksOlderThanMs, mirrorDirectory, mirrorsFolder, noteUse, removeMirror, usedFile } from './mirror-clone.ts';
import type { Mirrors } from './mirrors.ts';
import type { Pushes } from './pushes.ts';
import {
  decideRemovals,
  isMaintenanceDue,
  type MirrorRef,
  type MirrorOnDisk,
  maxPacks,
  noteFirstSeen,
  planRefRemoval,
  type FirstSeen,
  firstSeenAt,
} from './mirror-maintenance.decision.ts';

export interface MaintenanceOptions {
  readonly dataDir: string;
  readonly db: Database;
  readonly clock: () => Date;
  readonly mirrors: Mirrors;
  readonly pushes: Pushes;
  readonly identity: (repository: HostRepository) => Identity;
  /** How many bytes all mirrors of this machine may take together (`GITHUB_MIRROR_MAX_GB`). Null: no limit. */
  readonly maxBytes: number | null;
}

const packTimeoutMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;
/**
 * A landing ref is compacted after this time. By then its batch has ended, so no push of the landing can still arrive.
 */
const compactedAfterMs = dayMs;

/** Makes the loop that maintains every mirror of this machine. */
export function createMaintenance(
  options: MaintenanceOptions,
  { everyMs, onError }: { readonly everyMs: number; readonly onError: (error: unknown) => void },
): Loop {
  const maintainAll = async (signal: AbortSignal): Promise<void> => {
    for (const mirror of await listMirrors(options.dataDir)) {
      if (signal.aborted) return;
      const repository = await findActive(options.db, mirror);
      if (repository !== null) await maintainMirror(options, repository).catch(onError);
    }
    await removeIdleMirrors(options);
  };
  return repeat(everyMs, maintainAll, onError);
}

interface Notes {
  readonly keptUpAt: number;
  /** The landing refs at GitHub and the refs of this mirror. */
  readonly seen: FirstSeen;
}

/** Maintains one mirror. False: no maintenance is due, or another process maintains the mirror. */
export async function maintainMirror(options: MaintenanceOptions, repository: HostRepository): Promise<boolean> {
  const { mirrors, clock } = options;
  const directory = mirrorDirectory(options.dataDir, repository);
  const path = `${directory}.upkeep.json`;
  const now = clock().getTime();
  const usedAt = (await stat(join(directory, usedFile)).catch(() => null))?.mtimeMs ?? 0;
  if (!isMaintenanceDue({ keptUpAt: (await readNotes(path)).keptUpAt, usedAt, now })) return false;
  const done = await underMachineLock(`${directory}.upkeep.lock`, 0, async () => {
    const notes = await readNotes(path);
    if (!isMaintenanceDue({ keptUpAt: notes.keptUpAt, usedAt, now })) return false;
    await removeStaleLocks(directory, locksOlderThanMs);
    const kept = await listRefs(directory, 'refs/');
    const actual = await mirrors.readActualRefs(repository, [landingPrefix, ledgerRef]);
    const seen = noteFirstSeen(notes.seen, [...kept, ...actual], now);
    await writeNotes(path, { keptUpAt: now, seen });
    await compactLandingRefs(
      options,
      repository,
      (landing) => now - firstSeenAt(seen, landing, now) >= compactedAfterMs,
    );
    const removed = planRefRemoval(kept, seen, now).map(({ ref, commit }) => ({ ref, from: commit, to: null }));
    for (let from = 0; from < removed.length; from += 1_000)
      await updateRefs(mirrors.git, directory, removed.slice(from, from + 1_000));
    await joinPacks(mirrors, directory, now);
    // Maintenance does not count as a use of the mirror, so the time of the last use is restored.
    await noteUse(directory, new Date(usedAt));
    return true;
  });
  return done ?? false;
}

const maxRounds = 20;

/**
 * Moves landing refs to the ledger, and returns how many it moved. If another machine compacts at the same time, this
 * call fails, and the rest is compacted the next day.
 */
export async function compactLandingRefs(
  { mirrors, pushes, identity, clock }: Pick<MaintenanceOptions, 'mirrors' | 'pushes' | 'identity' | 'clock'>,
  repository: HostRepository,
  isDue: (landing: MirrorRef) => boolean,
): Promise<number> {
  let compacted = 0;
  for (let round = 0; round < maxRounds; round += 1) {
    const actual = await mirrors.readActualRefs(repository, [landingPrefix, ledgerRef]);
    const tip = actual.find(({ ref }) => ref === ledgerRef)?.commit ?? null;
    const plan = planCompaction(actual, await mirrors.readLedger(repository, tip), isDue);
    if (plan === null) break;
    const by = identity(repository);
    await pushes.updateActualRefs(
      repository,
      await composeCompaction(mirrors, repository, { plan, tip, by, at: clock().getTime() }),
    );
    compacted += plan.deleted.length;
    if (plan.deleted.length < maxInCompaction) break;
  }
  return compacted;
}

/**
 * Joins packs. Objects that are not reachable from a ref are kept as single files for two weeks, and are then removed.
 */
async function joinPacks({ git }: Mirrors, directory: string, now: number): Promise<void> {
  const run = async (...args: readonly string[]): Promise<unknown> =>
    await git.run(directory, args, { timeoutMs: packTimeoutMs, isBackground: true });
  const expire = new Date(now - 14 * dayMs).toISOString();
  await run('pack-refs', '--all');
  const names = await readdir(join(directory, 'objects', 'pack'));
  const packs = names.filter((name) => name.endsWith('.pack')).length;
  if (packs > maxPacks) await run('repack', '-A', '-d', '-q', '-l', `--unpack-unreachable=${expire}`);
  else await run('repack', '-d', '-q', '-l');
  await run('prune', `--expire=${expire}`);
  await run('commit-graph', 'write', '--reachable', '--no-progress');
}

async function readNotes(path: string): Promise<Notes> {
  const none: Notes = { keptUpAt: -Infinity, seen: {} };
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return none;
  try {
    return { ...none, ...(JSON.parse(text) as Partial<Notes>) };
  } catch (error) {
    if (error instanceof SyntaxError) return none;
    throw error;
  }
}

async function writeNotes(path: string, notes: Notes): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  await writeFile(fresh, JSON.stringify(notes));
  await rename(fresh, path);
}

interface MirrorPlace {
  readonly accountId: string;
  readonly id: string;
  readonly directory: string;
}

async function listMirrors(dataDir: string): Promise<MirrorPlace[]> {
  const root = mirrorsFolder(dataDir);
  const found: MirrorPlace[] = [];
  for (const accountId of await readdir(root).catch(() => []))
    for (const name of await readdir(join(root, accountId)).catch(() => []))
      if (/^[0-9]+\.git$/.test(name))
        found.push({ accountId, id: name.slice(0, -'.git'.length), directory: join(root, accountId, name) });
  return found;
}

/** The repository of a mirror, with its present name. Null: it is inactive or deleted. */
async function findActive(db: Database, { accountId, id }: MirrorPlace): Promise<HostRepository | null> {
  const [row] = await db.read<{ owner: string; name: string }>(accountId, {
    name: 'mirrored_repository',
    text: `select owner, name from repository
           where account_id = $1 and id = $2 and host = 'github' and active and deleted_at is null`,
    values: [accountId, id],
  });
  return row === undefined ? null : { ...row, accountId, id };
}

export async function removeIdleMirrors({ dataDir, clock, maxBytes }: MaintenanceOptions): Promise<void> {
  const now = clock().getTime();
  await removeLeftOvers(mirrorsFolder(dataDir), now);
  if (maxBytes === null) return;
  const found = await Promise.all((await listMirrors(dataDir)).map(async ({ directory }) => await measure(directory)));
  for (const { directory } of decideRemovals(found, { maxBytes, now })) await removeMirror(directory);
}

/** Removes the folders of clones and removals that were interrupted because a process was killed. */
async function removeLeftOvers(root: string, now: number): Promise<void> {
  for (const account of await readdir(root).catch(() => []))
    for (const name of await readdir(join(root, account)).catch(() => [])) {
      if (!/\.git\.(new|removed)-/.test(name)) continue;
      const path = join(root, account, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > dayMs) await rm(path, { recursive: true, force: true });
    }
}

async function measure(directory: string): Promise<MirrorOnDisk> {
  const files = await readdir(join(directory, 'objects'), { recursive: true }).catch(() => []);
  let bytes = 0;
  for (const file of files) bytes += (await stat(join(directory, 'objects', file)).catch(() => null))?.size ?? 0;
  const used = await stat(join(directory, usedFile)).catch(() => null);
  return { directory, bytes, usedAt: used?.mtimeMs ?? 0 };
}
