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
  description:
    'Status of a runbook, derived from its leaves (interface 3.3). If several descriptions fit, the first one counts.',
  valuesConfig: {
    GENERATING_STEPS: { description: 'There are no steps yet.' },
    NOT_STARTED: { description: 'No leaf has been started.' },
    IN_PROGRESS: { description: 'A leaf is being worked on.' },
    PARTIALLY_COMPLETED: { description: 'Some leaves are completed or queued, and no leaf is in progress or failed.' },
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
  description: 'How the commits of a runbook are divided into pull requests (interface 4.9).',
  valuesConfig: {
    MANUAL: { description: 'No pull request is opened until `publishRunbook` is called.' },
    SINGLE_PR: { description: 'One pull request has all commits.' },
    STACKED_PR: {
      description:
        'Each step that made commits has a pull request of its own, on top of the pull request of the step before.',
    },
  },
});

export const runbookAgents = {
  SCRIPT: 'script',
  MODEL: 'model',
} as const satisfies Record<Uppercase<AgentKind>, AgentKind>;
registerEnumType(runbookAgents, {
  name: 'RunbookAgent',
  description: 'The kind of agent that executes a runbook.',
  valuesConfig: {
    SCRIPT: { description: 'The prompts are scripts in Markdown, which are executed as they are written.' },
    MODEL: { description: 'A language model plans and works with tools that limit what it may do.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How many leaves of a runbook have each status (interface 2.12).' })
export class RunbookStepCounts {
  @Field(() => Int, { description: 'The number of all leaves.' })
  total!: number;

  @Field(() => Int, { description: 'Leaves that were not started.' })
  notStarted!: number;

  @Field(() => Int, { description: 'Leaves that an agent works on: at most one.' })
  inProgress!: number;

  @Field(() => Int, { description: 'Leaves that are completed.' })
  completed!: number;

  @Field(() => Int, { description: 'Leaves that failed, were left out, or were canceled.' })
  failed!: number;

  @Field(() => Int, { description: 'Leaves that come next and wait for an agent.' })
  queued!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What a runbook has cost. Money is in millionths of a US dollar.' })
export class RunbookCost {
  @Field(() => Number, {
    description: 'What the runbook may spend on its model, in millionths of a US dollar. A whole number.',
  })
  budgetMicros!: number;

  @Field(() => Number, { description: 'What the runbook has spent, in millionths of a US dollar. A whole number.' })
  spentMicros!: number;

  @Field(() => Number, { description: 'Tokens that the model has read. A whole number.' })
  inputTokens!: number;

  @Field(() => Number, { description: 'Tokens that the model has written. A whole number.' })
  outputTokens!: number;

  runbookId!: string;
}

@Extensions({ notFound: 'Runbook not found' })
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A prompt that an agent carries out in a repository, and its follow-up prompts (interface 2.12).',
})
export class Runbook {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => Int, { description: 'The number of the runbook, counted from 1 within the account.' })
  number!: number;

  @Field(() => URI, {
    description:
      'The address of the page of the runbook in the dashboard, where a token is the password (interface 2.12).',
  })
  url!: string;

  @Field(() => String, {
    description:
      "The title of the request, otherwise the title that the agent's plan gives. Until there is a plan, a title made from the prompt.",
  })
  title!: string;

  @Field(() => runbookStatuses, { description: 'The status of the runbook, derived from its leaves (interface 3.3).' })
  status!: RunbookStatus;

  @Field(() => RunbookStepCounts, { description: 'The leaves of the runbook by status.' })
  stepCounts!: RunbookStepCounts;

  @Field(() => runbookAgents, {
    description: 'The kind of agent that executes the runbook. The kind was fixed when the runbook was created.',
  })
  agent!: AgentKind;

  @Field(() => String, { description: 'Email address of the user the runbook is attributed to.' })
  authorEmail!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Handle of the author on the code host, in whose name pull requests are opened. Null: none is linked.',
  })
  authorHandle!: string | null;

  @Field(() => String, { description: 'Email address of the user who requested the runbook.' })
  createdBy!: string;

  @Field(() => Boolean, { description: 'Whether the pull requests are opened as drafts.' })
  draft!: boolean;

  @Field(() => prModes, { description: 'How the commits are divided into pull requests.' })
  prMode!: PrMode;

  @Field(() => String, { description: 'The branch that the pull requests are to be merged into.' })
  targetBranch!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Text that is put before the body of the first pull request (interface 4.9). Null: none.',
  })
  description!: string | null;

  @Field(() => [String], { description: 'Labels of the pull requests, in the order in which they were requested.' })
  labels!: readonly string[];

  @Field(() => Boolean, {
    description: "Whether the pull requests are queued in the author's name once all leaves are completed.",
  })
  queueWhenGreen!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the runbook may change files that decide what runs, such as workflows.',
  })
  workflowFiles!: boolean;

  @Field(() => RunbookCost, { description: 'The cost so far, and the budget.' })
  cost!: RunbookCost;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the last call to the code host or the agent failed. The call is repeated at `nextTryAt`. If `nextTryAt` is null, the call was refused, or was given up after a day. Null: the last call did not fail.',
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
      'Since when calls to the code host have failed. After 24 hours the step that waits for the call fails. Null: the last call did not fail.',
  })
  failingSince!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When the runbook was canceled. Null: it was not canceled.' })
  cancelRequestedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When `publishRunbook` was called. Null: it was not called.',
  })
  publishRequestedAt!: Date | null;

  @Field(() => DateTime, { description: 'When the runbook was requested.' })
  createdAt!: Date;

  repositoryId!: string;
}

