import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { CheckConclusion } from '../../../domain/queue/model/rules.ts';
import type { BatchState as PlannedBatch } from '../../../domain/queue/model/snapshot.ts';
import { connectionType } from '../../../graphql/connection.ts';
import { Node } from '../../../graphql/node.ts';
import { DateTime, GitObjectID, JSONValue, URI } from '../../../graphql/scalars.ts';
import { PullRequest } from './pull-requests.types.ts';

export const batchStates = {
  MAKING: 'making',
  BUILDING: 'building',
  LANDING: 'landing',
  LANDED: 'landed',
  FAILED: 'failed',
  BISECTED: 'bisected',
  SUPERSEDED: 'superseded',
} as const;
export type BatchState = (typeof batchStates)[keyof typeof batchStates];
registerEnumType(batchStates, {
  name: 'BatchState',
  description: 'State of a batch. The first three are live.',
  valuesConfig: {
    MAKING: { description: 'Its commit is being made.' },
    BUILDING: { description: 'Its commit exists and is validated, or waits for its turn to land.' },
    LANDING: { description: 'Its commit is being put on the base branch.' },
    LANDED: { description: 'Its commit is on the base branch.' },
    FAILED: { description: 'Its build failed for good.' },
    BISECTED: { description: 'Its build failed and its members were halved.' },
    SUPERSEDED: { description: 'It was reset: its members went back in place.' },
  },
});

const batchCauses = { NEW: 'new', OPTIMISTIC: 'optimistic', BISECT: 'bisect', PROBE: 'probe', RETRY: 'retry' } as const;
export type BatchCause = (typeof batchCauses)[keyof typeof batchCauses];
registerEnumType(batchCauses, {
  name: 'BatchCause',
  description: 'Why a batch was made.',
  valuesConfig: {
    NEW: { description: 'Pull requests reached their turn.' },
    OPTIMISTIC: { description: 'A green build that includes it passed an earlier red one.' },
    BISECT: { description: 'One half of a failed batch.' },
    PROBE: { description: 'A pull request that conflicted is tried alone.' },
    RETRY: { description: 'The same pull requests again.' },
  },
});

const batchRoles = {
  LINE: 'line',
  SPECULATIVE: 'speculative',
  PART: 'part',
  ISOLATION: 'isolation',
} as const satisfies Record<string, 'line' | NonNullable<PlannedBatch['sideBuild']>>;
export type BatchRole = (typeof batchRoles)[keyof typeof batchRoles];
registerEnumType(batchRoles, {
  name: 'BatchRole',
  description: 'Whether a batch is in line, or a build beside the line.',
  valuesConfig: {
    LINE: { description: 'It is in line, on the tip of the base or on the batch before it, and lands.' },
    SPECULATIVE: {
      description: 'A speculative build: its members on top of the pull requests that it assumes to land first.',
    },
    PART: { description: 'A part of a bisected batch, which is built on the tip to find the failing pull requests.' },
    ISOLATION: { description: 'A failed pull request alone on the tip, to learn whether it is red by itself.' },
  },
});

const grades = {
  EXACT: 'exact',
  SAME_TREE: 'same_tree',
  COMPOSED: 'composed',
  HOST_MERGED: 'host_merged',
  UNVALIDATED: 'unvalidated',
  EXTERNAL: 'external',
} as const;
export type ProofGrade = (typeof grades)[keyof typeof grades];
registerEnumType(grades, {
  name: 'ProofGrade',
  description: 'How what landed relates to what was tested.',
  valuesConfig: {
    EXACT: { description: 'The landed commit is the tested commit.' },
    SAME_TREE: { description: 'Another commit with the tested tree.' },
    COMPOSED: { description: 'Parts that do not affect each other, tested apart.' },
    HOST_MERGED: { description: 'The code host made the commit.' },
    UNVALIDATED: { description: 'Somebody chose by name not to validate.' },
    EXTERNAL: { description: 'It was not put there by the queue.' },
  },
});

