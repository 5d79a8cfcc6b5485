import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { notFound } from '../../domain/errors.ts';
import { type Connection, PageArgs, type PageRequest } from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { pageOfUsers } from './users.pages.ts';
import { findUser, readUsers } from './users.reads.ts';
import { addUser, removeUser, updateUser } from './users.service.ts';
import { AddUserInput, RemoveUserInput, UpdateUserInput, User, UserConnection, UserPayload } from './users.types.ts';

@Resolver(() => User)
export class UsersResolver {
  @Query(() => UserConnection, { description: 'Users of the account by email address. Needs config:read.' })
  async users(@Ctx() ctx: GraphQLContext, @PageArgs(20) request: PageRequest): Promise<Connection<User>> {
    return await pageOfUsers(request, async (page) => await readUsers(ctx, page));
  }

  @Mutation(() => UserPayload, {
    description: 'Adds a user. `createApiToken` then makes tokens for the user. Needs admin.',
  })
  async addUser(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => AddUserInput) input: AddUserInput,
  ): Promise<UserPayload> {
    const { userId } = await addUser(ctx, input);
    return await payload(ctx, userId);
  }

  @Mutation(() => UserPayload, {
    description: "Changes a user's role or handle. The last admin keeps that role. Needs admin.",
  })
  async updateUser(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdateUserInput) input: UpdateUserInput,
  ): Promise<UserPayload> {
    const id = rowIdOf('User', input.id);
    await updateUser(ctx, { id, role: input.role ?? null, handle: input.handle });
    return await payload(ctx, id);
  }

  @Mutation(() => UserPayload, {
    description: "Removes a user and ends the user's tokens and sessions at once. The last admin stays. Needs admin.",
  })
  async removeUser(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RemoveUserInput) input: RemoveUserInput,
  ): Promise<UserPayload> {
    const id = rowIdOf('User', input.id);
    await removeUser(ctx, { id });
    return await payload(ctx, id);
  }
}

async function payload(ctx: GraphQLContext, id: string): Promise<UserPayload> {
  const user = await findUser(ctx, id);
  if (!user) throw notFound('User');
  return { user };
}
