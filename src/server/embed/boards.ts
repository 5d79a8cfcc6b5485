// Reads what visitors with an embed link see of a queue, which is called a board. A board is read at most once a second
// for each link, so that many screens and badges cost no more than one.
import { execute, parse, subscribe, type GraphQLSchema } from 'graphql';
import { describeLine, type LineSummary } from '../../domain/queue/explain/line-summary.ts';
import { notFound } from '../../domain/errors.ts';
import { graphQLContext, type GraphQLContext, type RequestServices } from '../../graphql/context.ts';
import type { EmbedSession } from '../../modules/accounts/index.ts';
import { readVersion } from '../../platform/project-root.ts';

/** The JSON that the page of an embed link displays. */
export interface Board {
  readonly version: string;
  readonly repository: string;
  readonly branch: string;
  readonly at: string;
  readonly summary: LineSummary;
  /** Null: no pull request was ever queued for the branch. */
  readonly queue: ShownQueue | null;
}

interface ShownMember {
  readonly pullRequest: { readonly number: number; readonly title: string };
}

interface ShownQueue {
  readonly baseTip: string | null;
  readonly haltedReason: string | null;
  readonly pause: { readonly message: string | null } | null;
  readonly frozen: { readonly sentence: string } | null;
  readonly builds: number;
  readonly depth: { readonly queued: number };
  readonly batches: { readonly nodes: readonly { readonly members: readonly ShownMember[] }[] };
  readonly line: { readonly nodes: readonly unknown[] };
  readonly landed: { readonly nodes: readonly unknown[] };
}

const boardDocument = parse(`
  query Board($owner: String!, $name: String!, $branch: String!) {
    repository(owner: $owner, name: $name) {
      queue(baseBranch: $branch) {
        baseTip
        haltedReason
        pause { message }
        frozen { sentence }
        builds
        depth { queued }
        batches(live: true, first: 8) {
          nodes {
            position
            role
            buildStartedAt
            members { pullRequest { number title } }
            checks { name conclusion completedAt }
          }
        }
        line(first: 16) {
          nodes {
            position
            pullRequest { number title author }
            explain { reason }
            eta { p50 p90 }
          }
        }
        landed: batches(states: [LANDED], first: 6) {
          nodes { grade endedAt members { pullRequest { number title } } }
        }
      }
    }
  }`);

const changesDocument = parse(`
  subscription BoardChanged($owner: String!, $name: String!, $branch: String!) {
    queueChanged(repository: { owner: $owner, name: $name }, baseBranch: $branch) { cursor }
  }`);

const readEveryMs = 1_000;

export interface Boards {
  /** Reads the board, which is at most a second old. Throws the error of a failed read. */
  read(session: EmbedSession): Promise<Board>;
  /** Yields at each change of the queue. Ends when the user of the link may no longer see the queue. */
  changes(session: EmbedSession): Promise<AsyncIterableIterator<unknown>>;
}

interface Kept {
  readonly at: number;
  readonly board: Promise<Board>;
}

export function createBoards(schema: GraphQLSchema, services: RequestServices): Boards {
  const kept = new Map<string, Kept>();

  return {
    async read(session) {
      const now = performance.now();
      const { linkId } = session.link;
      const before = kept.get(linkId);
      if (before !== undefined && now - before.at < readEveryMs) return await before.board;
      for (const [id, { at }] of kept) if (now - at >= readEveryMs) kept.delete(id);
      const board = readNow(schema, services, session);
      kept.set(linkId, { at: now, board });
      // A failure is not cached, so that the next visitor's request reads again.
      board.catch(() => kept.delete(linkId));
      return await board;
    },
    async changes(session) {
      const following = await subscribe({ schema, document: changesDocument, ...requestOf(session, services) });
      if (Symbol.asyncIterator in following) return following as AsyncIterableIterator<unknown>;
      throw following.errors?.[0]?.originalError ?? new Error('The changes of a queue cannot be followed.');
    },
  };
}

async function readNow(schema: GraphQLSchema, services: RequestServices, session: EmbedSession): Promise<Board> {
  const { ctx, link } = session;
  const { data, errors } = await execute({ schema, document: boardDocument, ...requestOf(session, services) });
  const [failure] = errors ?? [];
  if (failure !== undefined) throw failure.originalError ?? failure;
  const { repository } = data as unknown as { readonly repository: { readonly queue: ShownQueue | null } | null };
  // The user of the link may no longer see the repository at GitHub.
  if (repository === null) throw notFound('Repository');
  const { queue } = repository;
  return {
    version: readVersion(),
    repository: `${link.owner}/${link.name}`,
    branch: link.baseBranch,
    at: ctx.clock().toISOString(),
    summary: describeLine({
      baseBranch: link.baseBranch,
      queued: queue?.depth.queued ?? 0,
      building: queue?.builds ?? 0,
      haltedReason: queue?.haltedReason ?? null,
      isPaused: (queue?.pause ?? null) !== null,
      pauseMessage: queue?.pause?.message ?? null,
      frozen: queue?.frozen?.sentence ?? null,
    }),
    queue,
  };
}

function requestOf(
  { ctx, link }: EmbedSession,
  services: RequestServices,
): {
  readonly variableValues: Readonly<Record<string, string>>;
  readonly contextValue: GraphQLContext;
} {
  return {
    variableValues: { owner: link.owner, name: link.name, branch: link.baseBranch },
    contextValue: graphQLContext(ctx, services, 'graphql_api'),
  };
}
