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
  description: 'The purpose of an environment. It is only shown, and no decision depends on it (interface 2.11).',
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

  @Field(() => String, { description: 'Its name in the project; upper and lower case differ.' })
  name!: string;

  @Field(() => Int, { description: 'Its position in the order of the environments of the project, counted from 1.' })
  position!: number;

  @Field(() => tiers, { description: 'What it is for.' })
  tier!: EnvironmentTier;

  @Field(() => Provider, { description: 'The provider of its deployments.' })
  provider!: Provider;

  @Field(() => Int, {
    description: 'Seconds without a report after which a deployment becomes unknown and others no longer wait for it.',
  })
  reportTimeoutSec!: number;

  @Field(() => Boolean, { description: 'Whether it is frozen after a rollback.' })
  freezeAfterRollback!: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'The length of the freeze after a rollback, in seconds. Null: it lasts until a user ends it.',
  })
  freezeAfterRollbackSec!: number | null;

  @Field(() => DateTime, { description: 'When it was made.' })
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

  @Field(() => String, { description: 'Its name: 1 to 100 characters without a slash.' })
  name!: string;

  @Field(() => tiers, { nullable: true, description: 'Its purpose. Default: OTHER.' })
  tier?: EnvironmentTier | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Its position, from 1. Environments from this position on move by one. Default: the last position.',
  })
  position?: number | null;

  @Field(() => ProviderInput, { description: 'The provider of its deployments.' })
  provider!: ProviderInput;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds without a report after which a deployment is unknown, 3600 if not given.',
  })
  reportTimeoutSec?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is frozen after a rollback, false if not given.' })
  freezeAfterRollback?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The length of the freeze after a rollback, in seconds. Left out: it lasts until a user ends it.',
  })
  freezeAfterRollbackSec?: number | null;
}

@InputType({ description: 'Changes of an environment. Fields that are left out stay unchanged.' })
export class UpdateEnvironmentInput extends EnvironmentRefInput {
  @Field(() => tiers, { nullable: true, description: 'What it is for.' })
  tier?: EnvironmentTier | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Its new position, from 1. The other environments move accordingly.',
  })
  position?: number | null;

  @Field(() => ProviderInput, {
    nullable: true,
    description: 'The new provider of its deployments. Refused while a deployment is in progress.',
  })
  provider?: ProviderInput | null;

  @Field(() => Int, { nullable: true, description: 'Seconds without a report after which a deployment is unknown.' })
  reportTimeoutSec?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is frozen after a rollback.' })
  freezeAfterRollback?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The length of the freeze after a rollback, in seconds. Null: it lasts until a user ends it.',
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
  @Field(() => String, { description: 'All of this as sentences.' })
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
