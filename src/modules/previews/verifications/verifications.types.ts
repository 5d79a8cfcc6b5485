import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { PreviewEntry, VerificationCause, VerificationStatus } from '../../../domain/previews/preview.ts';
import { connectionType } from '../../../graphql/connection.ts';
import { Node } from '../../../graphql/node.ts';
import { DateTime, GitObjectID, URI } from '../../../graphql/scalars.ts';

export interface RegistrationPreview {
  readonly url: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
}

const statuses = {
  PENDING: 'pending',
  WAITING: 'waiting',
  BOOTING: 'booting',
  DRIVING: 'driving',
  TEARING_DOWN: 'tearing_down',
  PASSED: 'passed',
  FAILED: 'failed',
  SKIPPED: 'skipped',
  CANCELED: 'canceled',
  ERROR: 'error',
} as const satisfies Record<Uppercase<VerificationStatus>, VerificationStatus>;
registerEnumType(statuses, {
  name: 'VerificationStatus',
  description: 'Status of a verification.',
  valuesConfig: {
    PENDING: { description: 'Interlock decides which preview the verification uses.' },
    WAITING: { description: 'The verification waits for CI to register the preview.' },
    BOOTING: { description: 'The sandbox of the preview is being set up.' },
    DRIVING: { description: 'The preview is tested. If no preview is available, the code is analysed.' },
    TEARING_DOWN: { description: 'The result is known, and the sandbox is being torn down.' },
    PASSED: { description: 'All tested expectations were met.' },
    FAILED: { description: 'A tested expectation was not met.' },
    SKIPPED: { description: 'There was nothing to verify, for example because only exempt paths are changed.' },
    CANCELED: { description: 'A user canceled the verification, or the pull request has another head or is closed.' },
    ERROR: { description: 'The verification itself failed. This says nothing about the change.' },
  },
});

const causes = {
  HEAD: 'head',
  REGISTRATION: 'registration',
  ASKED: 'asked',
} as const satisfies Record<Uppercase<VerificationCause>, VerificationCause>;
registerEnumType(causes, {
  name: 'VerificationCause',
  description: 'Why a verification began.',
  valuesConfig: {
    HEAD: { description: 'A pull request has a new head.' },
    REGISTRATION: {
      description: 'The preview was registered after the previous verification had ended without a preview.',
    },
    ASKED: { description: 'A user requested the verification.' },
  },
});

const methods = { SANDBOX: 'sandbox', ENDPOINT: 'endpoint' } as const satisfies Record<
  Uppercase<PreviewEntry['method']>,
  PreviewEntry['method']
>;
registerEnumType(methods, {
  name: 'PreviewMethod',
  description: 'Whether Interlock or CI builds a preview (interface 2.13).',
  valuesConfig: {
    SANDBOX: { description: 'Interlock boots the preview.' },
    ENDPOINT: { description: 'CI builds the preview and registers its address.' },
  },
});

const conclusions = { PASSED: 'passed', FAILED: 'failed', SKIPPED: 'skipped' } as const;
registerEnumType(conclusions, {
  name: 'VerificationStepConclusion',
  description: 'The result of a step of a scenario.',
  valuesConfig: {
    PASSED: { description: 'The step met its expectation.' },
    FAILED: { description: 'The step did not meet its expectation.' },
    SKIPPED: {
      description:
        'The step was not tried, because an earlier step failed or because this installation cannot carry it out.',
    },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The environment that a verification tests (interface 2.13).' })
export class Preview {
  @Field(() => String, { description: 'The name of the preview in the configuration.' })
  name!: string;

  @Field(() => methods, { description: 'Whether Interlock or CI builds the preview.' })
  method!: PreviewEntry['method'];

  @Field(() => URI, {
    nullable: true,
    description: 'The address of the preview, also after its end. Null: the preview was not ready yet.',
  })
  url!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the preview ends at the latest. Null: it is not running.',
  })
  expiresAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the preview ended, so that `url` no longer opens it. Null: the preview is running, or was not ready yet.',
  })
  endedAt!: Date | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A test of the head of a pull request. Interlock tests the preview by the steps of the skill file, and publishes the result as a check on the head (interface 2.13).',
})
export class Verification {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => statuses, { description: 'The status of the verification.' })
  status!: VerificationStatus;

  @Field(() => causes, { description: 'Why the verification began.' })
  cause!: VerificationCause;

  @Field(() => GitObjectID, { description: 'The commit that is verified.' })
  headCommit!: string;

  @Field(() => Int, { description: 'The number of the verification among those of this commit, from 1.' })
  attempt!: number;

  @Field(() => Boolean, {
    description: 'Whether only the code was judged, because no preview was available (interface 2.13).',
  })
  degraded!: boolean;

  @Field(() => Boolean, { description: 'Whether a user asked to cancel the verification.' })
  cancelRequested!: boolean;

  @Field(() => String, { nullable: true, description: 'The result in one sentence. Null: there is no result yet.' })
  summary!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the last call to the code host or a sandbox failed. The call is repeated. Null: the last call did not fail.',
  })
  problem!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when the verification waits for a registration. Null: it waits for none.',
  })
  waitUntil!: Date | null;

  @Field(() => String, { description: 'Email address of the user who started the verification, or `interlock`.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When the verification was requested.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the verification began. Null: it has not begun.' })
  startedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the verification reached its final status. Null: it has not ended.',
  })
  endedAt!: Date | null;

  repositoryId!: string;
  pullRequestId!: string;
  registrationId!: string | null;
  /**
   * The entry of the configuration that the verification uses. Null: it uses none, or Interlock has not decided yet.
   */
  entry!: Pick<PreviewEntry, 'name' | 'method'> | null;
  /** The slug of the sandbox. Null: the sandbox was not ready yet. */
  slug!: string | null;
  sandboxExpiresAt!: Date | null;
  sandboxGoneAt!: Date | null;
  endpoint!: RegistrationPreview | null;
}

export const VerificationConnection = connectionType(Verification, 'Verification');

@ObjectType({ simpleResolvers: true, description: 'A step of a scenario, with its result.' })
export class VerificationStep {
  @Field(() => Int, { description: 'The place of the step in the verification, from 1.' })
  ordinal!: number;

  @Field(() => String, { description: 'The scenario of the skill file that has the step.' })
  scenario!: string;

  @Field(() => String, { description: 'The text of the step.' })
  step!: string;

  @Field(() => conclusions, { description: 'The result of the step.' })
  conclusion!: 'passed' | 'failed' | 'skipped';

  @Field(() => String, {
    nullable: true,
    description: 'What was observed, with `***` in the place of secrets. Null: there is nothing to add.',
  })
  detail!: string | null;

  @Field(() => Int, { description: 'How long the step took, in milliseconds.' })
  durationMs!: number;

  @Field(() => DateTime, { description: 'When the step ended.' })
  at!: Date;
}

export const VerificationStepConnection = connectionType(VerificationStep, 'VerificationStep');

@InputType({ description: 'A verification to cancel.' })
export class CancelVerificationInput {
  @Field(() => ID, { description: 'The verification.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of verifications.' })
export class VerificationPayload {
  @Field(() => Verification, { description: 'The verification as it is now.' })
  verification!: Verification;
}
