import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import { connectionType } from '../../../graphql/connection.ts';
import { Node } from '../../../graphql/node.ts';
import { AffectedTarget, DateTime, GitObjectID, PullRequestNumber, URI } from '../../../graphql/scalars.ts';
import type { BotPullRequest } from './bot-pull-requests.types.ts';
import { Repository, RepositoryInput } from '../../repositories/repositories.types.ts';
import { Impact } from './dry-run.types.ts';

export const pullRequestStatuses = {
  OPEN: 'open',
  PENDING: 'pending',
  QUEUED: 'queued',
  TAGGED: 'tagged',
  BLOCKED: 'blocked',
  MERGED: 'merged',
  CLOSED: 'closed',
} as const satisfies Record<Uppercase<PullRequestStatus>, PullRequestStatus>;
registerEnumType(pullRequestStatuses, {
  name: 'PullRequestStatus',
  description: 'Status of a pull request (interface 3.1).',
  valuesConfig: {
    OPEN: { description: 'Nobody has requested its merge.' },
    PENDING: { description: 'Its merge is requested. It waits for something that comes by itself or from a reviewer.' },
    QUEUED: { description: 'In line.' },
    TAGGED: { description: 'In line, and part of a batch whose bot pull request exists.' },
    BLOCKED: { description: 'Not in line because something failed. Somebody must act before it is queued again.' },
    MERGED: { description: 'On its base branch.' },
    CLOSED: { description: 'Closed without being merged.' },
  },
});

@ObjectType({ implements: Node, simpleResolvers: true, description: 'A pull request (interface 2.4).' })
export class PullRequest {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => Repository, { description: 'The repository it belongs to.' })
  repository!: Repository;

  @Field(() => Int, { description: 'Its number on the code host.' })
  number!: number;

  @Field(() => String, { description: 'Its title.' })
  title!: string;

  @Field(() => String, { description: 'Its description, in Markdown.' })
  body!: string;

  @Field(() => String, { description: 'Handle of the author.' })
  author!: string;

  @Field(() => String, { description: 'The branch that is merged.' })
  headBranch!: string;

  @Field(() => String, { description: 'The branch it is merged into.' })
  baseBranch!: string;

  @Field(() => GitObjectID, { description: 'The head commit that the queue has recorded.' })
  headCommitSha!: string;

  @Field(() => Boolean, { description: 'Whether it is a draft.' })
  draft!: boolean;

  @Field(() => [String], { description: 'Its labels.' })
  labels!: string[];

  @Field(() => URI, { description: 'Its page on the code host.' })
  url!: string;

  @Field(() => pullRequestStatuses, { description: 'Its status.' })
  status!: PullRequestStatus;

  @Field(() => Boolean, { description: 'True while it is queued or tagged.' })
  queued!: boolean;

  @Field(() => Int, { nullable: true, description: 'Code of its last obstacle. Null if there is none.' })
  statusCode!: number | null;

  @Field(() => String, { nullable: true, description: 'Its last obstacle, as a sentence. Null if there is none.' })
  statusText!: string | null;

  @Field(() => [String], { description: 'Names of the failed required checks, if they blocked it. Otherwise empty.' })
  failedChecks!: string[];

  @Field(() => Boolean, { description: 'Whether it skips the line, whichever way this was requested.' })
  skipLine!: boolean;

  @Field(() => String, { nullable: true, description: 'The reason for skipping the line. Null: none was given.' })
  skipLineReason!: string | null;

  @Field(() => Boolean, { description: 'Whether it merges without validation.' })
  skipValidation!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "On whose behalf an option was requested. Null: the token's own user.",
  })
  requestedBy!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it last entered the queue. Null unless queued, tagged, merged or blocked.',
  })
  queuedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was merged. Null until then.' })
  mergedAt!: Date | null;

  @Field(() => DateTime, { description: 'When Interlock first read it from the code host.' })
  createdAt!: Date;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The first-parent commit of the base branch with which it landed. Null until merged.',
  })
  mergeCommit!: string | null;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'Its own commit inside `mergeCommit`; the same commit when it landed alone. Null until merged.',
  })
  commit!: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the queue merged it. False: it was merged outside the queue. Null until merged.',
  })
  mergedByQueue!: boolean | null;

  repositoryId!: string;
  queueId!: string | null;
  /** The instant as of which the pull request was read, and its place in line at that instant. Absent: now. */
  past?: { readonly at: Date; readonly position: number | null };
  /** The newest bot pull request of the pull request. Null: there is none. Absent: it was not read. */
  latestBot?: BotPullRequest | null;
}

export const PullRequestConnection = connectionType(PullRequest, 'PullRequest', true);

