// The rows of the emulator. Commits, trees and refs are not rows: they are read from the bare repositories. All ids
// come from one counter, so that an id of another table is never found. Instants are texts in ISO 8601, with whole
// seconds.
import type { DatedRow, Row } from './row.ts';
import type { PermissionLevel, RepositoryRole } from './enums.ts';

export type * from './checks.types.ts';

/** A person, an organisation, or the bot of an App. */
export interface Account extends DatedRow {
  login: string;
  type: 'User' | 'Organization' | 'Bot';
  name: string | null;
  email: string | null;
  /** The App of a bot. Null: the account is not a bot. */
  readonly appId: number | null;
}

export interface Membership extends Row {
  readonly organizationId: number;
  readonly userId: number;
  role: 'admin' | 'member';
}

export interface Team extends DatedRow {
  readonly organizationId: number;
  name: string;
  slug: string;
  memberIds: number[];
}

export interface Repository extends DatedRow {
  ownerId: number;
  name: string;
  description: string | null;
  isPrivate: boolean;
  isArchived: boolean;
  defaultBranch: string;
  readonly parentId: number | null;
  pushedAt: string;
  allowMergeCommit: boolean;
  allowSquashMerge: boolean;
  allowRebaseMerge: boolean;
  allowUpdateBranch: boolean;
  allowAutoMerge: boolean;
  deleteBranchOnMerge: boolean;
  /** Whether the plan of the owner has draft pull requests. */
  supportsDrafts: boolean;
  collaborators: { userId: number; role: RepositoryRole }[];
  teams: { teamId: number; role: RepositoryRole }[];
  /** The number of the next pull request. */
  nextNumber: number;
  /** The Actions secrets, by name. */
  actionsSecrets?: Readonly<Record<string, string>>;
}

/** An earlier name of a repository. The API and git redirect from this name to the present one. */
export interface FormerName extends Row {
  readonly owner: string;
  readonly name: string;
  readonly repositoryId: number;
}

export interface PullRequest extends DatedRow {
  readonly repositoryId: number;
  readonly number: number;
  title: string;
  body: string | null;
  readonly authorId: number;
  state: 'open' | 'closed';
  isDraft: boolean;
  isLocked: boolean;
  base: { ref: string; sha: string };
  /** `repositoryId` is null if the fork was deleted. */
  head: { ref: string; sha: string; repositoryId: number | null };
  labelIds: number[];
  assigneeIds: number[];
  requestedReviewerIds: number[];
  requestedTeamIds: number[];
  maintainerCanModify: boolean;
  closedAt: string | null;
  mergedAt: string | null;
  mergedById: number | null;
  /** The commit of the base branch that merged the pull request. Null: it is not merged. */
  mergeCommitSha: string | null;
  /**
   * GitHub's test merge of `head` into `base`. `commit` is null if the two conflict. Null: no test merge was made yet.
   */
  testMerge: { head: string; base: string; commit: string | null } | null;
}

export interface Label extends Row {
  readonly repositoryId: number;
  name: string;
  color: string;
  description: string | null;
}

export interface TimelineItem extends Row {
  readonly repositoryId: number;
  readonly number: number;
  readonly event:
    | 'labeled'
    | 'unlabeled'
    | 'closed'
    | 'reopened'
    | 'merged'
    | 'renamed'
    | 'base_ref_changed'
    | 'head_ref_deleted'
    | 'head_ref_force_pushed'
    | 'convert_to_draft'
    | 'ready_for_review'
    | 'review_requested'
    | 'review_request_removed'
    | 'review_dismissed'
    | 'assigned'
    | 'unassigned';
  readonly actorId: number;
  readonly createdAt: string;
  readonly label: { name: string; color: string } | null;
  readonly commitId: string | null;
  readonly rename: { from: string; to: string } | null;
  /** The id of the person who was assigned or requested as a reviewer, or of the dismissed review. */
  readonly subjectId: number | null;
}

export interface IssueComment extends DatedRow {
  readonly repositoryId: number;
  readonly number: number;
  readonly authorId: number;
  readonly appId: number | null;
  body: string;
  /** The person who last edited the comment. Left out: it was not edited. */
  editorId?: number;
}

export interface Review extends DatedRow {
  readonly repositoryId: number;
  readonly number: number;
  readonly authorId: number;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly commitId: string;
  submittedAt: string | null;
}

export interface ReviewThread extends Row {
  readonly repositoryId: number;
  readonly number: number;
  readonly path: string;
  readonly line: number | null;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commitId: string;
  isOutdated: boolean;
  resolvedById: number | null;
}

export interface ReviewComment extends DatedRow {
  readonly repositoryId: number;
  readonly number: number;
  readonly threadId: number;
  readonly reviewId: number;
  readonly authorId: number;
  readonly inReplyToId: number | null;
  readonly diffHunk: string;
  body: string;
}

export type Permissions = Record<string, PermissionLevel>;

export interface App extends DatedRow {
  slug: string;
  name: string;
  description: string | null;
  readonly ownerId: number;
  readonly botId: number;
  readonly clientId: string;
  clientSecret: string;
  /** In PEM, SubjectPublicKeyInfo. Like GitHub, the emulator does not store the private keys. */
  publicKeys: string[];
  webhook: { url: string | null; secret: string | null; isActive: boolean };
  externalUrl: string;
  callbackUrls: string[];
  setupUrl: string | null;
  isPublic: boolean;
  permissions: Permissions;
  events: string[];
}

export interface Installation extends DatedRow {
  readonly appId: number;
  readonly accountId: number;
  repositorySelection: 'all' | 'selected';
  /** Only used if `repositorySelection` is `selected`. */
  repositoryIds: number[];
  permissions: Permissions;
  events: string[];
  suspendedAt: string | null;
  suspendedById: number | null;
}

export interface AccessToken extends Row {
  readonly token: string;
  readonly kind: 'personal' | 'oauth' | 'user-to-server' | 'installation';
  /** The person of the token. Null for tokens of an installation. */
  readonly userId: number | null;
  /** The App of an OAuth or user-to-server token, or of the installation. */
  readonly appId: number | null;
  readonly installationId: number | null;
  readonly permissions: Permissions | null;
  /** Null: all repositories of the installation or the person. */
  repositoryIds: number[] | null;
  readonly scopes: string[];
  expiresAt: string | null;
  readonly createdAt: string;
}

/** A code of OAuth or of an App's manifest. It can be exchanged once. */
export interface ExchangeCode extends Row {
  readonly code: string;
  readonly kind: 'oauth' | 'manifest';
  readonly appId: number;
  readonly userId: number;
  readonly redirectUri: string | null;
  readonly codeChallenge: string | null;
  readonly scopes: string[];
  readonly privateKey: string | null;
  readonly expiresAt: string;
}

export interface Delivery extends Row {
  readonly guid: string;
  readonly appId: number;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  readonly event: string;
  readonly action: string | null;
  readonly isRedelivery: boolean;
  readonly deliveredAt: string;
  readonly url: string;
  readonly requestHeaders: Record<string, string>;
  readonly payload: string;
  /** 0: there was no answer. */
  statusCode: number;
  status: string;
  durationSec: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}
