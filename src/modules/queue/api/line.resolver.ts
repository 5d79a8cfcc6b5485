// Reads the line in pages. The cost of a page does not grow with the length of the line, apart from the cost of reading
// the queue.
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Extensions, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import { DomainError } from '../../../domain/errors.ts';
import { rowText } from '../../../domain/queue/explain/explain.ts';
import { type Connection, PageArgs, type PageRequest, readPage, toConnection } from '../../../graphql/connection.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { Explanation } from './explain.types.ts';
import { explanationOf } from './explanation.ts';
import { readEta } from './forecast.resolver.ts';
import { MergeEta } from './forecast.types.ts';
import { readLinePage } from './line.reads.ts';
import { readPastLine } from './past-queue.reads.ts';
import { QueueEntry, QueueEntryConnection } from './line.types.ts';
import { Queue } from './queue.types.ts';

const pageSize = 50;

@Resolver(() => Queue)
export class QueueLineResolver {
  @FieldResolver(() => QueueEntryConnection, {
    description:
      'Its queued and tagged pull requests with their places, in queue order. A page begins after the place of the entry that `after` refers to, even if that entry has left the line.',
  })
  async line(
    @Ctx() ctx: GraphQLContext,
    @Root() queue: Queue,
    @PageArgs(pageSize) request: PageRequest,
    @Arg('from', () => Int, {
      defaultValue: 1,
      description: 'The place at which the page begins, counted from 1. It gives access to the middle of the line.',
    })
    from: number,
  ): Promise<Connection<QueueEntry>> {
    if (from < 1) throw new DomainError('BAD_INPUT', 'from must be 1 or more', 'from');
    const page = { ...readPage(request, { size: pageSize, keyLength: 2 }), from };
    const { past } = queue;
    const rows = past ? await readPastLine(ctx, queue, { past, page }) : await readLinePage(ctx, queue, page);
    return toConnection(rows, page.size, {
      node: (entry): QueueEntry => entry,
      key: ({ pullRequest, rank }) => [pullRequest.skipLine ? 0 : 1, rank],
      totalCount: async () => queue.waitingCount + queue.taggedCount,
    });
  }
}

@Resolver(() => QueueEntry)
export class QueueEntryResolver {
  @Extensions({ price: 80, once: 3_000 })
  @FieldResolver(() => Explanation, {
    description: 'Why it is not merged yet and who must act, at the instant of the queue.',
  })
  async explain(
    @Ctx() ctx: GraphQLContext,
    @Root() { pullRequest, asOf }: QueueEntry,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Explanation> {
    const { reason, sentence, ...explained } = await explanationOf(ctx, pullRequest, { asOf, info });
    return { ...explained, reason: rowText(explained.kind, reason), sentence: rowText(explained.kind, sentence) };
  }

  @Extensions({ price: 20, once: 6_000 })
  @FieldResolver(() => MergeEta, {
    nullable: true,
    description:
      'When it will be merged, by simulation. Null: there is no forecast now, or the queue is one of an instant in the past.',
  })
  async eta(@Ctx() ctx: GraphQLContext, @Root() { pullRequest, asOf }: QueueEntry): Promise<MergeEta | null> {
    return asOf === null ? await readEta(ctx, pullRequest) : null;
  }
}
