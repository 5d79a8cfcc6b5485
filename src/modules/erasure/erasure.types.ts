import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

@InputType({ description: 'A repository to erase.' })
export class EraseRepositoryInput {
  @Field(() => RepositoryInput, { description: 'The repository, in use or deleted.' })
  repository!: RepositoryInput;

  @Field(() => String, {
    nullable: true,
    description: 'The name `owner/name` of the repository again, as a confirmation. Not needed for a preview.',
  })
  confirm!: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'The erasure of the account.' })
export class EraseAccountInput {
  @Field(() => String, {
    nullable: true,
    description: 'The name of the account, as a confirmation. Not needed for a preview.',
  })
  confirm!: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The record of the erasure of a repository or of an account.' })
export class Erasure {
  @Field(() => ID, { description: 'Its id. Opaque.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'The repository, `owner/name`. Null: the whole account.' })
  repository!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Email address of the user who requested the erasure. Null: it was requested with a token of the account.',
  })
  requestedBy!: string | null;

  @Field(() => DateTime, {
    description: 'When the erasure was requested. From then on, the repository or account cannot be used.',
  })
  requestedAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the last row was deleted. Null: rows are still being deleted.',
  })
  finishedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'How many objects of a kind would be deleted.' })
export class ErasedCount {
  @Field(() => String, { description: 'The kind of object, such as `pull requests`.' })
  what!: string;

  @Field(() => Int, { description: 'The number of objects.' })
  count!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What an erasure does.' })
export class ErasureImpact {
  @Field(() => [ErasedCount], { description: 'The objects that are deleted, with everything that belongs to them.' })
  deleted!: ErasedCount[];

  @Field(() => [String], { description: 'The work that is interrupted, such as `2 builds`.' })
  stopped!: string[];

  @Field(() => [String], { description: 'What stays, in sentences.' })
  kept!: string[];
}

@ObjectType({ simpleResolvers: true, description: 'The result of `eraseRepository` and `eraseAccount`.' })
export class ErasePayload {
  @Field(() => Erasure, { nullable: true, description: 'The record of the erasure. Null: a preview was requested.' })
  erasure!: Erasure | null;

  @Field(() => ErasureImpact, {
    nullable: true,
    description: 'What the erasure does. Null: the repository was erased before, or is being erased.',
  })
  impact!: ErasureImpact | null;
}
