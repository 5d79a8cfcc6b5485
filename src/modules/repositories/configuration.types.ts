import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime, Day, GitObjectID, PageNumber } from '../../graphql/scalars.ts';

@ObjectType({
  simpleResolvers: true,
  description: 'The user who changed a configuration. Both fields are null if Interlock itself changed it.',
})
export class ConfigurationAuthor {
  @Field(() => String, {
    nullable: true,
    description: 'Email address of the user who changed the configuration by API or dashboard. Null otherwise.',
  })
  email!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Handle of the user who changed the configuration in the repository. Null otherwise.',
  })
  ghUsername!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "One change of a repository's configuration (interface 2.7)." })
export class ConfigurationChange {
  @Field(() => ID, { description: 'Its id, unique among the changes of the repository. Opaque.' })
  id!: string;

  @Field(() => ConfigurationAuthor, { description: 'The author of the change.' })
  modifiedBy!: ConfigurationAuthor;

  @Field(() => DateTime, { description: 'When the change took effect.' })
  modifiedAt!: Date;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit that changed the file. Null unless the change was made in the repository.',
  })
  commitSha!: string | null;

  @Field(() => String, {
    description: 'A unified diff between the configurations before and after the change.',
  })
  diff!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A configuration file on the default branch that was refused.',
})
export class ConfigurationRefusal {
  @Field(() => GitObjectID, { description: 'The commit that changed the file.' })
  commitSha!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Handle of the user who pushed the file. Null: the code host does not know the user.',
  })
  ghUsername!: string | null;

  @Field(() => [String], {
    description: 'The reasons, each with the path of its setting if it concerns a setting (interface 4.5).',
  })
  errors!: string[];

  @Field(() => DateTime, { description: 'When the file was refused.' })
  refusedAt!: Date;
}

export const ConfigurationChangeConnection = connectionType(ConfigurationChange, 'ConfigurationChange');

@ArgsType()
export class ConfigurationHistoryArgs {
  @Field(() => Int, { nullable: true, defaultValue: 20, description: 'Size of a page, 20 if not given, at most 100.' })
  first!: number | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last entry of the previous page.' })
  after!: string | null;

  @Field(() => PageNumber, { nullable: true, description: 'A page by its number, in the place of `after`.' })
  page!: number | null;

  @Field(() => Day, {
    nullable: true,
    description: 'The first UTC day of the listed changes. Left out: from the first change on.',
  })
  start!: string | null;

  @Field(() => Day, { nullable: true, description: 'The last UTC day of the listed changes. Left out: until now.' })
  end!: string | null;
}
