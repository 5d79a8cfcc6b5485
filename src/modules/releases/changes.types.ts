import { Field, ObjectType } from 'type-graphql';
import { Deployment } from './deployments.types.ts';
import { Environment } from './environments.types.ts';

@ObjectType({ simpleResolvers: true, description: 'A deployment changed.' })
export class DeploymentChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

  @Field(() => Deployment, { description: 'The deployment as it is now.' })
  deployment!: Deployment;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Something in an environment changed, such as a deployment or a freeze.',
})
export class EnvironmentChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

  @Field(() => Environment, { description: 'The environment as it is now.' })
  environment!: Environment;
}
