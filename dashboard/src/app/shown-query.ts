// The query of the page that is shown, for those who want to ask the same by the API.
import { getOperationName, mapExchange, stringifyDocument, type Exchange, type Operation } from '@urql/core';

/** What stands around every page asks these. */
const ofNoPage = new Set(['Shell', 'Cursor', 'Installation', 'FindPullRequests', 'FindRunbooks', 'FindReleases']);

let shown: { readonly path: string; readonly operation: Operation } | null = null;

/** Keeps the first query that a page sends. */
export const shownExchange: Exchange = mapExchange({
  onOperation: (operation) => {
    if (operation.kind !== 'query' || ofNoPage.has(getOperationName(operation.query) ?? '')) return;
    if (shown?.path !== location.pathname) shown = { path: location.pathname, operation };
  },
});

/** GraphiQL with the query of this page filled in, and empty on a page that asks nothing. */
export function graphiqlAddress(): string {
  if (shown?.path !== location.pathname) return '/graphiql/';
  const { query, variables } = shown.operation;
  const filledIn = new URLSearchParams({
    query: stringifyDocument(query),
    variables: JSON.stringify(variables, null, 2),
  });
  return `/graphiql/#${filledIn.toString()}`;
}
