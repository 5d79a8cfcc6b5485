import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime, GitObjectID } from '../../../graphql/scalars.ts';
import { PullRequestRefInput } from './pull-requests.types.ts';

@ObjectType({ simpleResolvers: true, description: 'What somebody, or the queue, said on a pull request.' })
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

  @Field(() => String, { description: 'The name its author gave to git.' })
  author!: string;

  @Field(() => DateTime, { description: 'When it was written, as its author’s git says.' })
  authoredAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'A conversation of a review.' })
export class ReviewThread {
  @Field(() => ID, { description: 'Names it among those of the pull request.' })
  id!: string;

  @Field(() => String, { description: 'Handle of the user who opened it.' })
  author!: string;

  @Field(() => String, { description: 'What it is about, in Markdown.' })
  body!: string;

  @Field(() => DateTime, { description: 'When it was opened.' })
  openedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was resolved. Null while it is not.' })
  resolvedAt!: Date | null;
}

@InputType({ description: 'A comment, for repositories that live on this installation.' })
export class AddPullRequestCommentInput extends PullRequestRefInput {
  @Field(() => String, {
    description: 'Its text. A line `/interlock queue` is a command; `/interlock help` lists them.',
  })
  body!: string;
}

@InputType({ description: 'A review thread to open, for repositories that live on this installation.' })
export class OpenReviewThreadInput extends PullRequestRefInput {
  @Field(() => String, { description: 'What it is about, in Markdown.' })
  body!: string;
}

@InputType({ description: 'A review thread to resolve, or to take up again.' })
export class ResolveReviewThreadInput extends PullRequestRefInput {
  @Field(() => ID, { description: 'The thread.' })
  thread!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'False takes it up again.' })
  resolved!: boolean;
}

@InputType({ description: 'A label to put on or take off, for repositories that live on this installation.' })
export class LabelPullRequestInput extends PullRequestRefInput {
  @Field(() => String, { description: 'Its name.' })
  label!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'False takes it off.' })
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
