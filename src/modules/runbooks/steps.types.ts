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
    NOT_STARTED: { description: 'It was not started.' },
    QUEUED: { description: 'All leaves before it are completed, and it waits for an agent.' },
    IN_PROGRESS: { description: 'An agent works on it.' },
    COMPLETED: { description: 'It is done.' },
    FAILED: { description: 'It failed, was left out, or was canceled. `error` says why.' },
  },
});

const commitStates = {
  MADE: 'made',
  PUSHED: 'pushed',
} as const satisfies Partial<Record<Uppercase<RunbookCommitState>, RunbookCommitState>>;
registerEnumType(commitStates, {
  name: 'RunbookCommitState',
  description: 'Whether a commit of a runbook was pushed.',
  valuesConfig: {
    MADE: { description: 'The commit exists and was not pushed yet.' },
    PUSHED: { description: 'The commit is on its branch.' },
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
    DONE: { description: 'The tool did what the agent asked for.' },
    FAILED: { description: 'The tool failed, and its answer says why.' },
    REFUSED: { description: 'The agent may not do what it asked for.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A commit that a runbook made.' })
export class RunbookCommit {
  @Field(() => GitObjectID, { description: 'The commit.' })
  commit!: string;

  @Field(() => GitObjectID, { description: 'The parent of the commit.' })
  parent!: string;

  @Field(() => String, { description: 'Its whole message.' })
  message!: string;

  @Field(() => Int, { description: 'How many files it changes.' })
  files!: number;

  @Field(() => commitStates, { description: 'Whether it was pushed.' })
  state!: 'made' | 'pushed';

  @Field(() => String, { description: 'Number of the leaf that made it.' })
  stepNumber!: string;

  @Field(() => String, { description: 'The branch that it is pushed to.' })
  branch!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  at!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A part of a step. The agent works on leaves, and each leaf has a status of its own.',
})
export class RunbookLeaf {
  @Field(() => String, { description: 'Its number, such as `1.2`. The numbers of leaves have no gaps.' })
  number!: string;

  @Field(() => String, { description: 'What the agent does in this leaf, in one line.' })
  title!: string;

  @Field(() => stepStatuses, { description: 'Its status.' })
  status!: StepStatus;

  @Field(() => String, {
    nullable: true,
    description: "The agent's report of what it did. Null: there is no report yet.",
  })
  summary!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it failed, and what to do about it. Null: it did not fail.',
  })
  error!: string | null;

  @Field(() => Int, {
    description: 'How often it was started. It is started again when its worker is lost, and when it is retried.',
  })
  attempts!: number;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit that its work starts from. Null: it was not started.',
  })
  baseCommit!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When an agent began to work on it. Null: it was not started.',
  })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was completed or failed. Null: it has not ended.' })
  endedAt!: Date | null;

  @Field(() => RunbookCommit, {
    nullable: true,
    description: 'The commit that it made. Null: there is no commit yet, or the leaf changed no file.',
  })
  commit!: RunbookCommit | null;

  id!: string;
  runbookId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A step of a plan. The agent works on its leaves.' })
export class RunbookStep {
  @Field(() => String, { description: 'Its number, such as `1`. The numbers of steps have no gaps.' })
  number!: string;

  @Field(() => String, { description: 'Its content in one line.' })
  title!: string;

  @Field(() => Int, { description: 'The `ordinal` of the prompt that it was planned for.' })
  promptOrdinal!: number;

  @Field(() => runbookStatuses, {
    description: "Its status, derived from its leaves like a runbook's (interface 3.3).",
  })
  status!: RunbookStatus;

  @Extensions({ rows: 3 })
  @Field(() => [RunbookLeaf], { description: 'Its leaves, in order. There is at least one.' })
  leaves!: readonly RunbookLeaf[];
}

@ObjectType({ simpleResolvers: true, description: 'A pull request that a runbook opened (interface 2.12).' })
export class RunbookPullRequest {
  @Field(() => Int, { description: 'The number of the pull request.' })
  number!: number;

  @Field(() => URI, { description: 'Its page on the code host.' })
  url!: string;

  @Field(() => pullRequestStates, { description: 'Its status when the runbook last read it.' })
  state!: OpenedState;

  @Field(() => [String], {
    description: 'Numbers of the leaves whose commits it has, in their order (interface 2.12).',
  })
  stepNumbers!: readonly string[];

  @Field(() => String, { description: 'Its branch.' })
  branch!: string;

  @Field(() => String, {
    description: 'The branch that it is merged into. In a stack, the branch of the pull request below.',
  })
  baseBranch!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'Its head as the runbook pushed it. Null: nothing was pushed.',
  })
  headCommit!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the runbook asked to queue it. Null: the runbook did not ask.',
  })
  queuedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was opened.' })
  openedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was merged or closed. Null: it is open.' })
  endedAt!: Date | null;

  /** Null: the queue has not read the pull request yet. */
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

  @Field(() => JSONValue, { description: 'The arguments of the call. Long values are cut.' })
  arguments!: unknown;

  @Field(() => toolOutcomes, { description: 'Its result.' })
  outcome!: ToolOutcome;

  @Field(() => String, { description: "The tool's answer, cut where it is long." })
  answer!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Number of the leaf that the agent worked on. Null: the agent was planning.',
  })
  stepNumber!: string | null;

  @Field(() => DateTime, { description: 'When it was called.' })
  startedAt!: Date;

  @Field(() => DateTime, { description: 'When the tool answered.' })
  endedAt!: Date;

  id!: string;
}

export const RunbookToolCallConnection = connectionType(RunbookToolCall, 'RunbookToolCall');
