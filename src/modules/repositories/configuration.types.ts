import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { DateTime, Day, GitObjectID, PageNumber } from '../../graphql/scalars.ts';

@ObjectType({
  simpleResolvers: true,
  description: 'Who changed a configuration. The service itself is nobody: both null.',
})
export class ConfigurationAuthor {
  @Field(() => String, {
    nullable: true,
    description: 'Email address of the user who changed it by API or dashboard. Null otherwise.',
  })
  email!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Handle of the user who changed it in the repository. Null otherwise.',
  })
  ghUsername!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "One change of a repository's configuration (interface 2.7)." })
export class ConfigurationChange {
  @Field(() => ID, { description: 'Names it among the changes of the repository. Opaque.' })
  id!: string;

  @Field(() => ConfigurationAuthor, { description: 'Its author.' })
  modifiedBy!: ConfigurationAuthor;

  @Field(() => DateTime, { description: 'When it came into force.' })
  modifiedAt!: Date;

  @Field(() => GitObjectID, {
    nullable: true,
    description: 'The commit it came with. Null unless made in the repository.',
  })
  commitSha!: string | null;

  @Field(() => String, { description: 'A unified diff from the configuration before it.' })
  diff!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A configuration on the default branch that was not taken over.',
})
export class ConfigurationRefusal {
  @Field(() => GitObjectID, { description: 'The commit that changed the file.' })
  commitSha!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Handle of the user who pushed it. Null: the code host does not know.',
  })
  ghUsername!: string | null;

  @Field(() => [String], { description: 'Why, each with the path of the setting where there is one (interface 4.5).' })
  errors!: string[];

  @Field(() => DateTime, { description: 'When it was refused.' })
  refusedAt!: Date;
}

export const ConfigurationChangeConnection = connectionType(ConfigurationChange, 'ConfigurationChange');

@ArgsType()
export class ConfigurationHistoryArgs {
  @Field(() => Int, { nullable: true, defaultValue: 20, description: 'Size of a page, 20 if not given, at most 100.' })
  first!: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor to go on from.' })
  after!: string | null;

  @Field(() => PageNumber, { nullable: true, description: 'A page by its number, in the place of `after`.' })
  page!: number | null;

  @Field(() => Day, { nullable: true, description: 'The first UTC day of the answer. Left out: from the beginning.' })
  start!: string | null;

  @Field(() => Day, { nullable: true, description: 'The last UTC day of the answer. Left out: until now.' })
  end!: string | null;
}
