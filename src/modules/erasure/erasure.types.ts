import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

@InputType({ description: 'A repository to erase.' })
export class EraseRepositoryInput {
  @Field(() => RepositoryInput, { description: 'The repository, in use or deleted.' })
  repository!: RepositoryInput;

  @Field(() => String, { nullable: true, description: 'Its name once more, `owner/name`. A preview needs none.' })
  confirm!: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'That the account is to be erased.' })
export class EraseAccountInput {
  @Field(() => String, { nullable: true, description: 'The name of the account. A preview needs none.' })
  confirm!: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'That a repository or an account was erased: all that stays of it.' })
export class Erasure {
  @Field(() => ID, { description: 'Names the record.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'The repository, `owner/name`. Null: the whole account.' })
  repository!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The email of the user who asked. Null: a token of the account.',
  })
  requestedBy!: string | null;

  @Field(() => DateTime, { description: 'When it was asked. Nothing can be used since then.' })
  requestedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the last row was gone. Null: rows are being deleted.' })
  finishedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'How many of something would be deleted.' })
export class ErasedCount {
  @Field(() => String, { description: 'What, such as `pull requests`.' })
  what!: string;

  @Field(() => Int, { description: 'How many.' })
  count!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What an erasure does.' })
export class ErasureImpact {
  @Field(() => [ErasedCount], { description: 'What goes, and everything that belongs to it.' })
  deleted!: ErasedCount[];

  @Field(() => [String], { description: 'Work that is interrupted, such as `2 builds`.' })
  stopped!: string[];

  @Field(() => [String], { description: 'What stays, in sentences.' })
  kept!: string[];
}

@ObjectType({ simpleResolvers: true, description: 'What `eraseRepository` and `eraseAccount` answer.' })
export class ErasePayload {
  @Field(() => Erasure, { nullable: true, description: 'The record of it. Null: a preview was requested.' })
  erasure!: Erasure | null;

  @Field(() => ErasureImpact, { nullable: true, description: 'What it does. Null: it was erased before.' })
  impact!: ErasureImpact | null;
}
