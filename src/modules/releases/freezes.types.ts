import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.ts';
import { BaseBranchesInput, Freeze, FreezeScheduleInput } from '../repositories/freezes.types.ts';
import { Deployment } from './deployments.types.ts';
import { Environment, EnvironmentRefInput } from './environments.types.ts';

@InputType({ description: 'An environment to which nothing is deployed from now on.' })
export class FreezeEnvironmentInput extends EnvironmentRefInput {
  @Field(() => String, { nullable: true, description: 'The reason, at most 1,000 characters.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'The end. Left out: the freeze lasts until a user ends it.' })
  endsAt!: Date | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A schedule of freezes of an environment, or of base branches.' })
export class CreateFreezeScheduleInput {
  @Field(() => EnvironmentRefInput, {
    nullable: true,
    description: 'The environment. Either `environment` or `branches` is required.',
  })
  environment!: EnvironmentRefInput | null;

  @Field(() => BaseBranchesInput, {
    nullable: true,
    description: 'The base branches. Either `environment` or `branches` is required.',
  })
  branches!: BaseBranchesInput | null;

  @Field(() => FreezeScheduleInput, { description: 'When the freezes begin and end.' })
  schedule!: FreezeScheduleInput;

  @Field(() => String, { nullable: true, description: 'The reason, at most 1,000 characters.' })
  reason!: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and the payload says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A freeze to end.' })
export class DeleteFreezeInput {
  @Field(() => ID, { description: 'The id of the freeze.' })
  id!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and the payload says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'An environment whose manual freezes and freezes after rollbacks end.' })
export class UnfreezeEnvironmentInput extends EnvironmentRefInput {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What a change of the freezes of an environment would do.' })
export class EnvironmentFreezeImpact {
  @Field(() => String, { description: 'The effects in sentences.' })
  sentence!: string;

  @Field(() => [Deployment], {
    description: 'Deployments in line that would wait for the end of the freeze, the next first.',
  })
  holdsBack!: readonly Deployment[];

  @Field(() => [Deployment], {
    description:
      'Deployments in line that wait for the end of the freeze now and would no longer wait, the next first.',
  })
  resumes!: readonly Deployment[];

  @Field(() => Freeze, {
    nullable: true,
    description: 'The manual freeze that the new freeze would replace. Null: there is none.',
  })
  replaces!: Freeze | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `freezeEnvironment`.' })
export class FreezeEnvironmentPayload {
  @Field(() => Freeze, { description: 'The freeze. After a dry run, no freeze has this id.' })
  freeze!: Freeze;

  @Field(() => Environment, { description: 'The environment. After a dry run, the new freeze does not exist.' })
  environment!: Environment;

  @Field(() => EnvironmentFreezeImpact, {
    nullable: true,
    description: 'What the change would do. Null unless a preview was requested.',
  })
  impact!: EnvironmentFreezeImpact | null;
}

@ObjectType({ simpleResolvers: true, description: 'The ended freezes of an environment.' })
export class UnfreezeEnvironmentPayload {
  @Field(() => Int, { description: 'How many freezes were ended. After a dry run: how many would be ended.' })
  deleted!: number;

  @Field(() => Environment, { description: 'The environment. It may still be frozen by a schedule.' })
  environment!: Environment;

  @Field(() => EnvironmentFreezeImpact, {
    nullable: true,
    description: 'What the change would do. Null unless a preview was requested.',
  })
  impact!: EnvironmentFreezeImpact | null;
}
