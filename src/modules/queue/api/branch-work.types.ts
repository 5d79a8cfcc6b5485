import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PullRequestPayload, PullRequestRefInput } from './pull-requests.types.ts';

const asyncStatuses = { PROCESSING: 'processing' } as const;
registerEnumType(asyncStatuses, {
  name: 'AsyncStatus',
  description: 'How far something is that happens later.',
  valuesConfig: { PROCESSING: { description: 'It was written down, and is carried out.' } },
});

@ObjectType({ simpleResolvers: true, description: 'A request that is carried out later.' })
export class AsyncPullRequestPayload extends PullRequestPayload {
  @Field(() => asyncStatuses, {
    description: 'Always processing: it was written down and is not lost. A preview writes nothing down.',
  })
  status!: 'processing';

  @Field(() => String, { description: 'What happens now, or in a preview would happen, for people.' })
  message!: string;
}

@InputType({ description: 'A pull request whose branch is brought up to date with its base (interface 4.3).' })
export class SyncPullRequestInput extends PullRequestRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing: `message` and `impact` say what it would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'Names the repository of a pull request to backport.' })
export class SourceRepositoryInput {
  @Field(() => String, { description: 'The organization or user it belongs to.' })
  owner!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its name. Left out: the only active repository of the owner that has the pull request.',
  })
  name?: string | null;
}

@InputType({ description: 'A pull request to bring to another branch (interface 4.3).' })
export class BackportPullRequestInput {
  @Field(() => SourceRepositoryInput, { description: 'Its repository.' })
  repository!: SourceRepositoryInput;

  @Field(() => Int, { description: 'Its number.' })
  number!: number;

  @Field(() => String, { description: 'The branch to bring it to. It exists already.' })
  targetBranch!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing: `message` and `impact` say what it would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A requested backport.' })
export class BackportPullRequestPayload extends PullRequestPayload {
  @Field(() => String, { description: 'The branch it is brought to.' })
  targetBranch!: string;

  @Field(() => String, { description: 'What happens now, or in a preview would happen, for people.' })
  message!: string;
}
