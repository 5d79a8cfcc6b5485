import { Extensions, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { AgentKind, PrMode, RunbookStatus } from '../../domain/runbooks/runbook.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, URI } from '../../graphql/scalars.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

export const runbookStatuses = {
  GENERATING_STEPS: 'generating_steps',
  NOT_STARTED: 'not_started',
  IN_PROGRESS: 'in_progress',
  PARTIALLY_COMPLETED: 'partially_completed',
  FAILED: 'failed',
  COMPLETED: 'completed',
} as const satisfies Record<Uppercase<RunbookStatus>, RunbookStatus>;
registerEnumType(runbookStatuses, {
  name: 'RunbookStatus',
  description: 'Status of a runbook, derived from its leaves: the first that fits (interface 3.3).',
  valuesConfig: {
    GENERATING_STEPS: { description: 'There are no steps yet.' },
    NOT_STARTED: { description: 'All leaves are not started.' },
    IN_PROGRESS: { description: 'A leaf is being worked on.' },
    PARTIALLY_COMPLETED: { description: 'Some are completed or queued, none is in progress or failed.' },
    FAILED: { description: 'A leaf failed, and none is in progress.' },
    COMPLETED: { description: 'All leaves are completed.' },
  },
});

export const prModes = {
  MANUAL: 'manual',
  SINGLE_PR: 'single_pr',
  STACKED_PR: 'stacked_pr',
} as const satisfies Record<Uppercase<PrMode>, PrMode>;
registerEnumType(prModes, {
  name: 'PrMode',
  description: 'How pull requests come of what a runbook commits (interface 4.9).',
  valuesConfig: {
    MANUAL: { description: 'None until `publishRunbook` asks for it.' },
    SINGLE_PR: { description: 'One for all of it.' },
    STACKED_PR: { description: 'One for each step that made commits, each on top of the one before.' },
  },
});

export const runbookAgents = {
  SCRIPT: 'script',
  MODEL: 'model',
} as const satisfies Record<Uppercase<AgentKind>, AgentKind>;
registerEnumType(runbookAgents, {
  name: 'RunbookAgent',
  description: 'Who executes a runbook.',
  valuesConfig: {
    SCRIPT: { description: 'Its prompts are scripts in Markdown, executed as they are written.' },
    MODEL: { description: 'A language model plans and works, through tools that bound what it may do.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'Leaves of a runbook by their status (interface 2.12).' })
export class RunbookStepCounts {
  @Field(() => Int, { description: 'All leaves.' })
  total!: number;

  @Field(() => Int, { description: 'Nobody has started them.' })
  notStarted!: number;

  @Field(() => Int, { description: 'Being worked on: one at most.' })
  inProgress!: number;

  @Field(() => Int, { description: 'Done.' })
  completed!: number;

  @Field(() => Int, { description: 'Tried and given up, left out, or canceled.' })
  failed!: number;

  @Field(() => Int, { description: 'Their turn has come, and an agent is waited for.' })
  queued!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What a runbook has cost. Money is in millionths of a US dollar.' })
export class RunbookCost {
  @Field(() => Number, { description: 'What it may spend on its model, in millionths of a US dollar; a whole number.' })
  budgetMicros!: number;

  @Field(() => Number, { description: 'What it has spent, in millionths of a US dollar; a whole number.' })
  spentMicros!: number;

  @Field(() => Number, { description: 'Tokens its model has read; a whole number.' })
  inputTokens!: number;

  @Field(() => Number, { description: 'Tokens its model has written; a whole number.' })
  outputTokens!: number;

  runbookId!: string;
}

@Extensions({ notFound: 'Runbook not found' })
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A prompt that an agent carries out against a repository, with its follow-ups (interface 2.12).',
})
export class Runbook {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => Int, { description: 'What people call it: counted from 1 within the account.' })
  number!: number;

  @Field(() => URI, { description: 'Its page, for people with a browser: a token is the password (interface 2.12).' })
  url!: string;

  @Field(() => String, {
    description: "Its title: the given one, otherwise the agent's once planned, and the prompt's until then.",
  })
  title!: string;

  @Field(() => runbookStatuses, { description: 'Its status, derived from its leaves (interface 3.3).' })
  status!: RunbookStatus;

  @Field(() => RunbookStepCounts, { description: 'Its leaves by their status.' })
  stepCounts!: RunbookStepCounts;

  @Field(() => runbookAgents, { description: 'Who executes it: fixed when it was created.' })
  agent!: AgentKind;

  @Field(() => String, { description: 'Email address of the user it is attributed to.' })
  authorEmail!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Handle of the author on the code host, in whose name pull requests are opened. Null: none is linked.',
  })
  authorHandle!: string | null;

  @Field(() => String, { description: 'Email address of the user who requested it.' })
  createdBy!: string;

  @Field(() => Boolean, { description: 'Whether its pull requests are opened as drafts.' })
  draft!: boolean;

  @Field(() => prModes, { description: 'How pull requests come of its commits.' })
  prMode!: PrMode;

  @Field(() => String, { description: 'The branch its pull requests are to be merged into.' })
  targetBranch!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Text put before the body of its first pull request (interface 4.9). Null: none.',
  })
  description!: string | null;

  @Field(() => [String], { description: 'Labels of its pull requests, in the order in which they were requested.' })
  labels!: readonly string[];

  @Field(() => Boolean, {
    description: "Whether its pull requests are queued in the author's name once all leaves are completed.",
  })
  queueWhenGreen!: boolean;

  @Field(() => Boolean, { description: 'Whether it may change files that decide what runs, such as workflows.' })
  workflowFiles!: boolean;

  @Field(() => RunbookCost, { description: 'Its cost so far, and its budget.' })
  cost!: RunbookCost;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the last call to the outside failed. It is repeated at `nextTryAt`. Without `nextTryAt` it was refused, or given up after a day. Null: it did not fail.',
  })
  problem!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the failed call is repeated: after seconds at first, finally every half hour. Null: nothing failed, or the call is not repeated.',
  })
  nextTryAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Since when the code host has failed. After 24 hours the step that waits for it fails. Null: it did not fail the last time.',
  })
  failingSince!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was asked to stop. Null: it was not.' })
  cancelRequestedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When its pull requests were requested by `publishRunbook`. Null: they were not.',
  })
  publishRequestedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was requested.' })
  createdAt!: Date;

  repositoryId!: string;
}

