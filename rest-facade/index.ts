// The REST API as a translation of GraphQL: documents are compiled at start and executed in process.
// operations/*.graphql define the API; no code here knows an operation.
export { compileFacade, type Operation } from './compile.ts';
export { type DocumentSource, loadDocuments } from './documents.ts';
export type { Claim, Idempotency, KeyedRequest } from './idempotency.ts';
export { acceptsProblem, problemOf, problemType } from './problem.ts';
export type { Answer } from './response.ts';
export { type Execution, type FacadeOptions, registerFacade, serverOptions } from './routes.ts';
