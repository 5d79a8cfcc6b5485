// Rows of checks, statuses, workflows and rules.
import type { DatedRow, Row } from './row.ts';
import type { ConclusionName } from './enums.ts';

export interface CheckSuite extends DatedRow {
  readonly repositoryId: number;
  readonly appId: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly before: string | null;
  readonly after: string | null;
  status: 'queued' | 'in_progress' | 'completed' | 'requested' | 'waiting' | 'pending';
  conclusion: ConclusionName | null;
}

export interface CheckRun extends Row {
  readonly repositoryId: number;
  readonly checkSuiteId: number;
  readonly appId: number;
  readonly headSha: string;
  name: string;
  status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';
  conclusion: ConclusionName | null;
  externalId: string;
  detailsUrl: string | null;
  startedAt: string | null;
  completedAt: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
}

export interface CommitStatus extends DatedRow {
  readonly repositoryId: number;
  readonly sha: string;
  readonly context: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorId: number;
}

export interface Workflow extends DatedRow {
  readonly repositoryId: number;
  readonly path: string;
  name: string;
  state: 'active' | 'deleted' | 'disabled_manually';
}

export interface WorkflowRun extends DatedRow {
  readonly repositoryId: number;
  readonly workflowId: number;
  readonly checkSuiteId: number;
  readonly runNumber: number;
  readonly event: string;
  readonly headBranch: string | null;
  readonly headSha: string;
  /** The commit that is checked out. For a run of a pull request, it is GitHub's test merge. */
  readonly testedSha: string;
  readonly actorId: number;
  readonly inputs: Record<string, string>;
  /** The number of the pull request whose event started the run. Null: another event started it. */
  readonly pullNumber: number | null;
  runAttempt: number;
  runStartedAt: string;
  status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending';
  conclusion: ConclusionName | null;
  displayTitle: string;
}

/** A job has the same id as its check run. */
export interface WorkflowJob extends Row {
  readonly runId: number;
  readonly runAttempt: number;
  readonly key: string;
  readonly name: string;
  steps: { name: string; number: number; status: string; conclusion: ConclusionName | null }[];
  log: string;
}

/** `settings` is GitHub's JSON of a protection, as in the body of `PUT …/protection`. */
export interface BranchProtection extends DatedRow {
  readonly repositoryId: number;
  pattern: string;
  settings: Record<string, unknown>;
}

/** Conditions, rules and bypass actors are GitHub's JSON. */
export interface Ruleset extends DatedRow {
  readonly repositoryId: number;
  name: string;
  target: 'branch' | 'tag' | 'push';
  enforcement: 'active' | 'disabled' | 'evaluate';
  conditions: Record<string, unknown>;
  rules: Record<string, unknown>[];
  bypassActors: Record<string, unknown>[];
}
