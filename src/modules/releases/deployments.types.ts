import { Extensions, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { DeploymentKind, DeploymentStatus } from '../../domain/releases/release.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, ReleaseCandidateVersion } from '../../graphql/scalars.ts';

const deploymentStatuses = {
  PENDING: 'pending',
  IN_PROGRESS: 'in_progress',
  SUCCESS: 'success',
  FAILURE: 'failure',
  CANCELING: 'canceling',
  CANCELED: 'canceled',
  ERROR: 'error',
  UNKNOWN: 'unknown',
} as const satisfies Record<Uppercase<DeploymentStatus>, DeploymentStatus>;
registerEnumType(deploymentStatuses, {
  name: 'DeploymentStatus',
  description: 'Status of a deployment (interface 3.2).',
  valuesConfig: {
    PENDING: { description: 'It waits for its turn.' },
    IN_PROGRESS: { description: 'The environment is being changed by it.' },
    SUCCESS: { description: 'It is done; its candidate runs there.' },
    FAILURE: { description: 'It was tried and did not come through.' },
    CANCELING: { description: 'It was asked to stop; how it ends is not known yet.' },
    CANCELED: { description: 'It was stopped, or never began.' },
    ERROR: { description: 'It could not be tried, or its end was never reported.' },
    UNKNOWN: { description: 'There was no news for too long. Others no longer wait for it.' },
  },
});

const deploymentKinds = {
  FORWARD: 'forward',
  ROLLBACK: 'rollback',
} as const satisfies Record<Uppercase<DeploymentKind>, DeploymentKind>;
registerEnumType(deploymentKinds, {
  name: 'DeploymentKind',
  description: 'What a deployment is for.',
  valuesConfig: {
    FORWARD: { description: 'To bring a candidate there.' },
    ROLLBACK: { description: 'To bring back what ran there before.' },
  },
});

@Extensions({ notFound: 'Deployment not found' })
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A release candidate on its way into an environment (interface 3.2).',
})
export class Deployment {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque; in a preview it names nothing.' })
  id!: string;

  @Field(() => String, { description: 'Email address of the user who requested it, or reported it first.' })
  actor!: string;

  @Field(() => deploymentKinds, { description: 'Why there is the deployment.' })
  kind!: DeploymentKind;

  @Field(() => String, { description: 'The release that is deployed.' })
  releaseVersion!: string;

  @Field(() => ReleaseCandidateVersion, { description: 'The candidate that is deployed.' })
  releaseCandidateVersion!: string;

  @Field(() => String, { nullable: true, description: 'The release that ran there before it. Null: none did.' })
  fromReleaseVersion!: string | null;

  @Field(() => ReleaseCandidateVersion, {
    nullable: true,
    description: 'The candidate that ran there before it. Null: none did.',
  })
  fromReleaseCandidateVersion!: string | null;

  @Field(() => deploymentStatuses, { description: 'Its status.' })
  status!: DeploymentStatus;

  @Field(() => String, { nullable: true, description: 'The reason for its status. Null: there is nothing to add.' })
  errorMessage!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The failure of the last call to its provider, which is repeated at `nextTryAt`. Null: the call did not fail, or its result is known by now.',
  })
  lastFailure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When its provider is called again after `lastFailure`. Null: it is not, or nothing failed.',
  })
  nextTryAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When its provider was asked to cancel it. Null: the provider was not asked. If the provider of a canceled deployment could not be reached, `lastFailure` says why.',
  })
  cancelSentAt!: Date | null;

  @Field(() => Boolean, { description: 'Whether it goes on although the environment is frozen.' })
  forced!: boolean;

  @Field(() => Boolean, { description: 'Whether it is driven from outside, and never triggered by the service.' })
  reported!: boolean;

  @Field(() => DateTime, { description: 'When it was requested, or first reported.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it began: its first status past PENDING. Null: it waits, or was canceled while it did.',
  })
  deployStartAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it came to its final status. Null: it has not.' })
  deployEndAt!: Date | null;

  environmentId!: string;
  environmentName!: string;
  projectId!: string;
  projectName!: string;
  candidateId!: string;
  fromCandidateId!: string | null;
  rollbackOfId!: string | null;
}

export const DeploymentConnection = connectionType(Deployment, 'Deployment', true);

@ObjectType({ simpleResolvers: true, description: 'What deploying, canceling or rolling back would do.' })
export class DeploymentImpact {
  @Field(() => String, { description: 'The same as a sentence.' })
  sentence!: string;

  @Field(() => [Deployment], { description: 'Active deployments it would cancel, as they would stand then.' })
  cancels!: readonly Deployment[];

  @Field(() => [Deployment], { description: 'Those it would wait for, the first one first.' })
  waitsFor!: readonly Deployment[];
}

@ObjectType({ simpleResolvers: true, description: 'A deployment after the change.' })
export class DeploymentPayload {
  @Field(() => Deployment, { description: 'The deployment as it is now, or in a preview as it would be.' })
  deployment!: Deployment;

  @Field(() => DeploymentImpact, {
    nullable: true,
    description: 'What it would do. Null unless a preview was requested.',
  })
  impact!: DeploymentImpact | null;
}

@InputType({ description: 'A deployment to make (interface 4.8).' })
export class CreateDeploymentInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, { description: 'Name of the environment.' })
  environment!: string;

  @Field(() => ReleaseCandidateVersion, { description: 'The candidate to deploy. It has to be ready.' })
  version!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Cancels what is active there, instead of waiting in line.',
  })
  supersede!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Goes on although the environment is frozen.' })
  force!: boolean;

  @Field(() => ReleaseCandidateVersion, {
    nullable: true,
    description:
      'Refused with CONFLICT unless this candidate runs there: what was previewed is then what happens. Not checked if not given.',
  })
  ifRunning?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'The status of a deployment, reported from outside (interface 4.8).' })
export class ReportDeploymentInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, { description: 'Name of the environment.' })
  environment!: string;

  @Field(() => ReleaseCandidateVersion, { description: 'The candidate whose newest deployment there it is.' })
  version!: string;

  @Field(() => deploymentStatuses, { description: 'The status, taken as given.' })
  status!: DeploymentStatus;

  @Field(() => String, { nullable: true, description: 'Why, as a text for people: at most 10,000 characters.' })
  errorMessage?: string | null;
}

@InputType({ description: 'A deployment to cancel.' })
export class CancelDeploymentInput {
  @Field(() => ID, { description: 'The deployment.' })
  id!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'An environment to roll back (interface 4.8).' })
export class RollBackEnvironmentInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, { description: 'Name of the environment.' })
  environment!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Goes on although the environment is frozen.' })
  force!: boolean;

  @Field(() => ReleaseCandidateVersion, {
    nullable: true,
    description:
      'Refused with CONFLICT unless this candidate runs there: what was previewed is then what happens. Not checked if not given.',
  })
  ifRunning?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}
