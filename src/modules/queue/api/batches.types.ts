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
    BISECTED: { description: 'Its build failed, and its members are built again in smaller batches.' },
    SUPERSEDED: { description: 'It was reset, or its result is no longer needed. Its members kept their places.' },
  },
});

const batchCauses = { NEW: 'new', OPTIMISTIC: 'optimistic', BISECT: 'bisect', PROBE: 'probe', RETRY: 'retry' } as const;
export type BatchCause = (typeof batchCauses)[keyof typeof batchCauses];
registerEnumType(batchCauses, {
  name: 'BatchCause',
  description: 'Why a batch was made.',
  valuesConfig: {
    NEW: { description: 'Pull requests reached their turn.' },
    OPTIMISTIC: { description: 'Green builds show that its pull requests can land together.' },
    BISECT: { description: 'A part of a failed batch is built.' },
    PROBE: {
      description: 'A pull request is built alone, to find out whether it still conflicts or is red by itself.',
    },
    RETRY: { description: 'The same pull requests are built again.' },
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
  description: 'Whether a batch is in line, or is another kind of build.',
  valuesConfig: {
    LINE: {
      description:
        'A batch in line, which is built on the tip of the base branch or on the batch before it, and can land.',
    },
    SPECULATIVE: {
      description: 'A speculative build: its members on top of the pull requests that it assumes to land first.',
    },
    PART: { description: 'A part of a bisected batch, which is built on the tip to find the failing pull requests.' },
    ISOLATION: {
      description:
        'A failed pull request that is built alone on the tip, to find out whether it is red without others.',
    },
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
  description: 'How the landed commit relates to the tested commits.',
  valuesConfig: {
    EXACT: { description: 'The landed commit is the tested commit.' },
    SAME_TREE: { description: 'The landed commit is another commit with the tested tree.' },
    COMPOSED: {
      description: 'No build tested the whole landed tree. Green builds of its parts together prove as much.',
    },
    HOST_MERGED: { description: 'The code host made the landed commit, which has the tested tree.' },
    UNVALIDATED: { description: 'A named person or setting skipped validation.' },
    EXTERNAL: { description: 'The commit did not land through the queue.' },
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
    'The result of a check on a commit. Unless the configuration says otherwise, SUCCESS, SKIPPED and NEUTRAL count as green.',
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
    UNKNOWN: { description: 'Its code host reported a conclusion that is not in this list.' },
    ERROR: { description: 'It could not be carried out.' },
    BLOCKED: { description: 'Its provider does not run it.' },
    MISSING: { description: 'It is required and did not run.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The newest attempt of a check on a commit.' })
export class Check {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => GitObjectID, { description: 'The commit on which it ran.' })
  commit!: string;

  @Field(() => Int, { description: 'Counted from 1; a rerun is a new attempt.' })
  attempt!: number;

  @Field(() => conclusions, { description: 'Its conclusion.' })
  conclusion!: CheckConclusion;

  @Field(() => URI, { nullable: true, description: 'Where its log is. Null when the code host has none.' })
  url!: string | null;

  @Field(() => String, { nullable: true, description: 'Its message about the conclusion. Null: there is none.' })
  summary!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it started. Null while it waits.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ended. Null until then.' })
  completedAt!: Date | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The record by which a landing can be verified. It refers to the proof of the landing before it.',
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
    description: 'The public key that verifies its signature, as 64 hexadecimal digits. Null: not signed yet.',
  })
  signedBy!: string | null;
}

const gateStates = { PLANNED: 'planned', RUNNING: 'running', PASSED: 'passed', FAILED: 'failed' } as const;
registerEnumType(gateStates, {
  name: 'FinalGateState',
  description: 'State of a final gate.',
  valuesConfig: {
    PLANNED: { description: 'It has not been started yet.' },
    RUNNING: { description: 'It waits at the code host, or runs.' },
    PASSED: { description: 'It succeeded.' },
    FAILED: { description: 'It did not succeed, could not be started, or its batch ended first.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'A workflow that must succeed between the green build of a batch and its landing.',
})
export class FinalGate {
  @Field(() => String, { description: 'Its workflow.' })
  workflow!: string;

  @Field(() => gateStates, { description: 'Its state.' })
  state!: (typeof gateStates)[keyof typeof gateStates];

  @Field(() => URI, { nullable: true, description: 'Where its run is. Null until it was started.' })
  url!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed. Null unless it did.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was started at the code host. Null before.' })
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

  @Field(() => batchStates, { description: 'Its state.' })
  state!: BatchState;

  @Field(() => batchCauses, { description: 'Why it was made.' })
  cause!: BatchCause;

  @Field(() => batchRoles, { description: 'Whether it is in line, or is another kind of build.' })
  role!: BatchRole;

  @Field(() => GitObjectID, {
    description:
      'First parent of its commit: the tip of the base branch, the commit of the batch before it, or a commit that contains the pull requests that it assumes to land first.',
  })
  parentCommit!: string;

  @Field(() => GitObjectID, {
    description:
      'The commit of the base branch on which it is built, together with the batches before it and the pull requests that it assumes.',
  })
  baseCommit!: string;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit that is validated and lands. Null until it is made.',
  })
  commit!: string | null;

  @Field(() => GitObjectID, { nullable: true, description: 'Tree of the commit. Null until it is made.' })
  tree!: string | null;

  @Field(() => [GitObjectID], {
    description:
      'The commits of the builds that together justify its landing. Empty if a build of its whole tree justifies it.',
  })
  restsOn!: string[];

  @Field(() => Int, {
    nullable: true,
    description: 'The code of the reset (interface 6.1). Null unless it was reset.',
  })
  resetCode!: number | null;

  @Field(() => String, { nullable: true, description: 'How it ended, as a sentence. Null until it ends.' })
  endedReason!: string | null;

  @Field(() => DateTime, { description: 'When it was formed.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When its checks were requested, or when the queue found that it needs no build. Null before.',
  })
  buildStartedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it landed, failed or was reset. Null before.' })
  endedAt!: Date | null;

  @Field(() => grades, {
    nullable: true,
    description: 'How the landed commit relates to the tested commits. Null until it landed.',
  })
  grade!: ProofGrade | null;

  repositoryId!: string;
  queueId!: string;
  parentBatchId!: string | null;
  testedCommit!: string | null;
  /** The instant as of which the batch was read. Absent: now. */
  asOf?: Date;
}

export const BatchConnection = connectionType(Batch, 'Batch');
