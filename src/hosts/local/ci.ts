// Decides which commits are checked, and reads their checks. CI runs on bot branches and on head branches of open pull
// requests. The default branch and the base branches of open pull requests are checked last, to show whether a base
// branch is red. No check runs after a landing, because the landed commit was checked before. A check belongs to its
// commit: branches with the same tip share its runs.
import { open as openFile } from 'node:fs/promises';
import { plainLine } from '../../domain/plain-text.ts';
import type { BaseRules, CheckReport, HostRepository, CheckLog } from '../port.ts';
import { branchOf, branchRef, isBotBranch, isTemporaryBranch, listRefs, readFile, readRef } from '../git/index.ts';
import {
  cancelCheckRuns,
  findNewestCheckRuns,
  queueCheckRuns,
  requeueCheckRuns,
  type CheckRunRow,
  type NewCheckRun,
} from './check-runs.rows.ts';
import { ciFileCheck, ciFileLimit, ciFilePath, parseCiFile, type CiFile } from './ci-file.ts';
import { type Installation, readDefaultBranch, checkLogPath } from './installation.ts';
import { findOpenBranches } from './pull-requests.rows.ts';

/** The priority of a branch at CI. Higher priorities run first. */
export type CiPriority = 0 | 1 | 2;

export function decideCiPriority(
  branch: string,
  among: {
    readonly defaultBranch: string | null;
    readonly openHeads: ReadonlySet<string>;
    readonly openBases: ReadonlySet<string>;
  },
): CiPriority | null {
  if (isTemporaryBranch(branch)) return null;
  if (isBotBranch(branch)) return 2;
  if (among.openHeads.has(branch)) return 1;
  return branch === among.defaultBranch || among.openBases.has(branch) ? 0 : null;
}

/**
 * Queues the checks of the tip of a branch. `restartsCanceled`: the branch was just moved to the commit, so canceled
 * checks start again.
 */
export async function queueChecks(
  installation: Installation,
  repository: HostRepository,
  build: {
    readonly commit: string;
    readonly ref: string;
    readonly priority: CiPriority;
    readonly restartsCanceled: boolean;
  },
): Promise<void> {
  const file = await readCiFile(installation, repository, build.commit);
  const runs: NewCheckRun[] =
    file.kind === 'checks'
      ? file.checks.map(({ name, run, timeoutSec }) => ({ name, command: run, timeoutSec }))
      : [{ name: ciFileCheck, command: '', timeoutSec: 0, failure: file.reasons.join('\n') }];
  if (runs.length === 0) return;
  const isAny = await queueCheckRuns(installation.db, repository, {
    build: { ...build, at: installation.clock() },
    runs,
  });
  if (!isAny) return;
  if (file.kind === 'broken') installation.emit({ kind: 'checks', repository, commit: build.commit });
  for (const wake of installation.onChecksQueued) wake();
}

export async function readChecks(
  installation: Installation,
  repository: HostRepository,
  commit: string,
): Promise<CheckReport> {
  const [rows, file] = await Promise.all([
    findNewestCheckRuns(installation.db, repository, commit),
    readCiFile(installation, repository, commit),
  ]);
  const expected = file.kind === 'checks' ? file.checks.map(({ name }) => name) : [ciFileCheck];
  const isListed = rows.length > 0 && expected.every((name) => rows.some((row) => row.name === name));
  return {
    commit,
    // If the commit has no rows and its file names no checks, the list is final only if the commit is the tip of a
    // branch that CI checks.
    complete:
      isListed ||
      (expected.length === 0 && (rows.length > 0 || (await isCiBranchTip(installation, repository, commit)))),
    // The file names every check, so a report never becomes complete just by the passing of time.
    settlesAt: null,
    canceled: rows.some((row) => row.conclusion === 'cancelled'),
    checks: rows.map((row) => ({
      name: row.name,
      attempt: row.attempt,
      conclusion: row.state === 'completed' ? (row.conclusion ?? 'unknown') : 'pending',
      url: checkUrl(installation, repository, row),
      summary: row.summary,
      event: null,
      startedAt: row.started_at?.getTime() ?? null,
      completedAt: row.completed_at?.getTime() ?? null,
    })),
  };
}

/**
 * The rules of a base branch: every check of the file at its tip is required. If the file cannot be read, no check is
 * required. The local host never refuses a landing.
 */
export async function readBaseRules(
  installation: Installation,
  repository: HostRepository,
  baseBranch: string,
): Promise<BaseRules> {
  const tip = await readRef(installation.git, installation.directoryOf(repository), branchRef(baseBranch));
  const file = tip === null ? null : await readCiFile(installation, repository, tip.commit);
  return {
    requiredChecks: file?.kind === 'checks' ? file.checks.map(({ name }) => name) : [],
    push: 'free',
    why: null,
    linear: false,
    signed: false,
  };
}

