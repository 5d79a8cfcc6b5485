// Frequent queries and subscriptions are compiled by graphql-jit. The executor of graphql-js decides for each field of
// each row how to resolve it, and a compiled query makes these decisions only once. Queries that graphql-jit would
// execute differently from graphql-js are not compiled. If a compiled query meets an error, graphql-js executes the
// query again, because its errors are the documented ones. This is safe because a query changes nothing. A subscription
// is executed once for each payload like a query, and this execution is compiled by the same rules.
//
// graphql-jit generates code. Of a client's document only names and numbers may get into this code, because version
// 0.8.9 would execute a certain text of a document as code.
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
  /** The parsed document. The caller caches parsed documents, so the same text is always the same object. */
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
  readonly contextValue: GraphQLContext;
  /** The payload of a subscription. Absent for a query. */
  readonly rootValue?: unknown;
}

export interface CompiledQueries {
  /** Null: the query is not compiled or has met an error, so that graphql-js must execute it. */
  run(execution: Execution): Promise<ExecutionResult | null>;
  /** Executes the query by its compiled form if there is one, otherwise by graphql-js. */
  execute(execution: Execution): Promise<ExecutionResult>;
}

/**
 * A query is compiled after this many executions. Compiling takes up to 20 ms of CPU, which is less than half a point for
 * each of these executions. An error resets the count of a document.
 */
const often = 50;
const maxCompiled = 300;
/** The most fields of a query, with its fragments expanded. The compiled code grows with the number of fields. */
const maxFields = 300;

type Run = (root: unknown, context: unknown, variables: object) => ExecutionResult | Promise<ExecutionResult>;

export function createCompiledQueries(schema: GraphQLSchema, { after = often } = {}): CompiledQueries {
  const executions = new WeakMap<DocumentNode, number>();
  /** The compiled queries, oldest first. The oldest is removed first. Null: graphql-js executes the document. */
  const compiled = new Map<DocumentNode, Run | null>();
  /** Documents whose compiled query met an error. The cause may be a field whose value was a function or a promise. */
  const suspected = new WeakSet<DocumentNode>();

  async function compile(document: DocumentNode): Promise<void> {
    compiled.set(document, null);
    if (compiled.size > maxCompiled) compiled.delete(compiled.keys().next().value as DocumentNode);
    const plain = plainQuery(schema, document);
    if (plain === null) return;
    // Loaded when the first query is compiled, so that it does not slow the start down.
    const { compileQuery, isCompiledQuery } = await import('graphql-jit');
    const unread = suspected.has(document) ? plain.bare : plain.unread;
    const query = withReaders(unread, () => compileQuery(schema, document));
    if (isCompiledQuery(query) && compiled.has(document)) compiled.set(document, query.query as Run);
  }

  async function run({ document, variables, contextValue, rootValue }: Execution): Promise<ExecutionResult | null> {
    const before = executions.get(document) ?? 0;
    if (before < after) {
      executions.set(document, before + 1);
      return null;
    }
    const query = compiled.get(document);
    if (query === undefined) await compile(document);
    if (query === undefined || query === null) return null;
    const result = await query(rootValue, contextValue, variables);
    if (result.errors === undefined) return result;
    executions.set(document, 0);
    if (!suspected.has(document)) compiled.delete(document);
    suspected.add(document);
    return null;
  }

  return {
    run,
    execute: async (execution) => {
      const { document, variables, operationName, contextValue, rootValue } = execution;
      return (
        (await run(execution)) ??
        (await execute({ schema, document, variableValues: variables, operationName, contextValue, rootValue }))
      );
    },
  };
}

type Field = GraphQLField<unknown, unknown>;

interface PlainQuery {
  /** The fields of the query without a resolver. graphql-jit uses their values unchanged. */
  readonly bare: ReadonlySet<Field>;
  /**
   * The bare fields for which a value that is a function or a promise would cause a wrong answer instead of an error.
   */
  readonly unread: ReadonlySet<Field>;
}

/**
 * Analyses a document. Null: it cannot be compiled, because it is no single query or subscription of object types
 * alone, because it contains texts or conditions, because a variable in an object may be missing, or because it is too
 * long.
 */
export function plainQuery(schema: GraphQLSchema, { definitions }: DocumentNode): PlainQuery | null {
  const operations = definitions.filter(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  );
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );
  const [operation] = operations;
  if (operation === undefined || operation.operation === OperationTypeNode.MUTATION || operations.length > 1)
    return null;
  const root = schema.getRootType(operation.operation);
  if (!root) return null;
  const variables = operation.variableDefinitions ?? [];
  const required = new Set(
    variables.flatMap(({ type, variable }) => (type.kind === Kind.NON_NULL_TYPE ? [variable.name.value] : [])),
  );
  if (!variables.every(({ defaultValue }) => isHarmless(defaultValue, required))) return null;
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
    if (fields > maxFields || node.alias?.value.startsWith('__')) return false;
    if (!(node.arguments ?? []).every(({ value }) => isHarmless(value, required))) return false;
    if (node.name.value === '__typename') return true;
    // Undefined for the fields of introspection, which the type does not list.
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

/**
 * Whether a value in a document contains no text, and graphql-jit reads it as graphql-js does. For a variable that is
 * missing in an input object, graphql-jit would pass null, so a variable in an object must be a required one.
 */
function isHarmless(value: ValueNode | undefined, required: ReadonlySet<string>): boolean {
  if (value?.kind !== Kind.OBJECT) return value === undefined || harmless.has(value.kind);
  return value.fields.every(({ value: inner }) =>
    inner.kind === Kind.VARIABLE ? required.has(inner.name.value) : isHarmless(inner, required),
  );
}

/** Whether the type of the field refuses a function or a promise as a value. */
function isStrict({ type }: Field): boolean {
  const named = getNamedType(type);
  return isEnumType(named) || isSpecifiedScalarType(named) || named.name === 'DateTime';
}

/**
 * Gives the fields the default resolver while `compile` runs. Without a resolver, graphql-jit uses the value of a field
 * unchanged, but graphql-js calls functions and awaits promises. Compiling is synchronous, so no other code sees the
 * changed fields.
 */
function withReaders<T>(fields: ReadonlySet<Field>, compile: () => T): T {
  for (const field of fields) field.resolve = defaultFieldResolver;
  try {
    return compile();
  } finally {
    for (const field of fields) Object.assign(field, { resolve: undefined });
  }
}