export const RunbookConnection = connectionType(Runbook, 'Runbook', true);

@ObjectType({ simpleResolvers: true, description: 'The first prompt of a runbook, or a follow-up prompt.' })
export class RunbookPrompt {
  @Field(() => Int, { description: 'The place of the prompt, from 1. Prompts are planned in this order.' })
  ordinal!: number;

  @Field(() => String, { description: 'The prompt itself.' })
  text!: string;

  @Field(() => String, { description: 'Email address of the user who gave the prompt.' })
  author!: string;

  @Field(() => DateTime, { description: 'When the prompt was given.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the steps for the prompt were added to the plan. Null: they are not planned yet.',
  })
  plannedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of runbooks.' })
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
  description:
    'A runbook to create (interface 4.9). For fields that are left out, the defaults of the repository apply.',
})
export class CreateRunbookInput {
  @Field(() => RepositoryInput, { description: 'The repository that the runbook works in.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'What is to be done: 1 to 200,000 characters.' })
  prompt!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The title of the runbook, at most 200 characters. Default: a title made from the prompt, and then the title of the plan.',
  })
  title?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the pull requests are opened as drafts.' })
  draft?: boolean | null;

  @Field(() => prModes, { nullable: true, description: 'How the commits are divided into pull requests.' })
  prMode?: PrMode | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The branch that the runbook begins at, and that its pull requests are merged into. The branch must exist.',
  })
  targetBranch?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Text that is put before the body of the first pull request and stays there, at most 20,000 characters.',
  })
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Labels of every pull request that the runbook opens, in this order: at most 50 labels of at most 50 characters each.',
  })
  labels?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Email address of a user of the account. The runbook is attributed to this author. Default: the token's user.",
  })
  authorEmail?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether the pull requests are queued in the author's name once all leaves are completed.",
  })
  queueWhenGreen?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'What the runbook may spend on its model, in millionths of a US dollar: at most what the repository allows.',
  })
  budgetMicros?: number | null;
}

@InputType({ description: 'Another prompt for a runbook (interface 4.9).' })
export class ContinueRunbookInput {
  @Field(() => Int, { description: 'The number of the runbook.' })
  number!: number;

  @Field(() => String, { description: 'What is to be done next: 1 to 200,000 characters.' })
  prompt!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Replaces the stored description. Left out: the stored description stays. Blank: the description is removed.',
  })
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Labels that are added to the stored labels. No stored label is removed.',
  })
  labels?: string[] | null;
}
