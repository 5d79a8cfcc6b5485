// Makes webhook bodies from the facts of events. A body has only documented keys, in the documented order. A key that
// does not apply is absent, except `status_code` and `status_code_text`, which are null without a failure (interface 6).
import type { PullRequestStatus } from '../queue/model/snapshot.ts';
import { webhookStatus, type WebhookStatus } from '../queue/model/status.ts';

export const pullRequestActions = [
  'opened',
  'labeled',
  'queued',
  'dequeued',
  'added_to_batch',
  'top_of_queue',
  'merged',
  'blocked',
  'stuck',
  'reset',
] as const;
export type PullRequestAction = (typeof pullRequestActions)[number];

export const batchActions = ['batch_merged', 'batch_failed', 'batch_bisected'] as const;
export type BatchAction = (typeof batchActions)[number];

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** A pull request at the time of its event. */
export interface PullRequestFacts {
  readonly number: number;
  readonly author: string;
  readonly status: PullRequestStatus;
  readonly skipLine: boolean;
  readonly statusCode: number | null;
  readonly statusText: string | null;
}

export interface BotPullRequestFacts {
  readonly number: number;
  readonly url: string;
  readonly targetBranch: string;
  readonly headCommitSha: string;
  readonly preBatchSha: string;
}

/** All facts of an event. The body contains a fact only if it is documented for the action. */
export interface PullRequestEventFacts extends PullRequestFacts {
  /** What the code host said about a failure. */
  readonly message?: string | undefined;
  readonly failedChecks?: readonly string[] | undefined;
  /** The reason for a reset. It replaces the pull request's own code. */
  readonly resetCode?: number | undefined;
  readonly resetText?: string | undefined;
  readonly pullRequestsReset?: number | undefined;
  readonly botPullRequestsClosed?: number | undefined;
  /** The bot pull request whose failed check caused the reset. */
  readonly botPullRequest?: BotPullRequestFacts | undefined;
  readonly blockingPullRequests?: readonly number[] | undefined;
  readonly instantMerge?: boolean | undefined;
}

export interface PullRequestPayload {
  readonly action: PullRequestAction;
  readonly repository: string;
  readonly organization: string;
  readonly pr_number: number;
  readonly author: string;
  readonly status: WebhookStatus;
  readonly skip_line: boolean;
  readonly status_code: number | null;
  readonly status_code_text: string | null;
  readonly message?: string;
  readonly failed_ci_list?: readonly string[];
  readonly pr_reset_count?: number;
  readonly closed_bot_pr_count?: number;
  readonly bot_pull_request?: BotPullRequestPayload;
  readonly blocking_pr_numbers?: readonly number[];
  readonly instant_merge?: boolean;
}

export interface BotPullRequestPayload {
  readonly github_url: string;
  readonly number: number;
  readonly target_branch: string;
  readonly head_commit_sha: string;
  readonly head_branch_oid: string;
  readonly codemix_pre_batch_sha: string;
}

/** Null for a closed pull request, which webhooks do not contain (interface 6.1, 6.2). */
export function pullRequestPayload(
  action: PullRequestAction,
  repository: RepositoryName,
  facts: PullRequestEventFacts,
): PullRequestPayload | null {
  const status = webhookStatus(facts.status);
  if (status === null) return null;
  const code = action === 'reset' ? (facts.resetCode ?? facts.statusCode) : facts.statusCode;
  const text = action === 'reset' ? (facts.resetText ?? facts.statusText) : facts.statusText;
  const isFailedCheck = code === 107 || code === 301;
  return {
    action,
    repository: repository.name,
    organization: repository.owner,
    pr_number: facts.number,
    author: facts.author,
    status,
    skip_line: facts.skipLine,
    status_code: code,
    status_code_text: text,
    ...(facts.message !== undefined && code !== null && { message: facts.message }),
    ...(isFailedCheck && facts.failedChecks !== undefined && { failed_ci_list: facts.failedChecks }),
    ...(action === 'reset' && resetKeys(facts, code)),
    ...(action === 'added_to_batch' && { blocking_pr_numbers: facts.blockingPullRequests ?? [] }),
    ...(action === 'merged' && facts.instantMerge !== undefined && { instant_merge: facts.instantMerge }),
  };
}

function resetKeys(
  facts: PullRequestEventFacts,
  code: number | null,
): Pick<PullRequestPayload, 'pr_reset_count' | 'closed_bot_pr_count' | 'bot_pull_request'> {
  return {
    pr_reset_count: facts.pullRequestsReset ?? 0,
    closed_bot_pr_count: facts.botPullRequestsClosed ?? 0,
    ...(code === 301 &&
      facts.botPullRequest !== undefined && { bot_pull_request: botPullRequestPayload(facts.botPullRequest) }),
  };
}

