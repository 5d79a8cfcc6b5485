// The local host: git repositories on disk, pull requests in tables, and checks that Interlock runs.
import { type Loop, together } from '../../platform/repeat.ts';
import * as git from '../git/index.ts';
import { CommitMissing, type CodeHost, type HostRepository, type PublishedHostCheck } from '../port.ts';
import { createCiRunner } from './ci-runner.ts';
import { registerGitHttp } from './http.ts';
import { importRepository } from './import.ts';
import { findCheckRun } from './check-runs.rows.ts';
import { readCheckLog } from './ci.ts';
import { conversationOperations } from './conversations.ts';
import { cancelChecks, readBaseRules, readChecks, rerunChecks } from './ci.ts';
import { examineOperation } from './examine.ts';
import { findConfigurationPush } from './configuration-pushes.rows.ts';
import { type Installation, type LocalHostOptions, openInstallation } from './installation.ts';
import { mergeOperations, updateRefsOf } from './merges.ts';
import { createPacking } from './packing.ts';
import { findPublishedChecks, storePublishedChecks } from './published-checks.rows.ts';
import { pullRequestOperations } from './pull-requests.ts';
import { createReconciler, readIdleStamp, reconcileRepository } from './reconcile.ts';
import { createRepositoryWriter } from './repository-writer.ts';
import { cancelWorkflowRun, dispatchWorkflow, readWorkflowRun } from './workflow-runs.ts';
import type { LocalHost } from './local-host.port.ts';
import { removeRepository } from './removal.ts';
import { ensureRepository, findLocalRepositories, refusalOfRepositories, repairRepository } from './repositories.ts';

export function createLocalHost(options: LocalHostOptions): LocalHost {
  const installation = openInstallation(options);
  const host: LocalHost = git.withHostErrors<LocalHost>({
    kind: 'local',
    mergedWhen: 'reported',
    refusesRepositories: refusalOfRepositories(installation),
    installation,
    ...gitOperations(installation),
    ...pullRequestOperations(installation),
    ...conversationOperations(installation),
    ...mergeOperations(installation),
    ...examineOperation(installation),
    readChecks: async (repository, commit) => await readChecks(installation, repository, git.requireObjectId(commit)),
    readChecksTogether: async (repository, commits) =>
      await Promise.all(
        commits.map(async ({ commit }) => await readChecks(installation, repository, git.requireObjectId(commit))),
      ),
    readBaseRules: async (repository, baseBranch) => await readBaseRules(installation, repository, baseBranch),
    ...publishedCheckOperations(installation),
    cancelChecks: async (repository, commit) => await cancelChecks(installation, repository, commit),
    rerunChecks: async (repository, commit, names) => await rerunChecks(installation, repository, { commit, names }),
    dispatchWorkflow: async (repository, dispatch) => await dispatchWorkflow(installation, repository, dispatch),
    readWorkflowRun: async (repository, run) => await readWorkflowRun(installation, repository, run),
    cancelWorkflowRun: async (repository, run) => await cancelWorkflowRun(installation, repository, run),
    readCheckLog: async (repository, checkRunId) =>
      (await findCheckRun(installation.db, repository, checkRunId)) === null
        ? null
        : await readCheckLog(installation.dataDir, { accountId: repository.accountId, checkRunId }),
    reconcile: async (repository) => await reconcileRepository(installation, repository, new Map()),
    readIdleStamp: async (repository) => await readIdleStamp(installation, repository),
    wakeRunners: () => {
      for (const wake of installation.onChecksQueued) wake();
    },
    recover: async (onError) => {
      for (const repository of await findLocalRepositories(installation))
        await repairRepository(installation, repository, 0).catch((cause: Error) =>
          onError(new Error(`${repository.owner}/${repository.name} cannot be repaired: ${cause.message}`, { cause })),
        );
    },
    reconciler: (settings) =>
      together([createReconciler(installation, settings), ...packingOf(installation, settings)]),
    // No call waits for its turn.
    giveBackCalls: () => {},
    stop: async () => await installation.git.processes.stop(),
    importRepository: async (repository, source, following = {}) => {
      const { onlyForward = [], required = null, whenFetched = async () => {}, onProgress } = following;
      const options = { source, onlyForward, required, whenFetched, onProgress };
      return await importRepository(installation, repository, options);
    },
    serveGit: async (fastify, serving) => await registerGitHttp(fastify, { ...serving, host }),
    createCiRunner: (running) => createCiRunner({ ...running, host }),
  });
  return host;
}

