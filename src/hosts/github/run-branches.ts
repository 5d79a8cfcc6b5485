// Branches for workflow runs that are started by name, because GitHub runs a workflow only on a branch. A branch that
// was made for a run is deleted after the run has ended.
import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database.ts';
import type { HostRepository, WorkflowDispatch } from '../port.ts';
import type { Mirrors } from './mirrors.ts';
import type { UpdateRefs } from './pushes.ts';
import { endRun, findEndedBranches, forgetOwnBranch, noteOwnBranch } from './workflow-runs.rows.ts';

export interface RunBranchSettings {
  readonly mirrors: Mirrors;
  readonly updateRefs: UpdateRefs;
  readonly db: Database;
  readonly clock: () => Date;
}

export interface RunBranches {
  /** Returns a branch whose tip is the commit: the given branch, or else a branch that is made for the run. */
  prepare(repository: HostRepository, dispatch: Pick<WorkflowDispatch, 'key' | 'commit' | 'branch'>): Promise<string>;
  /**
   * Deletes the branch that was made for the run. Called when the run has ended, or when GitHub refused to start it.
   * Idempotent.
   */
  release(repository: HostRepository, key: string): Promise<void>;
}

export function createRunBranches({ mirrors, updateRefs, db, clock }: RunBranchSettings): RunBranches {
  async function read(repository: HostRepository, branch: string): Promise<string | null> {
    const [there] = await mirrors.readRefs(repository, [`refs/heads/${branch}`]);
    return there?.commit ?? null;
  }

  async function deleteEnded(repository: HostRepository): Promise<void> {
    const ended = await findEndedBranches(db, repository);
    await Promise.all(
      ended.map(async ({ key, branch }) => {
        const from = await read(repository, branch);
        if (from !== null) await updateRefs(repository, [{ ref: `refs/heads/${branch}`, from, to: null }]);
        await forgetOwnBranch(db, repository, { key, branch });
      }),
    );
  }

  return {
    async prepare(repository, { key, commit, branch }) {
      // The given branch is used only if its tip is still the commit. If somebody has moved it, GitHub would run the
      // workflow on another commit.
      if (branch !== null && (await read(repository, branch)) === commit) return branch;
      const own = branchFor(key);
      await noteOwnBranch(db, repository, { key, branch: own });
      const from = await read(repository, own);
      if (from !== commit) await updateRefs(repository, [{ ref: `refs/heads/${own}`, from, to: commit }]);
      return own;
    },
    async release(repository, key) {
      if (!(await endRun(db, repository, { key, at: clock() }))) return;
      // The deletion is not awaited. If the process dies before it, the branch is deleted when the next run ends.
      void deleteEnded(repository).catch(() => {});
    },
  };
}

function branchFor(key: string): string {
  return `mq-tmp-run-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}
