import { Field, InputType, Int, ObjectType } from 'type-graphql';
import type { PrMode } from '../../domain/runbooks/runbook.ts';
import { RepositoryInput, Repository } from '../repositories/repositories.types.ts';
import { prModes, Runbook } from './runbooks.types.ts';

@InputType({ description: 'A runbook to cancel.' })
export class CancelRunbookInput {
  @Field(() => Int, { description: 'The number of the runbook.' })
  number!: number;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what would be stopped.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What canceling a runbook would stop.' })
export class CancelRunbookImpact {
  @Field(() => String, { description: 'The effects as a sentence.' })
  sentence!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Number of the leaf that an agent works on. Null: no agent works on a leaf.',
  })
  running!: string | null;

  @Field(() => [String], { description: 'Numbers of leaves that would not be started, in their order.' })
  waiting!: readonly string[];

  @Field(() => [Int], { description: 'Ordinals of the prompts that would get no plan.' })
  prompts!: readonly number[];

  @Field(() => [Int], { description: 'Numbers of the open pull requests that the runbook would no longer queue.' })
  unqueued!: readonly number[];
}

@ObjectType({ simpleResolvers: true, description: 'The result of `cancelRunbook`.' })
export class CancelRunbookPayload {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;

  @Field(() => CancelRunbookImpact, {
    nullable: true,
    description: 'What a cancellation would stop. Null unless a preview was requested.',
  })
  impact!: CancelRunbookImpact | null;
}

@InputType({ description: 'A runbook to retry.' })
export class RetryRunbookInput {
  @Field(() => Int, { description: 'The number of the runbook.' })
  number!: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'A higher budget, in millionths of a US dollar, at most what the repository allows. Required if the budget is spent.',
  })
  budgetMicros?: number | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what would be retried.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What a retry of a runbook would start again.' })
export class RetryRunbookImpact {
  @Field(() => String, { description: 'The effects as a sentence.' })
  sentence!: string;

  @Field(() => [String], { description: 'Numbers of the failed leaves that would be tried again, in their order.' })
  retries!: readonly string[];

  @Field(() => [Int], { description: 'Ordinals of the prompts that would be planned again.' })
  plans!: readonly number[];
}

@ObjectType({ simpleResolvers: true, description: 'The result of `retryRunbook`.' })
export class RetryRunbookPayload {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;

  @Field(() => RetryRunbookImpact, {
    nullable: true,
    description: 'What a retry would start again. Null unless a preview was requested.',
  })
  impact!: RetryRunbookImpact | null;
}

@InputType({ description: 'A runbook in `manual` mode whose pull requests Interlock opens now.' })
export class PublishRunbookInput {
  @Field(() => Int, { description: 'The number of the runbook.' })
  number!: number;
}

@ObjectType({ simpleResolvers: true, description: "The defaults of a repository's runbooks (interface 4.9)." })
export class RunbookDefaults {
  @Field(() => Boolean, { description: 'Whether pull requests are opened as drafts. Default: false.' })
  draft!: boolean;

  @Field(() => prModes, { description: 'How commits are divided into pull requests. Default: SINGLE_PR.' })
  prMode!: PrMode;

  @Field(() => String, {
    nullable: true,
    description:
      "The branch that runbooks begin at, and that their pull requests are merged into. Null: the repository's default branch.",
  })
  targetBranch!: string | null;

  @Field(() => Boolean, {
    description: "Whether pull requests are queued in the author's name once all leaves are completed. Default: false.",
  })
  queueWhenGreen!: boolean;

  @Field(() => Number, {
    description:
      'The largest amount that a runbook may spend on its model, in millionths of a US dollar. Default: 5000000.',
  })
  budgetMicros!: number;

  @Field(() => Boolean, {
    description: 'Whether runbooks may change files that decide what runs, such as workflows. Default: false.',
  })
  workflowFiles!: boolean;
}

@InputType({
  description: 'Changes of the defaults of a repository’s runbooks. Fields that are left out stay unchanged.',
})
export class UpdateRunbookDefaultsInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Boolean, { nullable: true, description: 'Whether pull requests are opened as drafts.' })
  draft?: boolean | null;

  @Field(() => prModes, { nullable: true, description: 'How commits are divided into pull requests.' })
  prMode?: PrMode | null;

  @Field(() => String, {
    nullable: true,
    description: "An existing branch. Null: the repository's default branch.",
  })
  targetBranch?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether pull requests are queued in the author's name once all leaves are completed.",
  })
  queueWhenGreen?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The largest amount that a runbook may spend on its model, in millionths of a US dollar: up to 1,000,000,000.',
  })
  budgetMicros?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether runbooks may change files that decide what runs, such as workflows.',
  })
  workflowFiles?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: 'The defaults after the change.' })
export class UpdateRunbookDefaultsPayload {
  @Field(() => RunbookDefaults, { description: 'All defaults after the change.' })
  runbookDefaults!: RunbookDefaults;

  @Field(() => Repository, { description: 'The repository.' })
  repository!: Repository;
}