function botPullRequestPayload(bot: BotPullRequestFacts): BotPullRequestPayload {
  return {
    github_url: bot.url,
    number: bot.number,
    target_branch: bot.targetBranch,
    head_commit_sha: bot.headCommitSha,
    head_branch_oid: bot.headCommitSha,
    codemix_pre_batch_sha: bot.preBatchSha,
  };
}

export interface BatchEventFacts {
  /** Members in queue order, with their status after the event. */
  readonly pullRequests: readonly PullRequestFacts[];
  readonly message?: string | undefined;
  /** The commit on which CI ran for the batch. Null: CI ran on no single commit for it. */
  readonly batchCommitSha: string | null;
}

export interface BatchPayload {
  readonly action: BatchAction;
  readonly repository: string;
  readonly organization: string;
  readonly pull_requests: readonly {
    readonly pr_number: number;
    readonly author: string;
    readonly status: WebhookStatus;
    readonly skip_line: boolean;
    readonly status_code: number | null;
  }[];
  readonly message?: string;
  readonly batch_commit_sha?: string;
}

/**
 * The body about a batch that ended (interface 6.3). It leaves out members that were closed in the meantime, because
 * webhooks have no status for closed pull requests.
 */
export function batchPayload(action: BatchAction, repository: RepositoryName, facts: BatchEventFacts): BatchPayload {
  return {
    action,
    repository: repository.name,
    organization: repository.owner,
    pull_requests: facts.pullRequests.flatMap((member) => {
      const status = webhookStatus(member.status);
      if (status === null) return [];
      return [
        {
          pr_number: member.number,
          author: member.author,
          status,
          skip_line: member.skipLine,
          status_code: member.statusCode,
        },
      ];
    }),
    ...(facts.message !== undefined && { message: facts.message }),
    ...(facts.batchCommitSha !== null && { batch_commit_sha: facts.batchCommitSha }),
  };
}

/**
 * A change of a configuration. `email` belongs to a change by the API or the dashboard, `ghUsername` and `commitSha` to a
 * change in the repository.
 */
export interface ConfigurationChangeFacts {
  readonly email: string | null;
  readonly ghUsername: string | null;
  readonly commitSha: string | null;
  /** RFC 3339 in UTC. */
  readonly modifiedAt: string;
  readonly diff: string;
}

export interface ConfigChangePayload {
  readonly action: 'config_change';
  readonly repository: { readonly name: string; readonly org: string };
  readonly history: {
    readonly modified_by: { readonly email?: string; readonly gh_username?: string };
    readonly modified_at: string;
    readonly commit_sha?: string;
    readonly diff: string;
  };
}

export interface ConfigurationRefusalFacts {
  readonly ghUsername: string | null;
  readonly commitSha: string;
  readonly errors: readonly string[];
  /** RFC 3339 in UTC. */
  readonly refusedAt: string;
}

export interface ConfigurationRefusedPayload {
  readonly action: 'configuration_refused';
  readonly repository: { readonly name: string; readonly org: string };
  readonly refusal: {
    readonly commit_sha: string;
    readonly gh_username?: string;
    readonly errors: readonly string[];
    readonly refused_at: string;
  };
}

/** The body about a pushed configuration that was refused (interface 6.7). */
export function configurationRefusedPayload(
  repository: RepositoryName,
  { commitSha, ghUsername, errors, refusedAt }: ConfigurationRefusalFacts,
): ConfigurationRefusedPayload {
  return {
    action: 'configuration_refused',
    repository: { name: repository.name, org: repository.owner },
    refusal: {
      commit_sha: commitSha,
      ...(ghUsername !== null && { gh_username: ghUsername }),
      errors,
      refused_at: refusedAt,
    },
  };
}

/** The body about a change of a configuration (interface 6.4). */
export function configChangePayload(repository: RepositoryName, change: ConfigurationChangeFacts): ConfigChangePayload {
  return {
    action: 'config_change',
    repository: { name: repository.name, org: repository.owner },
    history: {
      modified_by: {
        ...(change.email !== null && { email: change.email }),
        ...(change.ghUsername !== null && { gh_username: change.ghUsername }),
      },
      modified_at: change.modifiedAt,
      ...(change.commitSha !== null && { commit_sha: change.commitSha }),
      diff: change.diff,
    },
  };
}
