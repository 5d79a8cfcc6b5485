// The code host `github`: git does what git can, GraphQL reads, REST writes (ADR 0071).
import { join } from 'node:path';
import type { Database } from '../../platform/database.ts';
import { repeat } from '../../platform/repeat.ts';
import * as git from '../git/index.ts';
import type { HostAdapter } from '../port.ts';
import type { FindInstallation } from './app.ts';
import { checkOperations } from './checks.ts';
import { createClient } from './client.ts';
import { conclusionOperation } from './conclusion.ts';
import { conversationOperations } from './conversations.ts';
import { examineOperation } from './doctor/examine.ts';
import { gitOperations } from './git-operations.ts';
import { createMirrors } from './mirrors.ts';
import { pullRequestOperations } from './pull-requests.ts';
import { type PushPace, usualPace } from './push-lane.ts';
import { ruleOperations } from './rules.ts';
import { workflowOperations } from './workflow-runs.ts';
import { nameOf } from './pull-requests.ts';

export interface GitHubHostOptions {
  readonly dataDir: string;
  readonly db: Database;
  readonly clock: () => Date;
  readonly findInstallation: FindInstallation;
  /** Default: what GitHub recommends. */
  readonly pace?: PushPace;
  /** Each machine has mirrors of its own (`GITHUB_MIRRORS=own`). Default: all processes share those in `dataDir`. */
  readonly hasOwnMirrors?: boolean;
}

export function createGitHubHost(options: GitHubHostOptions): HostAdapter {
  const { db, clock, dataDir } = options;
  const client = createClient(options);
  const program = git.createGit(join(dataDir, 'mirrors', 'gitconfig'));
  const mirrors = createMirrors({ dataDir, git: program, findRemote: client.findRemote });
  const ofGit = gitOperations({
    mirrors,
    pace: options.pace ?? usualPace,
    identity: client.identity,
    keepsAtGitHub: options.hasOwnMirrors ?? false,
  });
  const ofPullRequests = pullRequestOperations({ client, mirrors, db });
  const ofConversations = conversationOperations({ client, db, clock });
  return git.withHostErrors<HostAdapter>({
    kind: 'github',
    mergedWhen: 'reachable',
    ...ofGit,
    ...ofPullRequests,
    ...ofConversations,
    ...checkOperations({ client, db, clock }),
    ...ruleOperations({ client, clock }),
    ...examineOperation({ client, mirrors, db, clock, findInstallation: options.findInstallation }),
    ...workflowOperations({ client, mirrors, updateRefs: ofGit.updateRefs, db, clock }),
    ...conclusionOperation({ ...ofGit, ...ofPullRequests, ...ofConversations }, client, clock),
    ensureRepository: async (repository) => {
      const api = await client.of(repository, 'answer');
      await api.request('GET /repos/{owner}/{repo}', nameOf(api));
    },
    // What people have at GitHub is theirs.
    removeRepository: async () => await Promise.resolve(),
    recover: async () => await Promise.resolve(),
    reconciler: ({ onError, everyMs = nightly }) => repeat(everyMs, async () => await Promise.resolve(), onError),
    stop: async () => await program.companions.stop(),
  });
}

const nightly = 24 * 60 * 60_000;
