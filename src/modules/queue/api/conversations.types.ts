import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime, GitObjectID } from '../../../graphql/scalars.ts';
import { PullRequestRefInput } from './pull-requests.types.ts';

@ObjectType({ simpleResolvers: true, description: 'A comment on a pull request, by a person or by the queue.' })
export class PullRequestComment {
  @Field(() => String, { description: 'Handle of the user who wrote it.' })
  author!: string;

  @Field(() => String, { description: 'Its text, in Markdown.' })
  body!: string;

  @Field(() => DateTime, { description: 'When it was written.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was last edited. Null if it never was.' })
  editedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A commit of a pull request.' })
export class PullRequestCommit {
  @Field(() => GitObjectID, { description: 'Its object id.' })
  commit!: string;

  @Field(() => String, { description: 'The first line of its message.' })
  title!: string;

  @Field(() => String, { description: 'The name of its author in git.' })
  author!: string;

  @Field(() => DateTime, { description: 'Its author time in git.' })
  authoredAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'A thread of a review.' })
export class ReviewThread {
  @Field(() => ID, { description: 'Its id, unique within the pull request.' })
  id!: string;

  @Field(() => String, { description: 'Handle of the user who opened it.' })
  author!: string;

  @Field(() => String, { description: 'Its text, in Markdown.' })
  body!: string;

  @Field(() => DateTime, { description: 'When it was opened.' })
  openedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was resolved. Null while it is unresolved.' })
  resolvedAt!: Date | null;
}

@InputType({ description: 'A comment, for repositories of the local host.' })
export class AddPullRequestCommentInput extends PullRequestRefInput {
  @Field(() => String, {
    description: 'Its text. A line `/interlock queue` is a command. `/interlock help` lists the commands.',
  })
  body!: string;
}

@InputType({ description: 'A review thread to open, for repositories of the local host.' })
export class OpenReviewThreadInput extends PullRequestRefInput {
  @Field(() => String, { description: 'Its text, in Markdown.' })
  body!: string;
}

@InputType({ description: 'A review thread to resolve, or to reopen.' })
export class ResolveReviewThreadInput extends PullRequestRefInput {
  @Field(() => ID, { description: 'The thread.' })
  thread!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'False reopens it.' })
  resolved!: boolean;
}

@InputType({ description: 'A label to add or remove, for repositories of the local host.' })
export class LabelPullRequestInput extends PullRequestRefInput {
  @Field(() => String, { description: 'Its name.' })
  label!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether to add the label. False removes it.' })
  present!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The comment that was written.' })
export class AddPullRequestCommentPayload {
  @Field(() => PullRequestComment, { description: 'The comment.' })
  comment!: PullRequestComment;
}

@ObjectType({ simpleResolvers: true, description: 'The review thread as it is now.' })
export class ReviewThreadPayload {
  @Field(() => ReviewThread, { description: 'The thread.' })
  reviewThread!: ReviewThread;
}
