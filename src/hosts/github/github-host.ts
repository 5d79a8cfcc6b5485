// The code host `github`. Everything that git can do is done by git. Other facts are read by GraphQL, and other changes
// are made by REST (ADR 0071).
import { join } from 'node:path';
import { withoutMarksIn, type Database } from '../../platform/database.ts';
import type { Meter } from '../../platform/metrics/index.ts';
import * as git from '../git/index.ts';
import type { HostAdapter, HostRepository } from '../port.ts';
import type { FindInstallation } from './app.ts';
import { checkOperations } from './checks.ts';
import { createClient } from './client.ts';
import { conclusionOperation } from './conclusion.ts';
import { conversationOperations } from './conversations.ts';
import { examineOperation } from './doctor/examine.ts';
import { gitOperations } from './git-operations.ts';
import { mirrorDirectory, removeMirror } from './mirror-clone.ts';
import { type MirrorSettings, defaultMirrorSettings } from './mirror-settings.ts';
import { createMaintenance } from './mirror-maintenance.ts';
import { createMirrors, type MirrorOptions, type Mirrors } from './mirrors.ts';
import { pullRequestOperations } from './pull-requests.ts';
import { type PushPace, defaultPace } from './push-lane.ts';
import { createPushes } from './pushes.ts';
import { ruleOperations } from './rules.ts';
import { workflowOperations } from './workflow-runs.ts';
import { nameOf } from './pull-requests.ts';

export interface GitHubHostOptions {
  readonly dataDir: string;
  readonly db: Database;
  readonly clock: () => Date;
  readonly findInstallation: FindInstallation;
  /** Counts the calls of the API. Left out: calls are not counted. */
  readonly meter?: Meter | undefined;
  /** How often the host pushes. Default: as often as GitHub recommends. */
  readonly pace?: PushPace;
  readonly settings?: MirrorSettings;
  /** The committer of the commits that Interlock makes. Default: the bot of the App, without a signature. */
  readonly committer?: git.Committer | undefined;
}

export function createGitHubHost(given: GitHubHostOptions): HostAdapter {
  // The rows of this host are notes about GitHub, such as the budget of calls, and no effects of a request.
  const options = { ...given, db: withoutMarksIn(given.db) };
  const { db, clock, dataDir } = options;
  const client = createClient(options);
  const program = git.createGit(join(dataDir, 'mirrors', 'gitconfig'));
  const notePreparing = notePreparingIn(db);
  const mirrors = createMirrors({
    dataDir,
    git: program,
    findRemote: client.findRemote,
    clock,
    notePreparing,
    readTips: readTipsIn(db),
  });
  const stopping = new AbortController();
  const pushes = createPushes(mirrors, options.pace ?? defaultPace, stopping.signal);
  const committer = (repository: HostRepository): git.Committer => options.committer ?? client.identity(repository);
  const { keepsAtGitHub, maxBytes } = options.settings ?? defaultMirrorSettings;
  const signsCommits = options.committer?.sign !== undefined;
  const ofGit = repairMirrors(gitOperations({ mirrors, pushes, committer, keepsAtGitHub }), mirrors);
  const ofPullRequests = repairMirrors(pullRequestOperations({ client, mirrors, db }), mirrors);
  const ofConversations = conversationOperations({ client, db, clock });
  return git.withHostErrors<HostAdapter>({
    kind: 'github',
    mergedWhen: 'reachable',
    ...ofGit,
    ...ofPullRequests,
    ...ofConversations,
    ...checkOperations({ client, db, clock }),
    ...examineOperation({ client, signsCommits, mirrors, db, clock, findInstallation: options.findInstallation }),
    ...ruleOperations({ client, signsCommits }),
    ...workflowOperations({ client, mirrors, updateRefs: ofGit.updateRefs, db, clock }),
    ...conclusionOperation({ ...ofGit, ...ofPullRequests, ...ofConversations }, client, clock),
    ensureRepository: async (repository) => {
      const api = await client.apiFor(repository, 'answer');
      await api.request('GET /repos/{owner}/{repo}', nameOf(api));
    },
    readIdleStamp: async () => await Promise.resolve(null),
    // Only the mirror is removed. The repository at GitHub belongs to its owners.
    removeRepository: async (repository) => await removeMirror(mirrorDirectory(dataDir, repository)),
    recover: async () => await Promise.resolve(),
    reconciler: ({ onError, everyMs = maintenanceEveryMs }) =>
      createMaintenance({ dataDir, db, clock, mirrors, pushes, identity: committer, maxBytes }, { everyMs, onError }),
    giveBackCalls: () => stopping.abort(),
    stop: async () => await program.processes.stop(),
  });
}

function notePreparingIn(db: Database): MirrorOptions['notePreparing'] {
  return async ({ accountId, id }, since) =>
    await db.transaction(accountId, async (tx) => {
      await tx.send('update repository set preparing_since = $3 where account_id = $1 and id = $2', [
        accountId,
        id,
        since?.toISOString() ?? null,
      ]);
    });
}

function readTipsIn(db: Database): MirrorOptions['readTips'] {
  return async ({ accountId, id }, refs) => {
    const rows = await db.read<{ ref: string; commit: string }>(accountId, {
      name: 'stored_tips',
      text: `select 'refs/heads/' || q.base_branch as ref, q.base_tip as commit
             from queue q join repository r on r.account_id = q.account_id and r.id = q.repository_id
             where q.account_id = $1 and q.repository_id = $2 and q.base_tip is not null
               and (q.base_branch = r.default_branch or 'refs/heads/' || q.base_branch = any($3))`,
      values: [accountId, id, [...refs]],
    });
    return new Map(rows.map(({ ref, commit }) => [ref, commit]));
  };
}

const maintenanceEveryMs = 10 * 60_000;

/**
 * Wraps operations, so that a mirror that turns out to be broken is repaired. The first argument of each operation is
 * the repository.
 */
function repairMirrors<Operations extends object>(operations: Operations, mirrors: Mirrors): Operations {
  const wrapped = Object.entries(operations).map(([name, work]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) => {
      const result = work(...args);
      return result instanceof Promise
        ? mirrors.repairing(args[0] as HostRepository, async () => (await result) as unknown)
        : result;
    },
  ]);
  return Object.fromEntries(wrapped) as Operations;
}
