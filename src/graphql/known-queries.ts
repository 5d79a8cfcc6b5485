// Queries that Apollo Server has validated and their compiled form has answered. A request that asks one of them again
// can be answered without Apollo Server (src/server/known-queries.ts).
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';

export interface KnownQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export interface KnownQueries {
  find(text: string): KnownQuery | undefined;
  remember(text: string, query: KnownQuery): void;
}

/** The texts of all remembered queries together have at most this many characters. */
const maxCharacters = 1_000_000;

export function createKnownQueries(): KnownQueries {
  const known = new LRUCache<string, KnownQuery>({
    maxSize: maxCharacters,
    sizeCalculation: (_query, text) => Math.max(text.length, 1),
  });
  return {
    find: (text) => known.get(text),
    remember: (text, query) => {
      if (!known.has(text)) known.set(text, query);
    },
  };
}