const hourMs = 60 * 60_000;

function packingOf(installation: Installation, { onError }: { readonly onError: (error: unknown) => void }): Loop[] {
  const { packEveryMs = hourMs } = installation;
  return packEveryMs === null ? [] : [createPacking(installation, { everyMs: packEveryMs, onError })];
}

function publishedCheckOperations(installation: Installation) {
  const { db } = installation;
  const writeCheck = createRepositoryWriter<PublishedHostCheck>(
    async (repository, checks) => await storePublishedChecks(db, repository, { checks, at: installation.clock() }),
  );
  return {
    publishCheck: writeCheck,
    listPublishedChecks: async (repository, commit) => await findPublishedChecks(db, repository, commit),
  } satisfies Partial<LocalHost>;
}

function gitOperations(installation: Installation) {
  const at = installation.directoryOf;
  return {
    ensureRepository: async (repository, settings) => await ensureRepository(installation, repository, settings),
    removeRepository: async (repository) => await removeRepository(installation, repository),
    readRef: async (repository, ref) => {
      await completeLandings(installation, repository, ref);
      return await git.readRef(installation.git, at(repository), ref);
    },
    listRefs: async (repository, prefix) => {
      await completeLandings(installation, repository, prefix);
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      return (await git.listRefs(at(repository), folder)).filter(({ ref }) => ref.startsWith(prefix));
    },
    readCommit: async (repository, commit) => {
      const raw = await git.readCommit(installation.git, at(repository), commit);
      return raw === null ? null : git.asHostCommit(raw);
    },
    listFirstParents: async (repository, range) => {
      const ids = await git.listFirstParents(installation.git, at(repository), range);
      return (await git.readCommits(installation.git, at(repository), ids)).map(git.asHostCommit);
    },
    listCommits: async (repository, range) => {
      const ids = await git.listCommits(installation.git, at(repository), range);
      return (await git.readCommits(installation.git, at(repository), ids)).map(git.asHostCommit);
    },
    // The local host does not record the base commit of a merged pull request, so it cannot list the commits.
    listCommitsOf: async () => await Promise.resolve(null),
    countUnverifiedCommits: async (repository, range) =>
      await git.countUnverifiedCommits(installation.git, at(repository), {
        ...range,
        signersFile: installation.signersFile,
      }),
    listAncestry: async (repository, range) => await git.listAncestry(installation.git, at(repository), range),
    findConfigurationPush: async (repository, of) => await findConfigurationPush(installation, repository, of),
    packCommits: (repository, range) => git.packCommits(installation.git, at(repository), range),
    isAncestor: async (repository, ancestor, descendant) =>
      await git.isAncestor(installation.git, at(repository), { ancestor, descendant }),
    listChangedFiles: async (repository, range) => await git.listChangedFiles(installation.git, at(repository), range),
    readFile: async (repository, file) => await git.readFile(installation.git, at(repository), file),
    checkOut: async (repository, commit, into) =>
      await git.checkOut(installation.git, at(repository), { ...into, commit }),
    composeCommit: async (repository, composition) =>
      await git.composeCommit(installation.git, at(repository), { ...composition, committer: installation.committer }),
    commitFolder: async (repository, commit) =>
      await git.commitFolder(installation.git, at(repository), { ...commit, committer: installation.committer }),
    identity: () => ({ name: installation.committer.name, email: installation.committer.email }),
    keepCommit: async (repository, commit, keepRef) => {
      if ((await git.readRefValue(at(repository), keepRef)) === commit) return;
      if ((await git.readCommit(installation.git, at(repository), commit)) === null) throw new CommitMissing(commit);
      await git.setRef(installation.git, at(repository), { ref: keepRef, to: commit });
    },
    updateRefs: updateRefsOf(installation),
  } satisfies Partial<CodeHost>;
}

/**
 * A landing ref is evidence of a landing. So before one is read, every ref update that a killed process left half done
 * is completed.
 */
async function completeLandings(installation: Installation, repository: HostRepository, ref: string): Promise<void> {
  if (ref.startsWith('refs/interlock/'))
    await git.completeAbandonedUpdates(installation.git, installation.directoryOf(repository));
}