export async function cancelChecks(
  installation: Installation,
  repository: HostRepository,
  commit: string,
): Promise<void> {
  const { running, changed } = await cancelCheckRuns(installation.db, repository, { commit, at: installation.clock() });
  if (running.length > 0) for (const cancel of installation.onChecksCanceled) cancel(running);
  if (changed) installation.emit({ kind: 'checks', repository, commit });
}

export async function rerunChecks(
  installation: Installation,
  repository: HostRepository,
  { commit, names }: { readonly commit: string; readonly names: readonly string[] },
): Promise<readonly string[]> {
  const started = await requeueCheckRuns(installation.db, repository, { commit, names, at: installation.clock() });
  if (started.length === 0) return [];
  installation.emit({ kind: 'checks', repository, commit });
  for (const wake of installation.onChecksQueued) wake();
  return started;
}

// The file of a commit never changes, so it is parsed once. Checks are read often while a build runs.
const parsedFiles = new WeakMap<Installation, Map<string, CiFile>>();
const maxParsedFiles = 500;

export async function readCiFile(
  installation: Installation,
  repository: HostRepository,
  commit: string,
): Promise<CiFile> {
  const known = parsedFiles.get(installation) ?? new Map<string, CiFile>();
  parsedFiles.set(installation, known);
  const key = `${repository.accountId}/${repository.id}/${commit}`;
  const parsed = known.get(key);
  if (parsed !== undefined) return parsed;
  const file = await readFile(installation.git, installation.directoryOf(repository), {
    commit,
    path: ciFilePath,
    maxBytes: ciFileLimit,
  });
  // A file that is missing is not cached, because the commit may not have been pushed yet.
  const fresh = parseCiFile(file?.text ?? null);
  if (file !== null) known.set(key, fresh);
  const oldest = known.keys().next().value;
  if (known.size > maxParsedFiles && oldest !== undefined) known.delete(oldest);
  return fresh;
}

const described = 20;

/** The lines of the answer to a push about branches whose file of checks cannot be used. At most 20 branches are read. */
export async function describeBrokenCiFiles(
  installation: Installation,
  repository: HostRepository,
  changes: readonly { readonly ref: string; readonly to: string | null }[],
): Promise<readonly string[]> {
  const tips = changes.flatMap(({ ref, to }) => {
    const branch = branchOf(ref);
    return branch === null || to === null ? [] : [{ branch, commit: to }];
  });
  const lines: string[] = [];
  for (const { branch, commit } of tips.slice(0, described)) {
    const file = await readCiFile(installation, repository, commit);
    if (file.kind === 'checks') continue;
    lines.push(
      `Interlock: ${ciFilePath} of ${plainLine(branch)} cannot be used. Where checks run, the check ${ciFileCheck} fails:`,
    );
    lines.push(...file.reasons.map((reason) => `  ${reason}`));
  }
  return lines;
}

async function isCiBranchTip(installation: Installation, repository: HostRepository, commit: string): Promise<boolean> {
  const refs = await listRefs(installation.directoryOf(repository), 'refs/heads/');
  const holders = refs.filter((ref) => ref.commit === commit);
  if (holders.length === 0) return false;
  const branches = await readCiBranches(installation, repository);
  return holders.some(({ ref }) => decideCiPriority(branchOf(ref) ?? '', branches) !== null);
}

export async function readCiBranches(
  installation: Installation,
  repository: HostRepository,
): Promise<{ defaultBranch: string | null; openHeads: Set<string>; openBases: Set<string> }> {
  const [open, defaultBranch] = await Promise.all([
    findOpenBranches(installation.db, repository),
    readDefaultBranch(installation, repository),
  ]);
  return {
    defaultBranch,
    openHeads: new Set(open.flatMap((row) => (row.head_fork === null ? [row.head_branch] : []))),
    openBases: new Set(open.map((row) => row.base_branch)),
  };
}

export function checkUrl(installation: Installation, repository: HostRepository, row: Pick<CheckRunRow, 'id'>): string {
  const { owner, name } = repository;
  return `${installation.publicUrl}/git/${encodeURIComponent(owner)}/${encodeURIComponent(name)}.git/checks/${row.id}/log`;
}

/** The end of a check run's output so far. Empty: the run has not written any output yet. */
export async function readCheckLog(
  dataDir: string,
  { accountId, checkRunId }: { readonly accountId: string; readonly checkRunId: string },
  maxBytes = 2 * 1024 * 1024,
): Promise<CheckLog> {
  const file = await openFile(checkLogPath(dataDir, accountId, checkRunId)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return { text: '', truncated: false };
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return { text: buffer.toString('utf8', 0, bytesRead), truncated: size > length };
  } finally {
    await file.close();
  }
}
