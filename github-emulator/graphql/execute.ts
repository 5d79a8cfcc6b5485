// Runs a document against GitHub's schema. A field without an implementation is an error with the name of the field.
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  parse,
  type DocumentNode,
  validate,
} from 'graphql';
import type { Core } from '../core.ts';
import type { GraphqlAnswer, GraphqlRequest } from '../part.ts';
import { checkPageOf } from './connection.ts';
import { costOf } from './cost.ts';
import { faultOf, GraphqlFault, renderFault } from './fault.ts';

const maxNodes = 500_000;

export async function executeGraphql(
  core: Core,
  request: GraphqlRequest,
  rootOf: (cost: { readonly points: number; readonly nodes: number }) => object,
): Promise<GraphqlAnswer> {
  const schema = readSchema();
  const refuse = (errors: readonly object[]): GraphqlAnswer => ({ status: 200, body: { errors }, cost: 1 });
  const document = parseDocument(request.query);
  if (document instanceof GraphQLError) return refuse([renderFault(document)]);
  const faults = validate(schema, document);
  if (faults.length > 0)
    return refuse(faults.map(({ message, locations }) => ({ path: ['query'], locations, message })));
  const cost = costOf(document, request.variables);
  if (cost.nodes > maxNodes)
    return refuse([
      {
        type: 'MAX_NODE_LIMIT_EXCEEDED',
        message: `This query requests up to ${cost.nodes} possible nodes which exceeds the maximum limit of ${maxNodes.toLocaleString('en')}.`,
      },
    ]);
  const result = await execute({
    schema,
    document,
    rootValue: rootOf(cost),
    variableValues: request.variables,
    operationName: request.operationName,
    fieldResolver: resolveField,
    typeResolver: resolveType,
  });
  const errors = result.errors ?? [];
  for (const error of errors)
    if (error.originalError !== undefined && faultOf(error.originalError) === null)
      core.mistakes.push(`graphql ${error.path?.join('.') ?? ''}: ${error.originalError.stack ?? error.message}`);
  const isDataAbsent = result.data === undefined;
  const body = {
    ...(isDataAbsent ? {} : { data: result.data }),
    ...(errors.length === 0 ? {} : { errors: errors.map(renderFault) }),
  };
  return { status: 200, body, cost: cost.points };
}

function parseDocument(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

class MissingField extends Error {}

const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, args, _context, info) => {
  const { fieldName, parentType } = info;
  if (typeof source !== 'object' || source === null || !(fieldName in source))
    throw new MissingField(`The emulator has no answer for ${parentType.name}.${fieldName}.`);
  const value = (source as Record<string, unknown>)[fieldName];
  const answer = typeof value === 'function' ? (value as (given: object) => unknown)(args) : value;
  const checked = (given: unknown): unknown => {
    checkPageOf(given, info.fieldNodes);
    return given;
  };
  return answer instanceof Promise ? answer.then(checked) : checked(answer);
};

const resolveType: GraphQLTypeResolver<unknown, unknown> = (value) => {
  const name = (value as { __typename?: string } | null)?.__typename;
  if (name === undefined) throw new GraphqlFault(null, 'The emulator does not know the type of a node.');
  return name;
};

let knownSchema: GraphQLSchema | null = null;

/** Reads GitHub's own schema, once in each process. */
function readSchema(): GraphQLSchema {
  if (knownSchema !== null) return knownSchema;
  const file = new URL('./schema.graphql', import.meta.resolve('@octokit/graphql-schema'));
  knownSchema = buildSchema(readFileSync(file, 'utf8'), { assumeValid: true, assumeValidSDL: true, noLocation: true });
  return knownSchema;
}