export const RunbookConnection = connectionType(Runbook, 'Runbook', true);

@ObjectType({ simpleResolvers: true, description: 'A prompt of a runbook: its first one, or a follow-up.' })
export class RunbookPrompt {
  @Field(() => Int, { description: 'Its place, from 1. Prompts are planned in this order.' })
  ordinal!: number;

  @Field(() => String, { description: 'The prompt itself.' })
  text!: string;

  @Field(() => String, { description: 'Email address of the user who gave it.' })
  author!: string;

  @Field(() => DateTime, { description: 'When it was given.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When its steps stood in the plan. Null: not yet.' })
  plannedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A runbook after the change.' })
export class RunbookPayload {
  @Field(() => Runbook, { description: 'The runbook as it is now.' })
  runbook!: Runbook;
}

@InputType({ description: 'Which runbooks to list. A field that is left out does not restrict the list.' })
export class RunbookFilter {
  @Field(() => [runbookStatuses], { nullable: true, description: 'Any of these statuses.' })
  statuses?: RunbookStatus[] | null;
}

@InputType({
  description: 'A runbook to begin (interface 4.9). What is left out is as the repository has it by default.',
})
export class CreateRunbookInput {
  @Field(() => RepositoryInput, { description: 'The repository it works in.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'What is to be done: 1 to 200,000 characters.' })
  prompt!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its title, at most 200 characters. Made from the prompt unless given.',
  })
  title?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether its pull requests are opened as drafts.' })
  draft?: boolean | null;

  @Field(() => prModes, { nullable: true, description: 'How pull requests come of its commits.' })
  prMode?: PrMode | null;

  @Field(() => String, {
    nullable: true,
    description: 'The branch it begins at, and its pull requests are to be merged into. It has to be there.',
  })
  targetBranch?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Text put before the body of its first pull request and kept there, at most 20,000 characters.',
  })
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Labels of every pull request it opens: kept in their order, each once, at most 50 of at most 50 characters.',
  })
  labels?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: "Email address of a user of the account, the author it is attributed to. Default: the token's user.",
  })
  authorEmail?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether its pull requests are queued in the author's name once all leaves are completed.",
  })
  queueWhenGreen?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'What it may spend on its model, in millionths of a US dollar: at most what the repository allows.',
  })
  budgetMicros?: number | null;
}

@InputType({ description: 'Another prompt for a runbook (interface 4.9).' })
export class ContinueRunbookInput {
  @Field(() => Int, { description: 'The runbook.' })
  number!: number;

  @Field(() => String, { description: 'What is to be done next: 1 to 200,000 characters.' })
  prompt!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Replaces the stored description. Left out, the stored one stays; blank removes it.',
  })
  description?: string | null;

  @Field(() => [String], { nullable: true, description: 'Added to the stored ones, each once; none is removed.' })
  labels?: string[] | null;
}
