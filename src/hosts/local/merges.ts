// The host's own merge of a pull request, updates of branches, and cherry-picks.
import * as git from '../git/index.ts';
import { HostRefused, RefMoved, type CodeHost, type HostRepository } from '../port.ts';
import { followRefChanges } from './changes.ts';
import type { Installation } from './installation.ts';
import * as rows from './pull-requests.rows.ts';

/** Makes `updateRefs`: it moves refs, and then carries out what follows from the moves. */
export function updateRefsOf(installation: Installation): CodeHost['updateRefs'] {
  return async (repository, updates) => {
    await git.updateRefs(installation.git, installation.directoryOf(repository), updates);
    await followRefChanges(installation, repository, {
      changes: updates.filter(({ from, to }) => from !== to),
      by: 'service',
    });
  };
}

export function mergeOperations(installation: Installation) {
  const at = installation.directoryOf;
  const updateRefs = updateRefsOf(installation);
  return {
    mergePullRequest: async (repository, number, merge) => {
      const row = await rows.findPullRequest(installation.db, repository, number);
      if (row === null || row.state !== 'open') throw new HostRefused(`Pull request #${number} is not open`);
      if (row.draft) throw new HostRefused(`Pull request #${number} is a draft`);
      const [head, base] = await Promise.all(
        [
          row.head_fork === null ? git.branchRef(row.head_branch) : `refs/pull/${number}/head`,
          git.branchRef(row.base_branch),
        ].map(async (ref) => await git.readRef(installation.git, at(repository), ref)),
      );
      if (!head || !base) throw new HostRefused(`A branch of pull request #${number} is missing`);
      if (head.commit !== merge.expectedHead)
        throw new RefMoved(git.branchRef(row.head_branch), merge.expectedHead, head.commit);
      const commit = await composeAlone(installation, repository, { number, parent: base.commit, ...merge });
      await updateRefs(repository, [
        { ref: git.branchRef(row.base_branch), from: base.commit, to: commit },
        ...(merge.unlessRef === null ? [] : [{ ref: merge.unlessRef, from: null, to: null }]),
      ]);
      await rows.markMerged(installation.db, repository, { number, commit, at: installation.clock() });
      installation.emit({ kind: 'pull_request', repository, number });
      return { commit };
    },
    composeUpdate: async (repository, update) =>
      await git.updateHeadWithBase(installation.git, at(repository), { ...update, committer: installation.committer }),
    cherryPick: async (repository, picked) =>
      await git.cherryPick(installation.git, at(repository), { ...picked, committer: installation.committer }),
  } satisfies Partial<CodeHost>;
}

async function composeAlone(
  installation: Installation,
  repository: HostRepository,
  merge: {
    readonly number: number;
    readonly parent: string;
    readonly expectedHead: string;
    readonly strategy: 'squash' | 'merge' | 'rebase';
    readonly message: string;
  },
): Promise<string> {
  const directory = installation.directoryOf(repository);
  const head = await git.readCommit(installation.git, directory, merge.expectedHead);
  if (head === null) throw new HostRefused(`${merge.expectedHead} is not a commit of this repository`);
  const { authorName, authorEmail } = git.asHostCommit(head);
  const composed = await git.composeCommit(installation.git, directory, {
    parent: merge.parent,
    members: [{ head: merge.expectedHead, strategy: merge.strategy, message: merge.message, authorName, authorEmail }],
    batchCommit: 'linear',
    groupMessage: merge.message,
    at: installation.clock().getTime(),
    keepRef: `refs/interlock/merges/${merge.number}`,
    committer: installation.committer,
  });
  if (composed.kind === 'conflict')
    throw new HostRefused(
      `Pull request #${merge.number} conflicts with its base in ${composed.paths.join(', ') || 'its history'}`,
    );
  return composed.commit;
}
