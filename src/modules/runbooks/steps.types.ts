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
    NOT_STARTED: { description: 'The leaf was not started.' },
    QUEUED: { description: 'All leaves before this leaf are completed, and it waits for an agent.' },
    IN_PROGRESS: { description: 'An agent works on the leaf.' },
    COMPLETED: { description: 'The leaf is done.' },
    FAILED: { description: 'The leaf failed, was left out, or was canceled. `error` says why.' },
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
    OPEN: { description: 'The pull request is open.' },
    MERGED: { description: 'The pull request is merged.' },
    CLOSED: { description: 'The pull request was closed without being merged.' },
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
    REFUSED: { description: 'The agent is not allowed to do what it asked for.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A commit that a runbook made.' })
export class RunbookCommit {
  @Field(() => GitObjectID, { description: 'The commit.' })
  commit!: string;

  @Field(() => GitObjectID, { description: 'The parent of the commit.' })
  parent!: string;

  @Field(() => String, { description: 'The whole message of the commit.' })
  message!: string;

  @Field(() => Int, { description: 'How many files the commit changes.' })
  files!: number;

  @Field(() => commitStates, { description: 'Whether the commit was pushed.' })
  state!: 'made' | 'pushed';

  @Field(() => String, { description: 'Number of the leaf that made the commit.' })
  stepNumber!: string;

  @Field(() => String, { description: 'The branch that the commit is pushed to.' })
  branch!: string;

  @Field(() => DateTime, { description: 'When the commit was made.' })
  at!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A part of a step. The agent works on leaves, and each leaf has a status of its own.',
})
export class RunbookLeaf {
  @Field(() => String, { description: 'The number of the leaf, such as `1.2`. The numbers of leaves have no gaps.' })
  number!: string;

  @Field(() => String, { description: 'What the agent does in this leaf, in one line.' })
  title!: string;

  @Field(() => stepStatuses, { description: 'The status of the leaf.' })
  status!: StepStatus;

  @Field(() => String, {
    nullable: true,
    description: "The agent's report of the work. Null: there is no report yet.",
  })
  summary!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the leaf failed, and what to do about it. Null: it did not fail.',
  })
  error!: string | null;

  @Field(() => Int, {
    description: 'How often the leaf was started. It is started again when its worker is lost, and when it is retried.',
  })
  attempts!: number;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit that the work starts from. Null: the leaf was not started.',
  })
  baseCommit!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When an agent began to work on the leaf. Null: it was not started.',
  })
  startedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the leaf was completed or failed. Null: it has not ended.',
  })
  endedAt!: Date | null;

  @Field(() => RunbookCommit, {
    nullable: true,
    description: 'The commit of the leaf. Null: there is no commit yet, or the leaf changed no file.',
  })
  commit!: RunbookCommit | null;

  id!: string;
  runbookId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A step of a plan. The agent works on its leaves.' })
export class RunbookStep {
  @Field(() => String, { description: 'The number of the step, such as `1`. The numbers of steps have no gaps.' })
  number!: string;

  @Field(() => String, { description: 'The content of the step in one line.' })
  title!: string;

  @Field(() => Int, { description: 'The `ordinal` of the prompt that the step was planned for.' })
  promptOrdinal!: number;

  @Field(() => runbookStatuses, {
    description: 'The status of the step, derived from its leaves like the status of a runbook (interface 3.3).',
  })
  status!: RunbookStatus;

  @Extensions({ rows: 3 })
  @Field(() => [RunbookLeaf], { description: 'The leaves of the step, in order. There is at least one leaf.' })
  leaves!: readonly RunbookLeaf[];
}

@ObjectType({ simpleResolvers: true, description: 'A pull request that a runbook opened (interface 2.12).' })
export class RunbookPullRequest {
  @Field(() => Int, { description: 'The number of the pull request.' })
  number!: number;

  @Field(() => URI, { description: 'The page of the pull request on the code host.' })
  url!: string;

  @Field(() => pullRequestStates, { description: 'The status of the pull request when the runbook last read it.' })
  state!: OpenedState;

  @Field(() => [String], {
    description: 'Numbers of the leaves whose commits the pull request has, in their order (interface 2.12).',
  })
  stepNumbers!: readonly string[];

  @Field(() => String, { description: 'The head branch of the pull request.' })
  branch!: string;

  @Field(() => String, {
    description: 'The branch that the pull request is merged into. In a stack, the branch of the pull request below.',
  })
  baseBranch!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The head commit that the runbook pushed. Null: nothing was pushed.',
  })
  headCommit!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the runbook asked to queue the pull request. Null: the runbook did not ask.',
  })
  queuedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When the pull request was opened.' })
  openedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the pull request was merged or closed. Null: it is open.',
  })
  endedAt!: Date | null;

  /** Null: the queue has not read the pull request yet. */
  pullRequestId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A branch that a runbook pushes to.' })
export class RunbookBranch {
  @Field(() => String, { description: 'The name of the branch, which begins with `interlock/runbook-`.' })
  name!: string;

  @Field(() => String, { description: 'The branch that the pull request is to be merged into.' })
  baseBranch!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The head commit that the runbook pushed. Null: nothing was pushed.',
  })
  headCommit!: string | null;

  @Field(() => RunbookPullRequest, {
    nullable: true,
    description: 'The pull request of the branch. Null: there is none yet.',
  })
  pullRequest!: RunbookPullRequest | null;
}

@ObjectType({ simpleResolvers: true, description: 'A tool that the agent of a runbook called.' })
export class RunbookToolCall {
  @Field(() => String, { description: 'The tool.' })
  tool!: string;

  @Field(() => JSONValue, { description: 'The arguments of the call. Long values are cut.' })
  arguments!: unknown;

  @Field(() => toolOutcomes, { description: 'The result of the call.' })
  outcome!: ToolOutcome;

  @Field(() => String, { description: "The tool's answer, cut where it is long." })
  answer!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Number of the leaf that the agent worked on. Null: the agent was planning.',
  })
  stepNumber!: string | null;

  @Field(() => DateTime, { description: 'When the tool was called.' })
  startedAt!: Date;

  @Field(() => DateTime, { description: 'When the tool answered.' })
  endedAt!: Date;

  id!: string;
}

export const RunbookToolCallConnection = connectionType(RunbookToolCall, 'RunbookToolCall');
