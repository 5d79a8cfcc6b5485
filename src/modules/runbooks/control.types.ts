import { Field, InputType, Int, ObjectType } from 'type-graphql';
import type { PrMode } from '../../domain/runbooks/runbook.ts';
import { RepositoryInput, Repository } from '../repositories/repositories.types.ts';
import { prModes, Runbook } from './runbooks.types.ts';

@InputType({ description: 'A runbook to stop.' })
export class CancelRunbookInput {
  @Field(() => Int, { description: 'The runbook.' })
  number!: number;

  @Field(() => Boolean, { defaultValue: false, description: 'Changes nothing: `impact` says what would be stopped.' })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What canceling a runbook would stop.' })
export class CancelRunbookImpact {
  @Field(() => String, { description: 'The same as a sentence.' })
  sentence!: string;

  @Field(() => String, { nullable: true, description: 'Number of the leaf that is being worked on. Null: none is.' })
  running!: string | null;

  @Field(() => [String], { description: 'Numbers of leaves that would not be started, in their order.' })
  waiting!: readonly string[];

  @Field(() => [Int], { description: 'Prompts that would be left without a plan, by their ordinals.' })
  prompts!: readonly number[];

  @Field(() => [Int], { description: 'Numbers of open pull requests that it would not queue any more.' })
  unqueued!: readonly number[];
}

@ObjectType({ simpleResolvers: true, description: 'A runbook that was asked to stop.' })
export class CancelRunbookPayload {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;

  @Field(() => CancelRunbookImpact, {
    nullable: true,
    description: 'What it would stop. Null unless a preview was requested.',
  })
  impact!: CancelRunbookImpact | null;
}

@InputType({ description: 'A runbook to retry.' })
export class RetryRunbookInput {
  @Field(() => Int, { description: 'The runbook.' })
  number!: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'A higher budget, in millionths of a US dollar, at most what the repository allows. Required when the budget is spent.',
  })
  budgetMicros?: number | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing: `impact` says what would be worked on again.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What a retry of a runbook would work on again.' })
export class RetryRunbookImpact {
  @Field(() => String, { description: 'The same as a sentence.' })
  sentence!: string;

  @Field(() => [String], { description: 'Numbers of the failed leaves that would be tried again, in their order.' })
  retries!: readonly string[];

  @Field(() => [Int], { description: 'Prompts that would be planned again, by their ordinals.' })
  plans!: readonly number[];
}

@ObjectType({ simpleResolvers: true, description: 'A runbook whose failed steps were asked to be tried again.' })
export class RetryRunbookPayload {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;

  @Field(() => RetryRunbookImpact, {
    nullable: true,
    description: 'What it would work on again. Null unless a preview was requested.',
  })
  impact!: RetryRunbookImpact | null;
}

@InputType({ description: 'A runbook in `manual` mode whose pull requests are wanted.' })
export class PublishRunbookInput {
  @Field(() => Int, { description: 'The runbook.' })
  number!: number;
}

@ObjectType({ simpleResolvers: true, description: "What a repository's runbooks begin with (interface 4.9)." })
export class RunbookDefaults {
  @Field(() => Boolean, { description: 'Whether pull requests are opened as drafts. Default: false.' })
  draft!: boolean;

  @Field(() => prModes, { description: 'How pull requests come of commits. Unless set: SINGLE_PR.' })
  prMode!: PrMode;

  @Field(() => String, {
    nullable: true,
    description: "Where they begin, and what they are merged into. Null: the repository's default branch.",
  })
  targetBranch!: string | null;

  @Field(() => Boolean, {
    description: "Whether pull requests are queued in the author's name once all leaves are completed. Default: false.",
  })
  queueWhenGreen!: boolean;

  @Field(() => Number, {
    description: 'The most a runbook may spend on its model, in millionths of a US dollar. Default: 5000000.',
  })
  budgetMicros!: number;

  @Field(() => Boolean, {
    description: 'Whether they may change files that decide what runs, such as workflows. Default: false.',
  })
  workflowFiles!: boolean;
}

@InputType({ description: 'Changes what a repository’s runbooks begin with. What is left out stays.' })
export class UpdateRunbookDefaultsInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Boolean, { nullable: true, description: 'Whether pull requests are opened as drafts.' })
  draft?: boolean | null;

  @Field(() => prModes, { nullable: true, description: 'How pull requests come of commits.' })
  prMode?: PrMode | null;

  @Field(() => String, {
    nullable: true,
    description: "A branch that is there; null for the repository's default branch.",
  })
  targetBranch?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether pull requests are queued in the author's name once all leaves are completed.",
  })
  queueWhenGreen?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The most a runbook may spend on its model, in millionths of a US dollar: up to 1,000,000,000.',
  })
  budgetMicros?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether they may change files that decide what runs, such as workflows.',
  })
  workflowFiles?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: 'The defaults after the change.' })
export class UpdateRunbookDefaultsPayload {
  @Field(() => RunbookDefaults, { description: 'All of them as they are now.' })
  runbookDefaults!: RunbookDefaults;

  @Field(() => Repository, { description: 'Whose they are.' })
  repository!: Repository;
}
