import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { ProviderKind } from '../../domain/releases/release.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime, URI } from '../../graphql/scalars.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';

const providerKinds = {
  NONE: 'none',
  COMMAND: 'command',
  HTTP: 'http',
  GITHUB_ACTIONS: 'github_actions',
} as const satisfies Record<Uppercase<ProviderKind>, ProviderKind>;
registerEnumType(providerKinds, {
  name: 'ProviderKind',
  description: 'The kind of system that carries out deployments or builds.',
  valuesConfig: {
    NONE: { description: 'An outside pipeline, which reports the results.' },
    COMMAND: { description: 'A command, which runs in a worktree of the commit.' },
    HTTP: {
      description: 'A system that receives signed POST requests. It reports the result, or Interlock queries it.',
    },
    GITHUB_ACTIONS: {
      description: 'A workflow of the repository at its code host, which Interlock dispatches on the commit.',
    },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'The system that carries out deployments or builds. Its secret is never shown.',
})
export class Provider {
  @Field(() => providerKinds, { description: 'The kind of provider.' })
  kind!: ProviderKind;

  @Field(() => String, { nullable: true, description: 'The command. Null unless the kind is COMMAND.' })
  command!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many seconds one run may take. Null unless the kind is COMMAND.',
  })
  timeoutSec!: number | null;

  @Field(() => URI, {
    nullable: true,
    description: 'The address that receives the POST request. Null unless the kind is HTTP.',
  })
  url!: string | null;

  @Field(() => URI, {
    nullable: true,
    description:
      'The address where Interlock reads the status of a run. Null: the system reports the status itself, or the kind is not HTTP.',
  })
  statusUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'The workflow. Null unless the kind is GITHUB_ACTIONS.' })
  workflow!: string | null;

  @Field(() => Boolean, { description: 'Whether the provider has a secret.' })
  hasSecret!: boolean;
}

@InputType({ description: 'The system that is to carry out deployments or builds.' })
export class ProviderInput {
  @Field(() => providerKinds, { description: 'The kind of provider.' })
  kind!: ProviderKind;

  @Field(() => String, { nullable: true, description: 'For COMMAND: the text that the shell runs, at most 64 KiB.' })
  command?: string | null;

  @Field(() => Int, { nullable: true, description: 'For COMMAND: how many seconds one run may take. Default: 1800.' })
  timeoutSec?: number | null;

  @Field(() => String, { nullable: true, description: 'For HTTP: the address that receives the POST request.' })
  url?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For HTTP: the address where Interlock reads the status of a run.',
  })
  statusUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'For GITHUB_ACTIONS: the workflow to dispatch.' })
  workflow?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The secret, which a command receives, and which signs the calls by HTTP. The secret is never shown again. Left out: the present secret stays if the kind does not change. Null: the secret is removed.',
  })
  secret?: string | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'A project that is released from one repository, with its candidates and its environments (interface 2.11).',
})
export class ReleaseProject {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The name of the project. Upper and lower case differ.' })
  name!: string;

  @Field(() => Provider, {
    nullable: true,
    description: 'The provider that builds the candidates. Null: candidates are not built, and are ready at once.',
  })
  build!: Provider | null;

  @Field(() => Int, { description: 'Seconds after which a build that has not ended counts as failed.' })
  buildTimeoutSec!: number;

  @Field(() => DateTime, { description: 'When the project was made.' })
  createdAt!: Date;

  repositoryId!: string;
}

export const ReleaseProjectConnection = connectionType(ReleaseProject, 'ReleaseProject');

@InputType({ description: 'A release project to create.' })
export class CreateReleaseProjectInput {
  @Field(() => String, { description: 'The name of the project: 1 to 100 characters without a slash.' })
  name!: string;

  @Field(() => RepositoryInput, { description: 'The repository that is released.' })
  repository!: RepositoryInput;

  @Field(() => ProviderInput, {
    nullable: true,
    description:
      'The provider that builds candidates on request. Left out, or of the kind NONE: candidates are not built.',
  })
  build?: ProviderInput | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds after which a build that has not ended counts as failed, 3600 if not given.',
  })
  buildTimeoutSec?: number | null;
}

@InputType({ description: 'Changes of a release project. Fields that are left out stay unchanged.' })
export class UpdateReleaseProjectInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => ProviderInput, {
    nullable: true,
    description: 'The provider that builds candidates on request. Null, or of the kind NONE: candidates are not built.',
  })
  build?: ProviderInput | null;

  @Field(() => Int, { nullable: true, description: 'Seconds after which a build that has not ended counts as failed.' })
  buildTimeoutSec?: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of release projects.' })
export class ReleaseProjectPayload {
  @Field(() => ReleaseProject, { description: 'The release project as it is now.' })
  releaseProject!: ReleaseProject;
}