const conclusions = {
  SUCCESS: 'success',
  PENDING: 'pending',
  FAILURE: 'failure',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timed_out',
  SKIPPED: 'skipped',
  NEUTRAL: 'neutral',
  ACTION_REQUIRED: 'action_required',
  STALE: 'stale',
  UNKNOWN: 'unknown',
  ERROR: 'error',
  BLOCKED: 'blocked',
  MISSING: 'missing',
} as const satisfies Record<Uppercase<CheckConclusion>, CheckConclusion>;
registerEnumType(conclusions, {
  name: 'CheckConclusion',
  description:
    'What a check says about a commit. Where the configuration does not say otherwise, SUCCESS, SKIPPED and NEUTRAL count as green.',
  valuesConfig: {
    SUCCESS: { description: 'It passed.' },
    PENDING: { description: 'It waits or runs.' },
    FAILURE: { description: 'It failed.' },
    CANCELLED: { description: 'It was stopped: it says nothing about the commit.' },
    TIMED_OUT: { description: 'It took too long.' },
    SKIPPED: { description: 'It did not apply.' },
    NEUTRAL: { description: 'It ended without a judgement.' },
    ACTION_REQUIRED: { description: 'Somebody has to do something at its provider first.' },
    STALE: { description: 'Its code host gave it up.' },
    UNKNOWN: { description: 'Its code host says something else.' },
    ERROR: { description: 'It could not be carried out.' },
    BLOCKED: { description: 'Its provider does not run it.' },
    MISSING: { description: 'It is required and did not run.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The newest attempt of a check on a commit.' })
export class Check {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Int, { description: 'Counted from 1; a rerun is a new attempt.' })
  attempt!: number;

  @Field(() => conclusions, { description: 'What it says.' })
  conclusion!: CheckConclusion;

  @Field(() => URI, { nullable: true, description: 'Where its log is. Null when the code host has none.' })
  url!: string | null;

  @Field(() => String, { nullable: true, description: 'Its output about the conclusion. Null: none.' })
  summary!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Null while it waits.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Null until it ends.' })
  completedAt!: Date | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'What a landing can be checked by, chained to the landing before it.',
})
export class Proof {
  @Field(() => String, { description: 'SHA-256 over the document and the proof before it.' })
  digest!: string;

  @Field(() => JSONValue, {
    description: 'Landing commit, first parent, tree, members, evidence, configuration and gate.',
  })
  document!: unknown;

  @Field(() => DateTime, { description: 'When it was written.' })
  createdAt!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'Ed25519 signature of `interlock proof 1`, a line feed, the digest and a line feed, in base64. Null: not signed yet.',
  })
  signature!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The public key that its signature is checked by, as 64 hexadecimal digits. Null: not signed yet.',
  })
  signedBy!: string | null;
}

const gateStates = { PLANNED: 'planned', RUNNING: 'running', PASSED: 'passed', FAILED: 'failed' } as const;
registerEnumType(gateStates, {
  name: 'FinalGateState',
  description: 'State of a final gate.',
  valuesConfig: {
    PLANNED: { description: 'The code host has not been asked yet.' },
    RUNNING: { description: 'It waits at the code host, or runs.' },
    PASSED: { description: 'It succeeded.' },
    FAILED: { description: 'It did not succeed, could not be started, or its batch ended first.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A workflow between the green build of a batch and its landing.' })
export class FinalGate {
  @Field(() => String, { description: 'Its workflow.' })
  workflow!: string;

  @Field(() => gateStates, { description: 'Its status.' })
  state!: (typeof gateStates)[keyof typeof gateStates];

  @Field(() => URI, { nullable: true, description: 'Where its run is. Null until it was started.' })
  url!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed. Null unless it did.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the code host was asked. Null before.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ended. Null before.' })
  endedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A pull request inside of a batch.' })
export class BatchMember {
  @Field(() => PullRequest, { description: 'The pull request.' })
  pullRequest!: PullRequest;

  @Field(() => GitObjectID, { description: 'The head that this batch was made with.' })
  headCommitSha!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'Its own commit inside of the batch. Null until it is made.',
  })
  commit!: string | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'Pull requests that are validated and landed together. Members, parent and commit of a batch never change: a reset makes a new one.',
})
export class Batch {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => Int, { description: 'Its place among the batches of its queue, counted from 1.' })
  position!: number;

  @Field(() => batchStates, { description: 'Its status.' })
  state!: BatchState;

  @Field(() => batchCauses, { description: 'Why it was made.' })
  cause!: BatchCause;

  @Field(() => batchRoles, { description: 'Whether it is in line, or a build beside the line.' })
  role!: BatchRole;

  @Field(() => GitObjectID, {
    description:
      "First parent of its commit: the base's tip, or a commit of the pull requests it assumes to land first.",
  })
  parentCommit!: string;

  @Field(() => GitObjectID, { description: 'The commit of the base at the bottom of what it assumes.' })
  baseCommit!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit that is validated and lands. Null until it is made.',
  })
  commit!: string | null;

  @Field(() => GitObjectID, { nullable: true, description: 'Tree of the commit. Null until it is made.' })
  tree!: string | null;

  @Field(() => [GitObjectID], {
    description: 'Commits of the builds that justify its landing together. Empty if its own build does.',
  })
  restsOn!: string[];

  @Field(() => Int, { nullable: true, description: 'Why it was reset. Null unless it was.' })
  resetCode!: number | null;

  @Field(() => String, { nullable: true, description: 'How it ended, as a sentence. Null while it lives.' })
  endedReason!: string | null;

  @Field(() => DateTime, { description: 'When it was formed.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When its checks were requested. Null before.' })
  buildStartedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it landed, failed or was reset. Null before.' })
  endedAt!: Date | null;

  @Field(() => grades, {
    nullable: true,
    description: 'How what landed relates to what was tested. Null until it landed.',
  })
  grade!: ProofGrade | null;

  repositoryId!: string;
  queueId!: string;
  parentBatchId!: string | null;
  testedCommit!: string | null;
  /** The instant that it is shown of. Absent: now. */
  asOf?: Date;
}

export const BatchConnection = connectionType(Batch, 'Batch');
