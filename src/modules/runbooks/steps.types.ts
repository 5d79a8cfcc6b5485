import { Extensions, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import type {
  RunbookCommitState,
  RunbookPullRequestState,
  RunbookStatus,
  StepStatus,
} from '../../domain/runbooks/runbook.ts';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime, GitObjectID, JSONValue, URI } from '../../graphql/scalars.ts';
import { runbookStatuses } from './runbooks.types.ts';

const stepStatuses = {
  NOT_STARTED: 'not_started',
  QUEUED: 'queued',
  IN_PROGRESS: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
} as const satisfies Record<Uppercase<StepStatus>, StepStatus>;
registerEnumType(stepStatuses, {
  name: 'RunbookLeafStatus',
  description: 'Status of a leaf of a runbook (interface 3.3).',
  valuesConfig: {
    NOT_STARTED: { description: 'Nobody has started it.' },
    QUEUED: { description: 'Its turn has come: everything before it is completed, and an agent is waited for.' },
    IN_PROGRESS: { description: 'An agent works on it.' },
    COMPLETED: { description: 'It is done.' },
    FAILED: { description: 'It was tried and given up, left out, or canceled; `error` says which.' },
  },
});

const commitStates = {
  MADE: 'made',
  PUSHED: 'pushed',
} as const satisfies Partial<Record<Uppercase<RunbookCommitState>, RunbookCommitState>>;
registerEnumType(commitStates, {
  name: 'RunbookCommitState',
  description: 'How far a commit of a runbook has come.',
  valuesConfig: {
    MADE: { description: 'It is made, and its branch is not moved yet.' },
    PUSHED: { description: 'It is on its branch.' },
  },
});

type OpenedState = Exclude<RunbookPullRequestState, 'planned'>;
const pullRequestStates = {
  OPEN: 'open',
  MERGED: 'merged',
  CLOSED: 'closed',
} as const satisfies Record<Uppercase<OpenedState>, OpenedState>;
registerEnumType(pullRequestStates, {
  name: 'RunbookPullRequestState',
  description: 'Status of a pull request of a runbook.',
  valuesConfig: {
    OPEN: { description: 'It is open.' },
    MERGED: { description: 'It is merged.' },
    CLOSED: { description: 'It was closed without being merged.' },
  },
});

