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
    PENDING: { description: 'It is found out which preview governs it.' },
    WAITING: { description: 'It waits for CI to register its preview.' },
    BOOTING: { description: 'Its sandbox is being set up.' },
    DRIVING: { description: 'Its preview is driven, or its code is judged where no preview came up.' },
    TEARING_DOWN: { description: 'It is judged; its sandbox is taken down.' },
    PASSED: { description: 'What was tried held.' },
    FAILED: { description: 'Something that was tried did not hold.' },
    SKIPPED: { description: 'There was nothing to verify, such as where all it changes is exempt.' },
    CANCELED: { description: 'Somebody canceled it, or its pull request has another head or is closed.' },
    ERROR: { description: 'It could not be found out, which says nothing about the change.' },
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
    HEAD: { description: 'A pull request has this head.' },
    REGISTRATION: { description: 'Its preview was registered after the run before had to do without it.' },
    ASKED: { description: 'Somebody requested it.' },
  },
});

const methods = { SANDBOX: 'sandbox', ENDPOINT: 'endpoint' } as const satisfies Record<
  Uppercase<PreviewEntry['method']>,
  PreviewEntry['method']
>;
registerEnumType(methods, {
  name: 'PreviewMethod',
  description: 'Who makes a preview (interface 2.13).',
  valuesConfig: {
    SANDBOX: { description: 'The service boots it.' },
    ENDPOINT: { description: 'CI builds it and registers where it is.' },
  },
});

const conclusions = { PASSED: 'passed', FAILED: 'failed', SKIPPED: 'skipped' } as const;
registerEnumType(conclusions, {
  name: 'VerificationStepConclusion',
  description: 'How a step of a scenario went.',
  valuesConfig: {
    PASSED: { description: 'It met its expectation.' },
    FAILED: { description: 'Something else was seen.' },
    SKIPPED: { description: 'It was not tried, because one before it failed or nothing here can try it.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The environment a verification drives (interface 2.13).' })
export class Preview {
  @Field(() => String, { description: 'Its name in the configuration.' })
  name!: string;

  @Field(() => methods, { description: 'Its kind.' })
  method!: PreviewEntry['method'];

  @Field(() => URI, {
    nullable: true,
    description: 'Where it is reached, and once it has ended, where it was. Null: it has not come up.',
  })
  url!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it is gone at the latest. Null: it is not up.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when `url` leads to it no more. Null: it is up, or has not come up.',
  })
  endedAt!: Date | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A run over the head of a pull request: its preview is driven by the skill file, and the result is a check on the head (interface 2.13).',
})
export class Verification {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => statuses, { description: 'Its status.' })
  status!: VerificationStatus;

  @Field(() => causes, { description: 'Why it began.' })
  cause!: VerificationCause;

  @Field(() => GitObjectID, { description: 'The commit it is about.' })
  headCommit!: string;

  @Field(() => Int, { description: 'Counts the runs over this commit, from 1.' })
  attempt!: number;

  @Field(() => Boolean, {
    description: 'Whether only its code was judged, because no preview came up (interface 2.13).',
  })
  degraded!: boolean;

  @Field(() => Boolean, { description: 'Whether it was asked to stop.' })
  cancelRequested!: boolean;

  @Field(() => String, { nullable: true, description: 'Its result in one sentence. Null: none yet.' })
  summary!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the last call to the code host or a sandbox failed. The call is repeated. Null: it did not fail.',
  })
  problem!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until when a registration is waited for. Null: none is.',
  })
  waitUntil!: Date | null;

  @Field(() => String, { description: 'Email address of the user who began it, `interlock` for the service itself.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was requested.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it began. Null: it has not.' })
  startedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it came to its final status. Null: it has not.' })
  endedAt!: Date | null;

  repositoryId!: string;
  pullRequestId!: string;
  registrationId!: string | null;
  /** The entry that governs it. Null: none does, or none yet. */
  entry!: Pick<PreviewEntry, 'name' | 'method'> | null;
  /** The slug of the sandbox, once it has come up. */
  slug!: string | null;
  sandboxExpiresAt!: Date | null;
  sandboxGoneAt!: Date | null;
  endpoint!: RegistrationPreview | null;
}

export const VerificationConnection = connectionType(Verification, 'Verification');

@ObjectType({ simpleResolvers: true, description: 'A step of a scenario, as it was driven.' })
export class VerificationStep {
  @Field(() => Int, { description: 'Its place in the run, from 1.' })
  ordinal!: number;

  @Field(() => String, { description: 'The scenario of the skill file it is of.' })
  scenario!: string;

  @Field(() => String, { description: 'What was tried.' })
  step!: string;

  @Field(() => conclusions, { description: 'Its result.' })
  conclusion!: 'passed' | 'failed' | 'skipped';

  @Field(() => String, {
    nullable: true,
    description: 'What was observed, with secrets as `***`. Null: nothing to add.',
  })
  detail!: string | null;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs!: number;

  @Field(() => DateTime, { description: 'When it was done.' })
  at!: Date;
}

export const VerificationStepConnection = connectionType(VerificationStep, 'VerificationStep');

@InputType({ description: 'A verification to cancel.' })
export class CancelVerificationInput {
  @Field(() => ID, { description: 'The verification.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A verification after the change.' })
export class VerificationPayload {
  @Field(() => Verification, { description: 'The verification as it is now.' })
  verification!: Verification;
}
