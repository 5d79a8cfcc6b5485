import { ArgsType, Field, ObjectType } from 'type-graphql';
import { ChangeByEvent, FollowArgs } from '../../graphql/subscriptions.ts';
import { Deployment } from './deployments.types.ts';
import { Environment } from './environments.types.ts';

@ArgsType()
export class FollowEnvironmentsArgs extends FollowArgs {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Name of one of its environments. Left out: all of them, later ones too.',
  })
  environment?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A deployment changed.' })
export class DeploymentChange extends ChangeByEvent {
  @Field(() => Deployment, { description: 'The deployment as it is now.' })
  deployment!: Deployment;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Something in an environment changed, such as a deployment or a freeze.',
})
export class EnvironmentChange extends ChangeByEvent {
  @Field(() => Environment, { description: 'The environment as it is now.' })
  environment!: Environment;
}
