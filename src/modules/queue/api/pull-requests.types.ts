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
    OPEN: { description: 'Nobody asked to merge it.' },
    PENDING: { description: 'Asked to merge; something is missing that comes by itself or from a reviewer.' },
    QUEUED: { description: 'In line.' },
    TAGGED: { description: 'In line, and part of a batch whose bot pull request exists.' },
    BLOCKED: { description: 'Left the queue: its author or an admin must act.' },
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

  @Field(() => GitObjectID, { description: 'The head commit as the queue knows it.' })
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

  @Field(() => Int, { nullable: true, description: 'Code of its last obstacle. Null without one.' })
  statusCode!: number | null;

  @Field(() => String, { nullable: true, description: 'Its last obstacle, as a sentence. Null without one.' })
  statusText!: string | null;

  @Field(() => [String], { description: 'Names of the required checks that failed, when that is what blocked it.' })
  failedChecks!: string[];

  @Field(() => Boolean, { description: 'Whether skip line is in force, however it was requested.' })
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

  @Field(() => DateTime, { description: 'When the service first observed it.' })
  createdAt!: Date;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The first-parent commit of the base it arrived with. Null until merged.',
  })
  mergeCommit!: string | null;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'Its own commit inside `mergeCommit`; the same commit when it landed alone. Null until merged.',
  })
  commit!: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the queue merged it, and not somebody outside. Null until merged.',
  })
  mergedByQueue!: boolean | null;

  repositoryId!: string;
  queueId!: string | null;
  /** The instant that it is shown of, and its place in line then. Absent: now. */
  past?: { readonly at: Date; readonly position: number | null };
  /** Its newest bot pull request, if it was read with it. Null: it has none. */
  latestBot?: BotPullRequest | null;
}

export const PullRequestConnection = connectionType(PullRequest, 'PullRequest', true);

@InputType({ description: 'Which pull requests to list. A field that is left out does not restrict the list.' })
export class PullRequestFilter {
  @Field(() => [pullRequestStatuses], { nullable: true, description: 'Any of these statuses.' })
  statuses?: PullRequestStatus[] | null;

  @Field(() => String, { nullable: true, description: 'Merged into this branch.' })
  baseBranch?: string | null;

  @Field(() => String, { nullable: true, description: 'By this author.' })
  author?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Whose number, title, author or head branch contain every word of it, in any case. At most 200 characters. Looks through the newest 10,000 pull requests of the repository.',
  })
  text?: string | null;
}

@InputType({ description: 'Names a pull request.' })
export class PullRequestRefInput {
  @Field(() => RepositoryInput, { description: 'Its repository.' })
  repository!: RepositoryInput;

  @Field(() => PullRequestNumber, { description: 'Its number.' })
  number!: number;
}

@InputType({ description: 'The message its commit on the base gets. What is left out is taken from the pull request.' })
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
  @Field(() => GitObjectID, { nullable: true, description: 'Refused with HEAD_MOVED when it is not the head.' })
  headCommitSha?: string | null;

  @Field(() => [AffectedTarget], {
    nullable: true,
    description: 'The parts of the code base it affects, at most 100,000. Forgotten when it is merged or closed.',
  })
  affectedTargets?: string[] | null;

  @Field(() => MergeCommitMessageInput, { nullable: true, description: 'Message of its commit.' })
  mergeCommitMessage?: MergeCommitMessageInput | null;

  @Field(() => Boolean, { nullable: true, description: 'Moves it to the front. Needs authorisation.' })
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
    description: 'Changes nothing, and answers in `impact` what it would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A pull request to take out of the queue.' })
export class DequeuePullRequestInput extends PullRequestRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing, and answers in `impact` what it would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A pull request whose build is to be made again.' })
export class RetryBuildInput extends PullRequestRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing, and answers in `impact` what it would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'What to store about a pull request. Its place in line is not changed (interface 4.3).' })
export class UpdatePullRequestInput extends PullRequestRefInput {
  @Field(() => GitObjectID, { nullable: true, description: 'The head the rest belongs to.' })
  headCommitSha?: string | null;

  @Field(() => [AffectedTarget], {
    nullable: true,
    description: 'The parts of the code base it affects, at most 100,000. Forgotten when it is merged or closed.',
  })
  affectedTargets?: string[] | null;

  @Field(() => MergeCommitMessageInput, { nullable: true, description: 'Message of its commit.' })
  mergeCommitMessage?: MergeCommitMessageInput | null;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit on the base that holds it, when it was merged elsewhere.',
  })
  mergeCommitSha?: string | null;
}

const verdicts = { APPROVED: 'approved', CHANGES_REQUESTED: 'changes_requested' } as const;
export type ReviewVerdict = (typeof verdicts)[keyof typeof verdicts];
registerEnumType(verdicts, {
  name: 'ReviewVerdict',
  description: 'What a reviewer says.',
  valuesConfig: {
    APPROVED: { description: 'It may be merged; counts as an approval.' },
    CHANGES_REQUESTED: { description: 'It is not merged before the same reviewer approves.' },
  },
});

@InputType({ description: 'A review, for repositories that live on this installation.' })
export class ReviewPullRequestInput extends PullRequestRefInput {
  @Field(() => verdicts, { description: 'What the reviewer says. The newest word of each reviewer counts.' })
  verdict!: ReviewVerdict;
}

@ObjectType({ simpleResolvers: true, description: 'The pull request after the change.' })
export class PullRequestPayload {
  @Field(() => PullRequest, { description: 'The pull request as it is now.' })
  pullRequest!: PullRequest;

  @Field(() => Impact, { nullable: true, description: 'What it would do. Null unless a preview was requested.' })
  impact?: Impact | null;
}
