// Remembers the query of the present page, for users who want to send it to the API.
import { getOperationName, mapExchange, stringifyDocument, type Exchange, type Operation } from '@urql/core';

/** The queries of the frame around every page. */
const ofNoPage = new Set([
  'Shell',
  'LineLength',
  'ReleaseProjectNames',
  'Cursor',
  'Installation',
  'FindPullRequests',
  'FindRunbooks',
  'FindReleases',
]);

let shown: { readonly path: string; readonly operation: Operation } | null = null;

/** Remembers the first query that each page sends. */
export const shownExchange: Exchange = mapExchange({
  onOperation: (operation) => {
    if (operation.kind !== 'query' || ofNoPage.has(getOperationName(operation.query) ?? '')) return;
    if (shown?.path !== location.pathname) shown = { path: location.pathname, operation };
  },
});

/** The address of GraphiQL with the query of this page filled in. GraphiQL is empty if the page sends no query. */
export function graphiqlAddress(): string {
  if (shown?.path !== location.pathname) return '/graphiql/';
  const { query, variables } = shown.operation;
  const filledIn = new URLSearchParams({
    query: stringifyDocument(query),
    variables: JSON.stringify(variables, null, 2),
  });
  return `/graphiql/#${filledIn.toString()}`;
}
