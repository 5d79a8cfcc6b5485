import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { PullRequestPayload, PullRequestRefInput } from './pull-requests.types.ts';

const asyncStatuses = { PROCESSING: 'processing' } as const;
registerEnumType(asyncStatuses, {
  name: 'AsyncStatus',
  description: 'The state of a request that is carried out later.',
  valuesConfig: { PROCESSING: { description: 'The request is recorded, and will be carried out.' } },
});

@ObjectType({ simpleResolvers: true, description: 'A request that is carried out later.' })
export class AsyncPullRequestPayload extends PullRequestPayload {
  @Field(() => asyncStatuses, {
    description: 'Always processing: the request is recorded and will be carried out. A preview records nothing.',
  })
  status!: 'processing';

  @Field(() => String, { description: 'What will happen, or in a preview would happen, as a sentence for people.' })
  message!: string;
}

@InputType({ description: 'A pull request whose branch is updated with its base branch (interface 4.3).' })
export class SyncPullRequestInput extends PullRequestRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `message` and `impact` say what the request would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'The repository of a pull request to backport.' })
export class SourceRepositoryInput {
  @Field(() => String, { description: 'The organization or user it belongs to.' })
  owner!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its name. If left out, it is the only active repository of the owner that has the pull request.',
  })
  name?: string | null;
}

@InputType({ description: 'A pull request to backport to another branch (interface 4.3).' })
export class BackportPullRequestInput {
  @Field(() => SourceRepositoryInput, { description: 'Its repository.' })
  repository!: SourceRepositoryInput;

  @Field(() => Int, { description: 'Its number.' })
  number!: number;

  @Field(() => String, { description: 'The branch to backport it to, which must exist.' })
  targetBranch!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `message` and `impact` say what the request would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A requested backport.' })
export class BackportPullRequestPayload extends PullRequestPayload {
  @Field(() => String, { description: 'The branch it is backported to.' })
  targetBranch!: string;

  @Field(() => String, { description: 'What will happen, or in a preview would happen, as a sentence for people.' })
  message!: string;
}
