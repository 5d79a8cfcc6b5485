// Queries that are asked again and again are compiled by graphql-jit: the executor of graphql-js decides for each field
// of each row what to do with it, a compiled query has decided that once. What graphql-jit would do otherwise than
// graphql-js is not compiled, and a compiled query that meets an error gives way to graphql-js, whose errors are the
// documented ones. A query changes nothing, so that it may be executed twice.
//
// graphql-jit writes code. Of a client's document only names and numbers may get into it: version 0.8.9 takes a certain
// text that stands in a document for code.
import {
  defaultFieldResolver,
  execute,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { GraphQLContext } from './context.ts';

export interface Execution {
  /** The same object for the same text, as a cache of parsed documents gives it. */
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
  readonly contextValue: GraphQLContext;
}

export interface CompiledQueries {
  /** Null: the query is not compiled or has met an error, so that graphql-js must execute it. */
  run(execution: Execution): Promise<ExecutionResult | null>;
  /** By the compiled query if there is one, otherwise by graphql-js. */
  execute(execution: Execution): Promise<ExecutionResult>;
}

/**
 * Compiling takes up to 20 ms of CPU: spread over these executions, less than half a point for each. An error sets a
 * document back to its first execution.
 */
const often = 50;
const mostCompiled = 300;
/** Of a selection with its fragments written out. The compiled code grows with it. */
const mostFields = 300;

type Run = (root: undefined, context: unknown, variables: object) => ExecutionResult | Promise<ExecutionResult>;

export function createCompiledQueries(schema: GraphQLSchema, { after = often } = {}): CompiledQueries {
  const executions = new WeakMap<DocumentNode, number>();
  /** Null: the document is executed by graphql-js. The oldest is first and is removed first. */
  const compiled = new Map<DocumentNode, Run | null>();
  /** Documents with an error: perhaps a value was a function or a promise where none was expected. */
  const suspected = new WeakSet<DocumentNode>();

  async function compile(document: DocumentNode): Promise<void> {
    compiled.set(document, null);
    if (compiled.size > mostCompiled) compiled.delete(compiled.keys().next().value as DocumentNode);
    const plain = plainQuery(schema, document);
    if (plain === null) return;
    // Loaded by the first query that is asked often, not by every start.
    const { compileQuery, isCompiledQuery } = await import('graphql-jit');
    const unread = suspected.has(document) ? plain.bare : plain.unread;
    const query = withReaders(unread, () => compileQuery(schema, document));
    if (isCompiledQuery(query) && compiled.has(document)) compiled.set(document, query.query as Run);
  }

  async function run({ document, variables, contextValue }: Execution): Promise<ExecutionResult | null> {
    const before = executions.get(document) ?? 0;
    if (before < after) {
      executions.set(document, before + 1);
      return null;
    }
    const query = compiled.get(document);
    if (query === undefined) await compile(document);
    if (query === undefined || query === null) return null;
    const result = await query(undefined, contextValue, variables);
    if (result.errors === undefined) return result;
    executions.set(document, 0);
    if (!suspected.has(document)) compiled.delete(document);
    suspected.add(document);
    return null;
  }

  return {
    run,
    execute: async (execution) => {
      const { document, variables, operationName, contextValue } = execution;
      return (
        (await run(execution)) ??
        (await execute({ schema, document, variableValues: variables, operationName, contextValue }))
      );
    },
  };
}

type Field = GraphQLField<unknown, unknown>;

interface PlainQuery {
  /** The fields of the query without a resolver. graphql-jit uses their values unchanged. */
  readonly bare: ReadonlySet<Field>;
  /** Those of them where a function or a promise would not be an error, but a wrong answer. */
  readonly unread: ReadonlySet<Field>;
}

/** Null: the document is no single query of object types alone, has texts or conditions, or is too long. */
export function plainQuery(schema: GraphQLSchema, { definitions }: DocumentNode): PlainQuery | null {
  const operations = definitions.filter(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  );
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );
  const [operation] = operations;
  const root = schema.getQueryType();
  if (operation?.operation !== OperationTypeNode.QUERY || operations.length > 1 || !root) return null;
  if (!(operation.variableDefinitions ?? []).every(({ defaultValue }) => isHarmless(defaultValue))) return null;
  const bare = new Set<Field>();
  let fields = 0;

  const isPlain = ({ selections }: SelectionSetNode, type: GraphQLObjectType): boolean =>
    selections.every((node) => !hasCondition(node) && isPlainSelection(node, type));

  function isPlainSelection(node: SelectionNode, type: GraphQLObjectType): boolean {
    if (node.kind !== Kind.FIELD) {
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
      const condition = fragment?.typeCondition?.name.value ?? type.name;
      return fragment !== undefined && condition === type.name && isPlain(fragment.selectionSet, type);
    }
    fields += 1;
    if (fields > mostFields || node.alias?.value.startsWith('__')) return false;
    if (!(node.arguments ?? []).every(({ value }) => isHarmless(value))) return false;
    if (node.name.value === '__typename') return true;
    // Introspection is no field of the type.
    const field = type.getFields()[node.name.value];
    if (field === undefined) return false;
    if (field.resolve === undefined) bare.add(field);
    const named = getNamedType(field.type);
    if (isLeafType(named)) return true;
    return isObjectType(named) && node.selectionSet !== undefined && isPlain(node.selectionSet, named);
  }

  if (!isPlain(operation.selectionSet, root)) return null;
  return { bare, unread: new Set([...bare].filter((field) => !isStrict(field))) };
}

function hasCondition({ directives = [] }: SelectionNode): boolean {
  return directives.some(({ name }) => name.value === 'skip' || name.value === 'include');
}

const harmless: ReadonlySet<Kind> = new Set([Kind.VARIABLE, Kind.INT, Kind.FLOAT, Kind.BOOLEAN, Kind.NULL, Kind.ENUM]);

/** Whether a value of a document contains no text. */
function isHarmless(value: ValueNode | undefined): boolean {
  return value === undefined || harmless.has(value.kind);
}

/** Whether its scalar refuses a function and a promise. */
function isStrict({ type }: Field): boolean {
  const named = getNamedType(type);
  return isEnumType(named) || isSpecifiedScalarType(named) || named.name === 'DateTime';
}

/**
 * graphql-jit takes the value of a field without a resolver as it is, where graphql-js calls functions and awaits
 * promises. It looks for resolvers while it compiles, which nothing else sees because it waits for nothing.
 */
function withReaders<T>(fields: ReadonlySet<Field>, compile: () => T): T {
  for (const field of fields) field.resolve = defaultFieldResolver;
  try {
    return compile();
  } finally {
    for (const field of fields) Object.assign(field, { resolve: undefined });
  }
}
