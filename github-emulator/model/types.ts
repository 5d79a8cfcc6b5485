// What the emulator knows, as rows. Git knows the rest: commits, trees and refs are read from the bare repositories.
// Ids come from one counter, so that an id of the wrong kind finds nothing. Instants are ISO 8601 with seconds.
import type { Dated, Row } from './row.ts';
import type { PermissionLevel, RepositoryRole } from './enums.ts';

export type * from './checks.types.ts';

/** A person, an organisation, or the bot of an App. */
export interface Account extends Dated {
  login: string;
  type: 'User' | 'Organization' | 'Bot';
  name: string | null;
  email: string | null;
  /** Of a bot: the App that it acts for. */
  readonly appId: number | null;
}

export interface Membership extends Row {
  readonly organizationId: number;
  readonly userId: number;
  role: 'admin' | 'member';
}

export interface Team extends Dated {
  readonly organizationId: number;
  name: string;
  slug: string;
  memberIds: number[];
}

export interface Repository extends Dated {
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
  /** False: the plan has no draft pull requests. */
  supportsDrafts: boolean;
  collaborators: { userId: number; role: RepositoryRole }[];
  teams: { teamId: number; role: RepositoryRole }[];
  /** The number that the next issue or pull request gets. */
  nextNumber: number;
  /** What `secrets` has in workflows. */
  actionsSecrets?: Readonly<Record<string, string>>;
}

/** A name that a repository had before. The API and git redirect from it. */
export interface FormerName extends Row {
  readonly owner: string;
  readonly name: string;
  readonly repositoryId: number;
}

export interface PullRequest extends Dated {
  readonly repositoryId: number;
  readonly number: number;
  title: string;
  body: string | null;
  readonly authorId: number;
  state: 'open' | 'closed';
  isDraft: boolean;
  isLocked: boolean;
  base: { ref: string; sha: string };
  /** The repository is null when the fork was deleted. */
  head: { ref: string; sha: string; repositoryId: number | null };
  labelIds: number[];
  assigneeIds: number[];
  requestedReviewerIds: number[];
  requestedTeamIds: number[];
  maintainerCanModify: boolean;
  closedAt: string | null;
  mergedAt: string | null;
  mergedById: number | null;
  /** Of a merged pull request: the commit on the base. */
  mergeCommitSha: string | null;
  /** GitHub's test merge, and the two commits it was made of. A null commit: the two conflict. */
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
  /** The person that was assigned or asked for a review, or the dismissed review. */
  readonly subjectId: number | null;
}

export interface IssueComment extends Dated {
  readonly repositoryId: number;
  readonly number: number;
  readonly authorId: number;
  readonly appId: number | null;
  body: string;
  /** Who edited it last. Absent: nobody. */
  editorId?: number;
}

export interface Review extends Dated {
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

export interface ReviewComment extends Dated {
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

export interface App extends Dated {
  slug: string;
  name: string;
  description: string | null;
  readonly ownerId: number;
  readonly botId: number;
  readonly clientId: string;
  clientSecret: string;
  /** PEM, SubjectPublicKeyInfo. GitHub does not keep the private half either. */
  publicKeys: string[];
  webhook: { url: string | null; secret: string | null; isActive: boolean };
  externalUrl: string;
  callbackUrls: string[];
  setupUrl: string | null;
  isPublic: boolean;
  permissions: Permissions;
  events: string[];
}

export interface Installation extends Dated {
  readonly appId: number;
  readonly accountId: number;
  repositorySelection: 'all' | 'selected';
  /** Only counts for `selected`. */
  repositoryIds: number[];
  permissions: Permissions;
  events: string[];
  suspendedAt: string | null;
  suspendedById: number | null;
}

export interface AccessToken extends Row {
  readonly token: string;
  readonly kind: 'personal' | 'oauth' | 'user-to-server' | 'installation';
  /** Null for tokens of an installation. */
  readonly userId: number | null;
  /** The App of an OAuth or user-to-server token, or of the installation. */
  readonly appId: number | null;
  readonly installationId: number | null;
  readonly permissions: Permissions | null;
  /** Null: all repositories that the installation or the person reaches. */
  readonly repositoryIds: number[] | null;
  readonly scopes: string[];
  expiresAt: string | null;
  readonly createdAt: string;
}

/** A code that is exchanged once: of OAuth, or of an App's manifest. */
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
  /** 0: no answer. */
  statusCode: number;
  status: string;
  durationSec: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}
