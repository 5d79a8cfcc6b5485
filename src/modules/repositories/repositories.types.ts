import { createUnionType, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { Context } from '../../context.ts';
import type { Problem } from '../../domain/configuration/problem.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';

const hostKinds = { LOCAL: 'local', GITHUB: 'github' } as const;
export type HostKind = (typeof hostKinds)[keyof typeof hostKinds];
registerEnumType(hostKinds, {
  name: 'CodeHostKind',
  description: 'The code host of a repository.',
  valuesConfig: {
    LOCAL: { description: 'On this installation, served under /git.' },
    GITHUB: { description: 'On GitHub.' },
  },
});

/** A repository that was found by a cached name reads its changeable columns only when they are requested. */
type Lazy<T> = T | Promise<T>;

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A repository whose pull requests are merged through queues (interface 2.2).',
})
export class Repository {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'Organization on the code host; REST calls it `org`.' })
  owner!: string;

  @Field(() => String, { description: 'Name within the organization.' })
  name!: string;

  @Field(() => hostKinds, { description: 'The code host that stores the repository.' })
  host!: HostKind;

  @Field(() => String, { description: 'The branch from which Interlock reads the configuration file.' })
  defaultBranch!: Lazy<string>;

  @Field(() => Boolean, { description: 'Whether pull requests of the repository can be queued.' })
  active!: Lazy<boolean>;

  @Field(() => Boolean, {
    description:
      'While true, nothing in the repository is validated or merged, not even on branches that have no pause of their own.',
  })
  paused!: Lazy<boolean>;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When Interlock began the first clone of the repository from GitHub. Builds wait for this clone. Null: the clone exists, or is not needed yet.',
  })
  preparingSince!: Lazy<Date | null | undefined>;

  @Field(() => DateTime, { description: 'When the repository was added to Interlock.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the repository was deleted. Null: it was not deleted. A deleted repository is found only by `node`, or from its pull requests and other contents.',
  })
  deletedAt!: Date | null | undefined;

  configurationYaml!: Lazy<string>;
}

export const RepositoryConnection = connectionType(Repository, 'Repository', true);

@ObjectType({ simpleResolvers: true, description: "The rules of a repository's queues (interface 2.6)." })
export class RepositoryConfiguration {
  @Field(() => String, { description: 'The YAML document, as it was written.' })
  yaml!: string;

  @Field(() => String, {
    description:
      'The SHA-256 of the document, in hexadecimal. `replaceConfiguration` with it as `expectedHash` replaces this document, and no later one.',
  })
  hash!: string;
}

@InputType({ description: 'Names a repository.' })
export class RepositoryInput {
  @Field(() => String, { description: 'Organization on the code host.' })
  owner!: string;

  @Field(() => String, { description: 'Name of the repository.' })
  name!: string;
}

const creatableHosts = { LOCAL: 'local' } as const;
registerEnumType(creatableHosts, {
  name: 'CreatableCodeHost',
  description: 'The code hosts on which Interlock can create repositories.',
  valuesConfig: { LOCAL: { description: 'On this installation, served under /git.' } },
});

@InputType({ description: 'A repository to create.' })
export class CreateRepositoryInput {
  @Field(() => String, {
    description:
      'Organization: letters and digits, with single hyphens or underscores between them, at most 39. Not the first word of an address of Interlock, such as api or settings.',
  })
  owner!: string;

  @Field(() => String, { description: 'Letters, digits, dots, hyphens and underscores, at most 100.' })
  name!: string;

  @Field(() => creatableHosts, { description: 'The code host that stores the repository.' })
  host!: 'local';

  @Field(() => String, {
    defaultValue: 'main',
    description: 'The default branch. The first push to this branch creates it.',
  })
  defaultBranch!: string;
}

@InputType({ description: 'Pauses a repository, or ends its pause.' })
export class PauseRepositoryInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Boolean, {
    description: 'True: the queues of the repository stop validating and merging. False: they continue.',
  })
  paused!: boolean;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@InputType({ description: 'Activates or deactivates a repository.' })
