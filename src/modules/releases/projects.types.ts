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
  description: 'Who deploys, or builds.',
  valuesConfig: {
    NONE: { description: 'A pipeline outside, which reports how it went.' },
    COMMAND: { description: 'A command, run in a worktree of the commit.' },
    HTTP: { description: 'A system that answers signed POSTs, and reports or is asked how the run went.' },
    GITHUB_ACTIONS: { description: 'A workflow of the repository at its code host, dispatched on the commit.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How deployments or builds are made. Its secret is never shown.' })
export class Provider {
  @Field(() => providerKinds, { description: 'The kind of provider.' })
  kind!: ProviderKind;

  @Field(() => String, { nullable: true, description: 'What is run. Null unless it is a command.' })
  command!: string | null;

  @Field(() => Int, { nullable: true, description: 'Seconds one run may take. Null unless it is a command.' })
  timeoutSec!: number | null;

  @Field(() => URI, { nullable: true, description: 'Where the POST goes. Null unless it is by HTTP.' })
  url!: string | null;

  @Field(() => URI, {
    nullable: true,
    description: 'The address that answers how a run stands. Null: the run is known only by its reports.',
  })
  statusUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'The workflow. Null unless it is one of the code host.' })
  workflow!: string | null;

  @Field(() => Boolean, { description: 'Whether it was given a secret.' })
  hasSecret!: boolean;
}

@InputType({ description: 'How deployments or builds are to be made.' })
export class ProviderInput {
  @Field(() => providerKinds, { description: 'The kind of provider.' })
  kind!: ProviderKind;

  @Field(() => String, { nullable: true, description: 'Of a command: what the shell runs, at most 64 KiB.' })
  command?: string | null;

  @Field(() => Int, { nullable: true, description: 'Of a command: seconds one run may take, 1800 if not given.' })
  timeoutSec?: number | null;

  @Field(() => String, { nullable: true, description: 'By HTTP: where the POST goes.' })
  url?: string | null;

  @Field(() => String, { nullable: true, description: 'By HTTP: where it is asked how it went.' })
  statusUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the code host: the workflow to dispatch.' })
  workflow?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The command gets it, or calls are signed with it. Never shown again. Left out, it stays while the kind stays; null removes it.',
  })
  secret?: string | null;
}

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'What is released out of one repository: its candidates, and the environments they go to (interface 2.11).',
})
export class ReleaseProject {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'Its name; upper and lower case differ.' })
  name!: string;

  @Field(() => Provider, { nullable: true, description: 'How its candidates are built. Null: they are ready at once.' })
  build!: Provider | null;

  @Field(() => Int, { description: 'Seconds after which a build that does not end has failed.' })
  buildTimeoutSec!: number;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  repositoryId!: string;
}

export const ReleaseProjectConnection = connectionType(ReleaseProject, 'ReleaseProject');

@InputType({ description: 'A release project to make.' })
export class CreateReleaseProjectInput {
  @Field(() => String, { description: 'Its name: 1 to 100 characters without a slash.' })
  name!: string;

  @Field(() => RepositoryInput, { description: 'The repository it is released out of.' })
  repository!: RepositoryInput;

  @Field(() => ProviderInput, {
    nullable: true,
    description: 'How candidates are built on request. Left out, or of the kind NONE: not at all.',
  })
  build?: ProviderInput | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds after which a build that does not end has failed, 3600 if not given.',
  })
  buildTimeoutSec?: number | null;
}

@InputType({ description: 'What is to change of a release project; what is not given stays.' })
export class UpdateReleaseProjectInput {
  @Field(() => String, { description: 'The release project.' })
  project!: string;

  @Field(() => ProviderInput, {
    nullable: true,
    description: 'How candidates are built on request. Null, or of the kind NONE: they are not built.',
  })
  build?: ProviderInput | null;

  @Field(() => Int, { nullable: true, description: 'Seconds after which a build that does not end has failed.' })
  buildTimeoutSec?: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'The release project after the change.' })
export class ReleaseProjectPayload {
  @Field(() => ReleaseProject, { description: 'The release project as it is now.' })
  releaseProject!: ReleaseProject;
}
