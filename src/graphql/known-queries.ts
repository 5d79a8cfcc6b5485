// Queries that Apollo Server has validated and their compiled form has answered. A request that asks one of them again
// can be answered without Apollo Server (src/server/known-queries.ts).
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { createCacheByText } from './documents.ts';

export interface KnownQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

export interface KnownQueries {
  find(text: string): KnownQuery | undefined;
  remember(text: string, query: KnownQuery): void;
}

export function createKnownQueries(): KnownQueries {
  const known = createCacheByText<KnownQuery>();
  return {
    find: (text) => known.get(text),
    remember: (text, query) => {
      if (!known.has(text)) known.set(text, query);
    },
  };
}
