import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { Repository } from '../repositories/repositories.types.ts';
import {
  CancelRunbookInput,
  CancelRunbookPayload,
  PublishRunbookInput,
  RetryRunbookInput,
  RetryRunbookPayload,
  RunbookDefaults,
  UpdateRunbookDefaultsInput,
  UpdateRunbookDefaultsPayload,
} from './control.types.ts';
import { readRunbookDefaults } from './defaults.reads.ts';
import { updateRunbookDefaults } from './defaults.service.ts';
import { cancelRunbook, publishRunbook, retriedText, retryRunbook, stoppedText } from './runbooks.control.ts';
import { loadRunbook } from './runbooks.reads.ts';
import { RunbookPayload } from './runbooks.types.ts';

@Resolver()
export class RunbookControlResolver {
  @Mutation(() => CancelRunbookPayload, {
    description:
      'Cancels a runbook. Leaves that are not completed fail, and commits and pull requests stay. A follow-up prompt or a retry continues the runbook. Needs runbook:write.',
  })
  async cancelRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => CancelRunbookInput) input: CancelRunbookInput,
  ): Promise<CancelRunbookPayload> {
    const stopped = await cancelRunbook(ctx, input);
    const impact = stopped && { sentence: stoppedText(stopped), ...stopped };
    return { runbook: await loadRunbook(ctx, input.number), impact };
  }

  @Mutation(() => RetryRunbookPayload, {
    description:
      'Retries the failed leaf of a runbook and the leaves behind it. If no leaf failed, ends a cancellation, so that the remaining pull requests are queued, which needs queue:write too. Needs runbook:write.',
  })
  async retryRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => RetryRunbookInput) input: RetryRunbookInput,
  ): Promise<RetryRunbookPayload> {
    const retried = await retryRunbook(ctx, input);
    const impact = retried && { sentence: retriedText(retried), ...retried };
    return { runbook: await loadRunbook(ctx, input.number), impact };
  }

  @Mutation(() => RunbookPayload, {
    description:
      'Opens the pull requests of a runbook in `manual` mode. Later commits go to these pull requests too. Needs runbook:write.',
  })
  async publishRunbook(
    @Ctx() ctx: GraphQLContext,
    @Arg('input', () => PublishRunbookInput) { number }: PublishRunbookInput,
  ): Promise<RunbookPayload> {
    await publishRunbook(ctx, number);
    return { runbook: await loadRunbook(ctx, number) };
  }

  @Mutation(() => UpdateRunbookDefaultsPayload, {
    description:
      "Changes the defaults of a repository's runbooks, for runbooks that are created afterwards. Needs config:write.",
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
    description:
      'The defaults of the runbooks of the repository, for fields that a request leaves out (interface 4.9). Needs config:read.',
  })
  async runbookDefaults(@Ctx() ctx: GraphQLContext, @Root() { id }: Repository): Promise<RunbookDefaults> {
    return await readRunbookDefaults(ctx, id);
  }
}
