// Git operations at GitHub: commits are read and made in the mirror, and refs are read and moved at GitHub.
import * as git from '../git/index.ts';
import { type CodeHost, type HostRepository, type Identity } from '../port.ts';
import type { Mirrors } from './mirrors.ts';
import type { Pushes } from './pushes.ts';

export interface GitSettings {
  readonly mirrors: Mirrors;
  readonly pushes: Pushes;
  readonly committer: (repository: HostRepository) => git.Committer;
  /**
   * Whether each machine has its own mirrors. If so, a commit without a branch is pushed to GitHub, so that every
   * machine can land it.
   */
  readonly keepsAtGitHub: boolean;
}

export function gitOperations({ mirrors, pushes, committer, keepsAtGitHub }: GitSettings) {
  const { updateRefs } = pushes;
  const directoryWith = async (repository: HostRepository, ...commits: string[]): Promise<string> =>
    await mirrors.fetchMissing(repository, commits);
  return {
    updateRefs,
    identity: (repository: HostRepository): Identity => {
      const { name, email } = committer(repository);
      return { name, email };
    },
    ...readOperations(mirrors),
    composeCommit: async (repository, composition) => {
      const members = composition.members.flatMap(({ head, belowHead }) => (belowHead ? [head, belowHead] : [head]));
      const directory = await directoryWith(repository, composition.parent, ...members);
      return await git.composeCommit(mirrors.git, directory, { ...composition, committer: committer(repository) });
    },
    commitFolder: async (repository, commit) =>
      await git.commitFolder(mirrors.git, await directoryWith(repository, commit.parent), {
        ...commit,
        committer: committer(repository),
      }),
    composeUpdate: async (repository, update) => {
      const directory = await directoryWith(
        repository,
        update.head,
        update.onto,
        ...(update.belowHead ? [update.belowHead] : []),
      );
      return await git.updateHeadWithBase(mirrors.git, directory, { ...update, committer: committer(repository) });
    },
    cherryPick: async (repository, picked) =>
      await git.cherryPick(mirrors.git, await directoryWith(repository, picked.onto, ...picked.commits), {
        ...picked,
        committer: committer(repository),
      }),
    keepCommit: async (repository, commit, keepRef) => {
      const directory = await directoryWith(repository, commit);
      await git.setRef(mirrors.git, directory, { ref: keepRef, to: commit });
      if (!keepsAtGitHub) return;
      const [there] = await mirrors.readRefs(repository, [keepRef]);
      if (there?.commit !== commit)
        await updateRefs(repository, [{ ref: keepRef, from: there?.commit ?? null, to: commit }]);
    },
  } satisfies Partial<CodeHost>;
}

function readOperations(mirrors: Mirrors) {
  const directoryWith = async (repository: HostRepository, ...commits: string[]): Promise<string> =>
    await mirrors.fetchMissing(repository, commits);
  return {
    readRef: async (repository, ref) => {
      const [found] = await mirrors.readRefs(repository, [ref]);
      if (found === undefined) return null;
      const commit = await git.readCommit(mirrors.git, await directoryWith(repository, found.commit), found.commit);
      return commit === null ? null : { commit: commit.commit, tree: commit.tree };
    },
    listRefs: async (repository, prefix) => {
      const refs = await mirrors.readRefs(repository, [prefix.endsWith('/') ? prefix : `${prefix}*`]);
      return refs.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
    },
    readCommit: async (repository, commit) => {
      if (!(await mirrors.tryFetchMissing(repository, [commit]))) return null;
      const raw = await git.readCommit(mirrors.git, await mirrors.ensureClone(repository), commit);
      return raw === null ? null : git.asHostCommit(raw);
    },
    listFirstParents: async (repository, range) => {
      const directory = await directoryWith(repository, range.to, ...(range.from === null ? [] : [range.from]));
      const ids = await git.listFirstParents(mirrors.git, directory, range);
      return (await git.readCommits(mirrors.git, directory, ids)).map(git.asHostCommit);
    },
    listCommits: async (repository, range) => {
      const directory = await directoryWith(repository, range.to, ...range.from);
      const ids = await git.listCommits(mirrors.git, directory, range);
      return (await git.readCommits(mirrors.git, directory, ids)).map(git.asHostCommit);
    },
    listAncestry: async (repository, range) => {
      const directory = await directoryWith(repository, range.from);
      // Commits that GitHub does not have are left out.
      await mirrors.tryFetchMissing(repository, range.to);
      return await git.listAncestry(mirrors.git, directory, range);
    },
    // GitHub does not say who pushed a commit to a branch.
    findConfigurationPush: async () => await Promise.resolve(null),
    async *packCommits(repository, range) {
      const directory = await directoryWith(repository, ...range.without);
      // Fetches the commits. A commit that GitHub does not have is left out of the pack.
      await mirrors.tryFetchMissing(repository, range.commits);
      yield* git.packCommits(mirrors.git, directory, range);
    },
    isAncestor: async (repository, ancestor, descendant) =>
      (await mirrors.tryFetchMissing(repository, [ancestor, descendant])) &&
      (await git.isAncestor(mirrors.git, await mirrors.ensureClone(repository), { ancestor, descendant })),
    listChangedFiles: async (repository, range) =>
      await git.listChangedFiles(mirrors.git, await directoryWith(repository, range.base, range.head), range),
    readFile: async (repository, file) =>
      await git.readFile(mirrors.git, await directoryWith(repository, file.commit), file),
    checkOut: async (repository, commit, into) =>
      await git.checkOut(mirrors.git, await directoryWith(repository, commit), { ...into, commit }),
  } satisfies Partial<CodeHost>;
}
