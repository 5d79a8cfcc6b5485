import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import { type Connection, PageArgs, type PageRequest, readPage, toConnection } from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { findTeam, readTeams } from './teams.reads.ts';
import { addTeamMember, createTeam, deleteTeam, removeTeamMember, updateTeam } from './teams.service.ts';
import {
  CreateTeamInput,
  DeleteTeamInput,
  Team,
  TeamConnection,
  TeamMemberInput,
  TeamPayload,
  UpdateTeamInput,
} from './teams.types.ts';
import { pageOfUsers } from './users.pages.ts';
import { readTeamMembers } from './users.reads.ts';
import { UserConnection, type User } from './users.types.ts';

@Resolver(() => Team)
export class TeamsResolver {
  @Query(() => TeamConnection, { description: 'Teams of the account by organization and slug. Needs config:read.' })
  async teams(@Ctx() ctx: GraphQLContext, @PageArgs(20) request: PageRequest): Promise<Connection<Team>> {
    const { size, after: key } = readPage(request, { size: 20, keyLength: 2 });
    const rows = await readTeams(ctx, { size, after: key && { org: String(key[0]), slug: String(key[1]) } });
    return toConnection(rows, size, { node: (row): Team => row, key: ({ org, slug }) => [org, slug] });
  }

  @FieldResolver(() => String, { description: 'The name of the team in the configuration: `@org/slug`.' })
  address(@Root() { org, slug }: Team): string {
    return `@${org}/${slug}`;
  }

  @FieldResolver(() => UserConnection, { description: 'Members of the team by email address. Needs config:read.' })
  async members(
    @Ctx() ctx: GraphQLContext,
    @Root() { id }: Team,
    @PageArgs(20) request: PageRequest,
  ): Promise<Connection<User>> {
    return await pageOfUsers(request, async (page) => await readTeamMembers(ctx, id, page));
  }

  @Mutation(() => TeamPayload, { description: 'Makes a team without members. Needs admin.' })
  async createTeam(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateTeamInput) input: CreateTeamInput,
  ): Promise<TeamPayload> {
    const { teamId } = await createTeam(ctx, input);
    return { team: await team(ctx, teamId) };
  }

  @Mutation(() => TeamPayload, { description: "Changes a team's name or address. Needs admin." })
  async updateTeam(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdateTeamInput) input: UpdateTeamInput,
  ): Promise<TeamPayload> {
    const id = rowIdOf('Team', input.id);
    await updateTeam(ctx, { id, slug: input.slug ?? null, name: input.name ?? null });
    return { team: await team(ctx, id) };
  }

  @Mutation(() => TeamPayload, {
    description: 'Deletes a team and the permissions that were granted to it. Needs admin.',
  })
  async deleteTeam(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DeleteTeamInput) input: DeleteTeamInput,
  ): Promise<TeamPayload> {
    const id = rowIdOf('Team', input.id);
    const was = await findTeam(ctx, id);
    await deleteTeam(ctx, { id });
    if (!was) throw notFound('Team');
    return { team: was };
  }

  @Mutation(() => TeamPayload, { description: 'Puts a user into a team. A repetition changes nothing. Needs admin.' })
  async addTeamMember(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => TeamMemberInput) input: TeamMemberInput,
  ): Promise<TeamPayload> {
    const teamId = rowIdOf('Team', input.team);
    await addTeamMember(ctx, { teamId, userId: rowIdOf('User', input.user) });
    return { team: await team(ctx, teamId) };
  }

  @Mutation(() => TeamPayload, {
    description: 'Takes a user out of a team. A repetition changes nothing. Needs admin.',
  })
  async removeTeamMember(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => TeamMemberInput) input: TeamMemberInput,
  ): Promise<TeamPayload> {
    const teamId = rowIdOf('Team', input.team);
    await removeTeamMember(ctx, { teamId, userId: rowIdOf('User', input.user) });
    return { team: await team(ctx, teamId) };
  }
}

async function team(ctx: GraphQLContext, id: string): Promise<Team> {
  const found = await findTeam(ctx, id);
  if (!found) throw notFound('Team');
  return found;
}
