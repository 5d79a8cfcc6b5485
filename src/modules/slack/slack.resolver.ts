import { Arg, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import { DomainError, notFound } from '../../domain/errors.ts';
import type { GraphQLContext } from '../../graphql/context.ts';
import { rowIdOf } from '../../graphql/node-id.ts';
import { readSlack, readSlackDestination } from './slack.reads.ts';
import { createSlackDestination, deleteSlackDestination, removeSlackToken, setSlackToken } from './slack.service.ts';
import {
  CreateSlackDestinationInput,
  CreateSlackDestinationPayload,
  DeleteSlackDestinationInput,
  DeleteSlackDestinationPayload,
  SetSlackTokenInput,
  Slack,
  SlackPayload,
} from './slack.types.ts';

@Resolver()
export class SlackResolver {
  @Extensions({ rows: 100 })
  @Query(() => Slack, { description: 'The Slack settings of the account. Needs admin.' })
  async slack(@Ctx() ctx: GraphQLContext): Promise<Slack> {
    return await readSlack(ctx);
  }

  @Mutation(() => SlackPayload, {
    description:
      "Sets, replaces or removes the bot token of the account's Slack app. Messages are sent only if there is a destination. Needs admin.",
  })
  async setSlackToken(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => SetSlackTokenInput) { token }: SetSlackTokenInput,
  ): Promise<SlackPayload> {
    if (token === undefined)
      throw new DomainError('BAD_INPUT', 'input.token must be given. Null removes the token', 'input.token');
    await (token === null ? removeSlackToken(ctx) : setSlackToken(ctx, ctx.secrets, token));
    return { slack: await readSlack(ctx) };
  }

  @Mutation(() => CreateSlackDestinationPayload, {
    description: 'Adds a destination, which receives messages about everything that happens from now on. Needs admin.',
  })
  async createSlackDestination(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CreateSlackDestinationInput) input: CreateSlackDestinationInput,
  ): Promise<CreateSlackDestinationPayload> {
    const slackDestination = await readSlackDestination(ctx, await createSlackDestination(ctx, ctx.secrets, input));
    if (slackDestination === null) throw notFound('Slack destination');
    return { slackDestination };
  }

  @Mutation(() => DeleteSlackDestinationPayload, {
    description: 'Deletes a destination. Posted messages stay in Slack. Needs admin.',
  })
  async deleteSlackDestination(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => DeleteSlackDestinationInput) { id }: DeleteSlackDestinationInput,
  ): Promise<DeleteSlackDestinationPayload> {
    await deleteSlackDestination(ctx, rowIdOf('SlackDestination', id));
    return { deletedId: id };
  }
}