const toolOutcomes = { DONE: 'done', FAILED: 'failed', REFUSED: 'refused' } as const;
export type ToolOutcome = (typeof toolOutcomes)[keyof typeof toolOutcomes];
registerEnumType(toolOutcomes, {
  name: 'RunbookToolOutcome',
  description: 'The result of a tool call.',
  valuesConfig: {
    DONE: { description: 'It did what was asked.' },
    FAILED: { description: 'The tool failed, and its answer says why.' },
    REFUSED: { description: 'The request is outside of what the agent may do.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A commit a runbook made.' })
export class RunbookCommit {
  @Field(() => GitObjectID, { description: 'The commit.' })
  commit!: string;

  @Field(() => GitObjectID, { description: 'The commit it is on top of.' })
  parent!: string;

  @Field(() => String, { description: 'Its whole message.' })
  message!: string;

  @Field(() => Int, { description: 'How many files it changes.' })
  files!: number;

  @Field(() => commitStates, { description: 'How far it has come.' })
  state!: 'made' | 'pushed';

  @Field(() => String, { description: 'Number of the leaf it comes of.' })
  stepNumber!: string;

  @Field(() => String, { description: 'The branch it is for.' })
  branch!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A part of a step, and what is worked on: it has a status of its own.',
})
export class RunbookLeaf {
  @Field(() => String, { description: 'Its number, such as `1.2`: leaves leave no gaps within a runbook.' })
  number!: string;

  @Field(() => String, { description: 'What is to be done, in a line.' })
  title!: string;

  @Field(() => stepStatuses, { description: 'Its status.' })
  status!: StepStatus;

  @Field(() => String, { nullable: true, description: 'What the agent says that it did. Null: nothing yet.' })
  summary!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed, and what to do about it. Null: it did not.' })
  error!: string | null;

  @Field(() => Int, {
    description: 'How often it was started. More than once when its worker was lost, or it was retried.',
  })
  attempts!: number;

  @Field(() => GitObjectID, { nullable: true, description: 'The commit it works on top of. Null: it has not started.' })
  baseCommit!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When an agent began it. Null: none has.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was completed or failed. Null: neither.' })
  endedAt!: Date | null;

  @Field(() => RunbookCommit, {
    nullable: true,
    description: 'The commit it made. Null: none yet, or it changed nothing.',
  })
  commit!: RunbookCommit | null;

  id!: string;
  runbookId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A step of a plan. Its leaves are what is worked on.' })
export class RunbookStep {
  @Field(() => String, { description: 'Its number, such as `1`: steps leave no gaps within a runbook.' })
  number!: string;

  @Field(() => String, { description: 'Its content in one line.' })
  title!: string;

  @Field(() => Int, { description: 'The prompt it was planned for, by its `ordinal`.' })
  promptOrdinal!: number;

  @Field(() => runbookStatuses, {
    description: "Its status, derived from its leaves like a runbook's (interface 3.3).",
  })
  status!: RunbookStatus;

  @Extensions({ rows: 3 })
  @Field(() => [RunbookLeaf], { description: 'Its leaves, in order; one at least.' })
  leaves!: readonly RunbookLeaf[];
}

@ObjectType({ simpleResolvers: true, description: 'A pull request a runbook opened (interface 2.12).' })
export class RunbookPullRequest {
  @Field(() => Int, { description: 'The number of the pull request.' })
  number!: number;

  @Field(() => URI, { description: 'Its page on the code host.' })
  url!: string;

  @Field(() => pullRequestStates, { description: 'Its status, as far as the runbook knows.' })
  state!: OpenedState;

  @Field(() => [String], {
    description: 'Numbers of the leaves whose commits it has, in their order (interface 2.12).',
  })
  stepNumbers!: readonly string[];

  @Field(() => String, { description: 'Its branch.' })
  branch!: string;

  @Field(() => String, { description: 'The branch it is to be merged into: in a stack that of the one before.' })
  baseBranch!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'Its head as the runbook pushed it. Null: nothing was pushed.',
  })
  headCommit!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the runbook asked to queue it. Null: it did not.' })
  queuedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was opened.' })
  openedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was merged or closed. Null: it is open.' })
  endedAt!: Date | null;

  /** Null: the queue does not know it. */
  pullRequestId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A branch that a runbook pushes to.' })
export class RunbookBranch {
  @Field(() => String, { description: 'Its name, which begins with `interlock/runbook-`.' })
  name!: string;

  @Field(() => String, { description: 'The branch its pull request is to be merged into.' })
  baseBranch!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'Its head as the runbook pushed it. Null: nothing was pushed.',
  })
  headCommit!: string | null;

  @Field(() => RunbookPullRequest, { nullable: true, description: 'Its pull request. Null: none yet.' })
  pullRequest!: RunbookPullRequest | null;
}

@ObjectType({ simpleResolvers: true, description: 'A tool that the agent of a runbook called.' })
export class RunbookToolCall {
  @Field(() => String, { description: 'The tool.' })
  tool!: string;

  @Field(() => JSONValue, { description: 'The arguments of the call; long values are cut.' })
  arguments!: unknown;

  @Field(() => toolOutcomes, { description: 'Its result.' })
  outcome!: ToolOutcome;

  @Field(() => String, { description: "The tool's answer, cut where it is long." })
  answer!: string;

  @Field(() => String, { nullable: true, description: 'Number of the leaf it was called for. Null: while planning.' })
  stepNumber!: string | null;

  @Field(() => DateTime, { description: 'When it was called.' })
  startedAt!: Date;

  @Field(() => DateTime, { description: 'When it was answered.' })
  endedAt!: Date;

  id!: string;
}

export const RunbookToolCallConnection = connectionType(RunbookToolCall, 'RunbookToolCall');
