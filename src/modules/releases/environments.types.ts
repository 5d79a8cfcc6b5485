import { Extensions, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { EnvironmentTier } from '../../domain/releases/release.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Deployment } from './deployments.types.ts';
import { Provider, ProviderInput } from './projects.types.ts';

const tiers = {
  DEVELOPMENT: 'development',
  TESTING: 'testing',
  STAGING: 'staging',
  PRODUCTION: 'production',
  OTHER: 'other',
} as const satisfies Record<Uppercase<EnvironmentTier>, EnvironmentTier>;
registerEnumType(tiers, {
  name: 'EnvironmentTier',
  description: 'The purpose of an environment. The tier is only shown. No decision depends on it (interface 2.11).',
  valuesConfig: {
    DEVELOPMENT: { description: 'To try out unfinished work.' },
    TESTING: { description: 'To test candidates.' },
    STAGING: { description: 'To check a candidate under the conditions of production.' },
    PRODUCTION: { description: 'For the users of the software.' },
    OTHER: { description: 'For another purpose, or no purpose was given.' },
  },
});

@Extensions({ notFound: 'Release environment not found' })
@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A target of deployments of a release project. One deployment at a time changes it (interface 2.11).',
})
export class Environment {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, {
    description: 'The name of the environment, unique in the project. Upper and lower case differ.',
  })
  name!: string;

  @Field(() => Int, { description: 'The position of the environment in the order of the project, from 1.' })
  position!: number;

  @Field(() => tiers, { description: 'The purpose of the environment.' })
  tier!: EnvironmentTier;

  @Field(() => Provider, { description: 'The provider of the deployments.' })
  provider!: Provider;

  @Field(() => Int, {
    description:
      'Seconds without a report after which a deployment becomes unknown, and other deployments no longer wait for it.',
  })
  reportTimeoutSec!: number;

  @Field(() => Boolean, { description: 'Whether the environment is frozen after a rollback.' })
  freezeAfterRollback!: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'The length of the freeze after a rollback, in seconds. Null: the freeze lasts until a user ends it.',
  })
  freezeAfterRollbackSec!: number | null;

  @Field(() => DateTime, { description: 'When the environment was made.' })
  createdAt!: Date;

  projectId!: string;
}

@InputType({ description: 'Names an environment of a release project.' })
export class EnvironmentRefInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, { description: 'Name of the environment.' })
  environment!: string;
}

@InputType({ description: 'An environment to make.' })
export class CreateEnvironmentInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, { description: 'The name of the environment: 1 to 100 characters without a slash.' })
  name!: string;

  @Field(() => tiers, { nullable: true, description: 'The purpose of the environment. Default: OTHER.' })
  tier?: EnvironmentTier | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The position of the environment, from 1. Environments from this position on move by one. Default: the last position.',
  })
  position?: number | null;

  @Field(() => ProviderInput, { description: 'The provider of the deployments.' })
  provider!: ProviderInput;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds without a report after which a deployment is unknown, 3600 if not given.',
  })
  reportTimeoutSec?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the environment is frozen after a rollback, false if not given.',
  })
  freezeAfterRollback?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The length of the freeze after a rollback, in seconds. Left out: the freeze lasts until a user ends it.',
  })
  freezeAfterRollbackSec?: number | null;
}

@InputType({ description: 'Changes of an environment. Fields that are left out stay unchanged.' })
export class UpdateEnvironmentInput extends EnvironmentRefInput {
  @Field(() => tiers, { nullable: true, description: 'The purpose of the environment.' })
  tier?: EnvironmentTier | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The new position of the environment, from 1. The other environments move accordingly.',
  })
  position?: number | null;

  @Field(() => ProviderInput, {
    nullable: true,
    description: 'The new provider of the deployments. Refused while a deployment has the slot of the environment.',
  })
  provider?: ProviderInput | null;

  @Field(() => Int, { nullable: true, description: 'Seconds without a report after which a deployment is unknown.' })
  reportTimeoutSec?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the environment is frozen after a rollback.' })
  freezeAfterRollback?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The length of the freeze after a rollback, in seconds. Null: the freeze lasts until a user ends it.',
  })
  freezeAfterRollbackSec?: number | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createEnvironment`.' })
export class EnvironmentPayload {
  @Field(() => Environment, { description: 'The environment as it is now.' })
  environment!: Environment;
}

@ObjectType({ simpleResolvers: true, description: 'What a change of an environment would do.' })
export class UpdateEnvironmentImpact {
  @Field(() => String, { description: 'The effects in sentences.' })
  sentence!: string;

  @Field(() => [String], { description: 'The fields of the input whose values would change.' })
  changedFields!: readonly string[];

  @Field(() => [Deployment], {
    description:
      'Deployments in line that the new provider would carry out, the next first. Empty if the provider does not change.',
  })
  affects!: readonly Deployment[];
}

@ObjectType({ simpleResolvers: true, description: 'The result of `updateEnvironment`.' })
export class UpdateEnvironmentPayload {
  @Field(() => Environment, { description: 'The environment as it is now.' })
  environment!: Environment;

  @Field(() => UpdateEnvironmentImpact, {
    nullable: true,
    description: 'What the change would do. Null unless a preview was requested.',
  })
  impact!: UpdateEnvironmentImpact | null;
}
