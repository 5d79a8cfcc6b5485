import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.ts';
import {
  BaseBranchesInput,
  Freeze,
  FreezePayload,
  FreezeScheduleInput,
  UnfreezePayload,
} from '../repositories/freezes.types.ts';
import { Deployment } from './deployments.types.ts';
import { Environment, EnvironmentRefInput } from './environments.types.ts';

@InputType({ description: 'An environment to which nothing is deployed from now on.' })
export class FreezeEnvironmentInput extends EnvironmentRefInput {
  @Field(() => String, { nullable: true, description: 'Why, in at most 1,000 characters.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'The end. Left out: it lasts until somebody ends it.' })
  endsAt!: Date | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Changes nothing, and answers in `impact` what it would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'A freeze that comes again and again: of an environment, or of base branches.' })
export class CreateFreezeScheduleInput {
  @Field(() => EnvironmentRefInput, { nullable: true, description: 'The environment. Either this or `branches`.' })
  environment!: EnvironmentRefInput | null;

  @Field(() => BaseBranchesInput, { nullable: true, description: 'The base branches. Either this or `environment`.' })
  branches!: BaseBranchesInput | null;

  @Field(() => FreezeScheduleInput, { description: 'When.' })
  schedule!: FreezeScheduleInput;

  @Field(() => String, { nullable: true, description: 'Why, in at most 1,000 characters.' })
  reason!: string | null;
}

@InputType({ description: 'Names a freeze.' })
export class DeleteFreezeInput {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What freezing an environment would do.' })
export class EnvironmentFreezeImpact {
  @Field(() => String, { description: 'The same as a sentence.' })
  sentence!: string;

  @Field(() => [Deployment], { description: 'Deployments in line that would wait for its end, the next first.' })
  holdsBack!: readonly Deployment[];

  @Field(() => Freeze, { nullable: true, description: 'The freeze by hand whose place it would take. Null: none.' })
  replaces!: Freeze | null;
}

@ObjectType({ simpleResolvers: true, description: 'A freeze of an environment that was made.' })
export class FreezeEnvironmentPayload extends FreezePayload {
  @Field(() => Environment, { description: 'The environment, in a preview as it is without the freeze.' })
  environment!: Environment;

  @Field(() => EnvironmentFreezeImpact, {
    nullable: true,
    description:
      'What it would do. Null unless a preview was requested, in which case the id of `freeze` names nothing.',
  })
  impact!: EnvironmentFreezeImpact | null;
}

@ObjectType({ simpleResolvers: true, description: 'The ended freezes of an environment.' })
export class UnfreezeEnvironmentPayload extends UnfreezePayload {
  @Field(() => Environment, { description: 'The environment; it may be frozen by a schedule.' })
  environment!: Environment;
}