@InputType({ description: 'Which pull requests to list. A field that is left out does not restrict the list.' })
export class PullRequestFilter {
  @Field(() => [pullRequestStatuses], { nullable: true, description: 'Only pull requests with one of these statuses.' })
  statuses?: PullRequestStatus[] | null;

  @Field(() => String, { nullable: true, description: 'Only pull requests with this base branch.' })
  baseBranch?: string | null;

  @Field(() => String, { nullable: true, description: 'Only pull requests of this author.' })
  author?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Words, in upper or lower case. A pull request is listed if its number, title, author and head branch together contain every word. At most 200 characters. Only the newest 10,000 pull requests of the repository are searched.',
  })
  text?: string | null;
}

@InputType({ description: 'A reference to a pull request.' })
export class PullRequestRefInput {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => PullRequestNumber, { description: 'Its number.' })
  number!: number;
}

@InputType({
  description: 'The message of its commit on the base branch. A field that is left out is taken from the pull request.',
})
export class MergeCommitMessageInput {
  @Field(() => String, { nullable: true, description: 'First line.' })
  title?: string | null;

  @Field(() => String, { nullable: true, description: 'The rest.' })
  body?: string | null;
}

@InputType({ description: 'A pull request to open.' })
export class OpenPullRequestInput {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'Its title.' })
  title!: string;

  @Field(() => String, { defaultValue: '', description: 'Its description, in Markdown.' })
  body!: string;

  @Field(() => String, { description: 'The branch to merge.' })
  headBranch!: string;

  @Field(() => String, { description: 'The branch to merge into.' })
  baseBranch!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether it is a draft, which cannot be merged.' })
  draft!: boolean;
}

@InputType({ description: 'A pull request to merge, and how (interface 4.3).' })
export class QueuePullRequestInput extends PullRequestRefInput {
  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The expected head. If the pull request has another head, the request is refused with HEAD_MOVED.',
  })
  headCommitSha?: string | null;

  @Field(() => [AffectedTarget], {
    nullable: true,
    description: 'The parts of the code base it affects, at most 100,000. Deleted when it is merged or closed.',
  })
  affectedTargets?: string[] | null;

  @Field(() => MergeCommitMessageInput, { nullable: true, description: 'Message of its commit.' })
  mergeCommitMessage?: MergeCommitMessageInput | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Moves it before all pull requests that do not skip the line. Needs authorisation.',
  })
  skipLine?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Required by repositories with require_skip_line_reason.' })
  skipLineReason?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Merges it without validation. Needs authorisation.' })
  skipValidation?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'Handle on whose behalf an option is requested: both users need to be authorised.',
  })
  requestedBy?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the request would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A pull request to take out of the queue.' })
export class DequeuePullRequestInput extends PullRequestRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the request would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A pull request whose build is to be made again.' })
export class RetryBuildInput extends PullRequestRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the request would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'What to store about a pull request. Its place in line is not changed (interface 4.3).' })
export class UpdatePullRequestInput extends PullRequestRefInput {
  @Field(() => GitObjectID, { nullable: true, description: 'The head commit that the other fields are about.' })
  headCommitSha?: string | null;

  @Field(() => [AffectedTarget], {
    nullable: true,
    description: 'The parts of the code base it affects, at most 100,000. Deleted when it is merged or closed.',
  })
  affectedTargets?: string[] | null;

  @Field(() => MergeCommitMessageInput, { nullable: true, description: 'Message of its commit.' })
  mergeCommitMessage?: MergeCommitMessageInput | null;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit on the base branch that contains it, if it was merged outside the queue.',
  })
  mergeCommitSha?: string | null;
}

const verdicts = { APPROVED: 'approved', CHANGES_REQUESTED: 'changes_requested' } as const;
export type ReviewVerdict = (typeof verdicts)[keyof typeof verdicts];
registerEnumType(verdicts, {
  name: 'ReviewVerdict',
  description: 'The verdict of a review.',
  valuesConfig: {
    APPROVED: { description: 'The reviewer approves the pull request.' },
    CHANGES_REQUESTED: { description: 'The pull request is not merged before the same reviewer approves it.' },
  },
});

@InputType({ description: 'A review, for repositories of the local host.' })
export class ReviewPullRequestInput extends PullRequestRefInput {
  @Field(() => verdicts, { description: 'The verdict. The newest verdict of each reviewer counts.' })
  verdict!: ReviewVerdict;
}

@ObjectType({ simpleResolvers: true, description: 'The pull request after the change.' })
export class PullRequestPayload {
  @Field(() => PullRequest, { description: 'The pull request as it is now.' })
  pullRequest!: PullRequest;

  @Field(() => Impact, {
    nullable: true,
    description: 'What the request would do. Null unless a preview was requested.',
  })
  impact?: Impact | null;
}
