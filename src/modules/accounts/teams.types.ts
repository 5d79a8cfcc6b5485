import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../graphql/connection.ts';
import { Node } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';

@ObjectType({ implements: Node, simpleResolvers: true, description: 'A group of users with an address, `@org/slug`.' })
export class Team {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: "Organization on the code host: the first half of the team's address." })
  org!: string;

  @Field(() => String, { description: 'The second half of the address, `@org/slug`.' })
  slug!: string;

  @Field(() => String, { description: 'The name that people see.' })
  name!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;
}

export const TeamConnection = connectionType(Team, 'Team');

@InputType({ description: 'A team to make.' })
export class CreateTeamInput {
  @Field(() => String, { description: 'Organization on the code host.' })
  org!: string;

  @Field(() => String, { description: 'Lower-case letters, digits, hyphens, dots and underscores.' })
  slug!: string;

  @Field(() => String, { nullable: true, description: 'The name for people. Default: the slug.' })
  name?: string | null;
}

@InputType({ description: 'Changes of a team. Fields that are left out stay unchanged.' })
export class UpdateTeamInput {
  @Field(() => ID, { description: 'The team.' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The new slug. A configuration with the old address then names no team.',
  })
  slug?: string | null;

  @Field(() => String, { nullable: true, description: 'The name that people see.' })
  name?: string | null;
}

@InputType({ description: 'A team to delete.' })
export class DeleteTeamInput {
  @Field(() => ID, { description: 'The team.' })
  id!: string;
}

@InputType({ description: 'A user and a team.' })
export class TeamMemberInput {
  @Field(() => ID, { description: 'The team.' })
  team!: string;

  @Field(() => ID, { description: 'The user.' })
  user!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of teams.' })
export class TeamPayload {
  @Field(() => Team, { description: 'The team after the change, or a deleted team as it was before.' })
  team!: Team;
}
