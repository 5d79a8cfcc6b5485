// The REST API as a translation of GraphQL. The documents operations/*.graphql define the API. They are compiled at the
// start and executed in this process. No code in this folder depends on a particular operation.
export { compileFacade, type Operation } from './compile.ts';
export { type DocumentSource, loadDocuments } from './documents.ts';
export type { Claim, Idempotency, KeyedRequest } from './idempotency.ts';
export { acceptsProblem, problemOf, problemType } from './problem.ts';
export type { Answer } from './response.ts';
export { type Execution, type FacadeOptions, registerFacade, serverOptions } from './routes.ts';
