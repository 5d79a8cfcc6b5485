import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { Repository } from '../repositories/repositories.types.ts';
import {
  CancelRunbookInput,
  CancelRunbookPayload,
  PublishRunbookInput,
  RetryRunbookInput,
  RunbookDefaults,
  UpdateRunbookDefaultsInput,
  UpdateRunbookDefaultsPayload,
} from './control.types.ts';
import { readRunbookDefaults } from './defaults.reads.ts';
import { updateRunbookDefaults } from './defaults.service.ts';
import { cancelRunbook, publishRunbook, retryRunbook, stoppedText } from './runbooks.control.ts';
import { loadRunbook } from './runbooks.reads.ts';
import { RunbookPayload } from './runbooks.types.ts';

@Resolver()
export class RunbookControlResolver {
  @Mutation(() => CancelRunbookPayload, {
    description:
      'Stops a runbook: leaves that are not completed fail, and what it committed and opened stays. Another prompt or a retry goes on. Needs runbook:write.',
  })
  async cancelRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CancelRunbookInput) input: CancelRunbookInput,
  ): Promise<CancelRunbookPayload> {
    const stopped = await cancelRunbook(ctx, input);
    const impact = stopped && { sentence: stoppedText(stopped), ...stopped };
    return { runbook: await loadRunbook(ctx, input.number), impact };
  }

  @Mutation(() => RunbookPayload, {
    description: 'Has what failed of a runbook worked on again, and what stood behind it. Needs runbook:write.',
  })
  async retryRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RetryRunbookInput) input: RetryRunbookInput,
  ): Promise<RunbookPayload> {
    await retryRunbook(ctx, input);
    return { runbook: await loadRunbook(ctx, input.number) };
  }

  @Mutation(() => RunbookPayload, {
    description:
      'Opens the pull requests of a runbook in `manual` mode; what it commits later goes to them. Needs runbook:write.',
  })
  async publishRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PublishRunbookInput) { number }: PublishRunbookInput,
  ): Promise<RunbookPayload> {
    await publishRunbook(ctx, number);
    return { runbook: await loadRunbook(ctx, number) };
  }

  @Mutation(() => UpdateRunbookDefaultsPayload, {
    description: "Changes what a repository's runbooks begin with, from the next one on. Needs config:write.",
  })
  async updateRunbookDefaults(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => UpdateRunbookDefaultsInput) input: UpdateRunbookDefaultsInput,
  ): Promise<UpdateRunbookDefaultsPayload> {
    const repository = await updateRunbookDefaults(ctx, input);
    return { repository, runbookDefaults: await readRunbookDefaults(ctx, repository.id) };
  }
}

@Resolver(() => Repository)
export class RepositoryRunbookDefaultsResolver {
  @FieldResolver(() => RunbookDefaults, {
    description: 'What its runbooks begin with where a request does not say (interface 4.9). Needs config:read.',
  })
  async runbookDefaults(@Ctx() ctx: GraphQLContext, @Root() { id }: Repository): Promise<RunbookDefaults> {
    return await readRunbookDefaults(ctx, id);
  }
}
