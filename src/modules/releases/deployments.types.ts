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
    PENDING: { description: 'The deployment waits in line.' },
    IN_PROGRESS: { description: 'The provider is deploying.' },
    SUCCESS: { description: 'The deployment succeeded, and the candidate runs in the environment.' },
    FAILURE: { description: 'The provider deployed, and reported a failure.' },
    CANCELING: { description: 'The deployment was asked to stop, and has not ended yet.' },
    CANCELED: { description: 'The deployment was canceled before or after its start.' },
    ERROR: { description: 'The deployment could not be started, or its end was never reported.' },
    UNKNOWN: { description: 'No report arrived within the time limit. Other deployments no longer wait for it.' },
  },
});

const deploymentKinds = {
  FORWARD: 'forward',
  ROLLBACK: 'rollback',
} as const satisfies Record<Uppercase<DeploymentKind>, DeploymentKind>;
registerEnumType(deploymentKinds, {
  name: 'DeploymentKind',
  description: 'Whether a deployment is a rollback.',
  valuesConfig: {
    FORWARD: { description: 'Deploys a candidate that a user named.' },
    ROLLBACK: { description: 'Deploys the candidate that ran in the environment before.' },
  },
});

@Extensions({ notFound: 'Deployment not found' })
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'The deployment of a release candidate to an environment (interface 3.2).',
})
export class Deployment {
  @Field(() => ID, {
    description: 'Its id, unique within the account. Opaque. After a dry run, no deployment has this id.',
  })
  id!: string;

  @Field(() => String, {
    description: 'Email address of the user who requested the deployment, or who first reported it.',
  })
  actor!: string;

  @Field(() => deploymentKinds, { description: 'Whether the deployment is a rollback.' })
  kind!: DeploymentKind;

  @Field(() => String, { description: 'The release that is deployed.' })
  releaseVersion!: string;

  @Field(() => ReleaseCandidateVersion, { description: 'The candidate that is deployed.' })
  releaseCandidateVersion!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The release that ran in the environment before. Null: no release ran there.',
  })
  fromReleaseVersion!: string | null;

  @Field(() => ReleaseCandidateVersion, {
    nullable: true,
    description: 'The candidate that ran in the environment before. Null: no candidate ran there.',
  })
  fromReleaseCandidateVersion!: string | null;

  @Field(() => deploymentStatuses, { description: 'The status of the deployment.' })
  status!: DeploymentStatus;

  @Field(() => String, { nullable: true, description: 'The reason for the status. Null: there is nothing to add.' })
  errorMessage!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Why the last call to the provider failed. The call is repeated at `nextTryAt`. Null: the call did not fail, or its result is known now.',
  })
  lastFailure!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the provider is called again after `lastFailure`. Null: the provider is not called again, or no call failed.',
  })
  nextTryAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the provider was asked to cancel the deployment. Null: the provider was not asked. If the provider of a canceled deployment could not be reached, `lastFailure` says why.',
  })
  cancelSentAt!: Date | null;

  @Field(() => Boolean, { description: 'Whether the deployment starts even if the environment is frozen.' })
  forced!: boolean;

  @Field(() => Boolean, {
    description: 'Whether an outside pipeline deploys and reports, so that Interlock never triggers the deployment.',
  })
  reported!: boolean;

  @Field(() => DateTime, { description: 'When the deployment was requested, or first reported.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the status first changed from PENDING. Null: the deployment waits, or was canceled while it waited.',
  })
  deployStartAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the deployment reached its final status. Null: it has not ended.',
  })
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
  @Field(() => String, { description: 'The effects in sentences.' })
  sentence!: string;

  @Field(() => [Deployment], {
    description: 'Active deployments that the change would cancel, with the status that they would have then.',
  })
  cancels!: readonly Deployment[];

  @Field(() => [Deployment], { description: 'Deployments that would run before this deployment, in their order.' })
  waitsFor!: readonly Deployment[];
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of deployments.' })
export class DeploymentPayload {
  @Field(() => Deployment, {
    description: 'The deployment after the change. After a dry run, the deployment as it would be.',
  })
  deployment!: Deployment;

  @Field(() => DeploymentImpact, {
    nullable: true,
    description: 'What the change would do. Null unless a preview was requested.',
  })
  impact!: DeploymentImpact | null;
}

@InputType({ description: 'A deployment to create (interface 4.8).' })
export class CreateDeploymentInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, { description: 'Name of the environment.' })
  environment!: string;

  @Field(() => ReleaseCandidateVersion, { description: 'The candidate to deploy. It must be ready.' })
  version!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True: the active deployments of the environment are canceled. False: the new deployment waits in line behind them.',
  })
  supersede!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: the deployment starts even if the environment is frozen.',
  })
  force!: boolean;

  @Field(() => ReleaseCandidateVersion, {
    nullable: true,
    description:
      'The candidate that the caller expects to run in the environment. If another candidate runs there, the request is refused with CONFLICT. So the change has the effects that its preview showed. Left out: this is not checked.',
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

  @Field(() => ReleaseCandidateVersion, {
    description: 'The candidate. The report is about its newest deployment in the environment.',
  })
  version!: string;

  @Field(() => deploymentStatuses, {
    description: 'The status. It is stored without a check against the present status.',
  })
  status!: DeploymentStatus;

  @Field(() => String, { nullable: true, description: 'The reason, as a text for people, at most 10,000 characters.' })
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

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: the deployment starts even if the environment is frozen.',
  })
  force!: boolean;

  @Field(() => ReleaseCandidateVersion, {
    nullable: true,
    description:
      'The candidate that the caller expects to run in the environment. If another candidate runs there, the request is refused with CONFLICT. So the change has the effects that its preview showed. Left out: this is not checked.',
  })
  ifRunning?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}