export class SetRepositoryActiveInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => Boolean, { description: 'False deactivates the repository. True activates it again.' })
  active!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `setRepositoryActive`.' })
export class SetRepositoryActivePayload {
  @Field(() => Repository, { description: 'The repository as it is now.' })
  repository!: Repository;
}

@InputType({ description: 'A repository to delete.' })
export class DeleteRepositoryInput {
  @Field(() => RepositoryInput, { description: 'The repository. It must be inactive already.' })
  repository!: RepositoryInput;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `deleteRepository`.' })
export class DeleteRepositoryPayload {
  @Field(() => Repository, {
    description: 'The deleted repository. `node` still finds the repository and its history by the id.',
  })
  repository!: Repository;
}

/** The arguments of a dry run. */
export interface DryRun {
  readonly repositoryId: string;
  readonly act: (dryContext: Context) => Promise<unknown>;
}

@InputType({ description: 'A configuration to check without storing it.' })
export class PreviewConfigurationInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'The YAML document.' })
  yaml!: string;
}

@InputType({ description: 'A configuration that replaces the present one.' })
export class ReplaceConfigurationInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => String, { description: 'The whole YAML document, at most 256 KiB.' })
  yaml!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The hash of the configuration that the document replaces. If another one is in force, the request is refused with CONFLICT. Left out: the last write wins.',
  })
  expectedHash?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: a dry run. Nothing changes, and `impact` says what the change would do.',
  })
  preview!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `createRepository`.' })
export class CreateRepositoryPayload {
  @Field(() => Repository, { description: 'The new repository.' })
  repository!: Repository;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `pauseRepository`.' })
export class PauseRepositoryPayload {
  @Field(() => Repository, { description: 'The repository as it is now.' })
  repository!: Repository;

  dryRun?: DryRun;
}

@ObjectType({ simpleResolvers: true, description: 'The configuration was stored, or was already the present one.' })
export class ConfigurationAccepted {
  @Field(() => Boolean, { description: 'Always true.' })
  success!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'One reason why a configuration was refused.' })
export class ConfigurationProblem {
  @Field(() => [String], {
    description:
      'The path of the setting: its keys as the document spells them, and the index of a list entry. Empty: the document itself.',
  })
  path!: string[];

  @Field(() => String, { description: 'The problem, as a sentence for people.' })
  reason!: string;

  @Field(() => String, { description: 'The problem, as a code for programs, such as UNKNOWN_KEY.' })
  code!: string;

  @Field(() => Int, { nullable: true, description: 'The line, from 1. Null: the problem has no place in the text.' })
  line!: number | null;

  @Field(() => Int, { nullable: true, description: 'The column, from 1. Null: the problem has no place in the text.' })
  column!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The known key that was probably meant. Null unless the key is unknown.',
  })
  nearestKey!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Nothing was changed: the configuration has problems.' })
export class ConfigurationRefused {
  @Field(() => Boolean, { description: 'Always false.' })
  success!: boolean;

  @Field(() => [String], { description: 'Each problem as one line: its path and the reason (interface 4.5).' })
  messages!: string[];

  @Field(() => [ConfigurationProblem], { description: 'Each problem in its parts.' })
  problems!: ConfigurationProblem[];
}

export const ReplaceConfigurationOutcome = createUnionType({
  name: 'ReplaceConfigurationOutcome',
  description: 'The configuration was stored, or was refused with its problems.',
  types: () => [ConfigurationAccepted, ConfigurationRefused] as const,
  resolveType: (value) => (value.success ? ConfigurationAccepted : ConfigurationRefused),
});

@ObjectType({ simpleResolvers: true, description: 'The result of `replaceConfiguration`.' })
export class ReplaceConfigurationPayload {
  @Field(() => ReplaceConfigurationOutcome, { description: 'Whether the configuration was stored or refused.' })
  outcome!: ConfigurationAccepted | ConfigurationRefused;

  dryRun?: DryRun;
}

export function toProblem({ nearestKey = null, ...problem }: Problem): ConfigurationProblem {
  return { ...problem, nearestKey };
}
