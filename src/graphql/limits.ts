// The limits and the price of a GraphQL request. They are computed after validation, which ensures that fragments exist
// and have no cycles. Each fragment is computed once, even if it is used often.
import {
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  isEnumType,
  isInputObjectType,
  isUnionType,
} from 'graphql';
import { DomainError } from '../domain/errors.ts';

export const maxTokens = 5_000;
const greatestDepth = 20;
const maxAliases = 100;
/** The most points of a request, which is the capacity of a bucket of the rate limit. */
const maxPoints = 200;
/** The number of rows that is assumed for a list without a page size. */
const assumedRows = 10;

// A unit is about 1 µs of the server's CPU, as `npm run bench -- prices` measures it. A point is the price of one REST
// request. A field can set its own price by `@Extensions({ price: 5_000 })`, in units (ADR 0029).
const unitsPerPoint = 1_000;
const units = {
  /** A field whose value is in its object already. */
  value: 1,
  object: 9,
  /** A field for which one statement serves all parents: the price for each parent, besides the statement. */
  batched: 14,
  /** A statement. Some fields need one for each parent. */
  statement: 250,
  mutation: unitsPerPoint,
} as const;
/** Fields of introspection cost this share of the usual price, because the schema is in memory. */
const introspectedShare = 0.2;

interface Measure {
  readonly depth: number;
  readonly aliases: number;
  readonly cost: number;
  /** The fixed price of a field, for any number of parents. */
  readonly once: number;
}

const nothing: Measure = { depth: 0, aliases: 0, cost: 0, once: 0 };

export interface MeasuredRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Computes the points of a request for the rate limit. Throws BAD_INPUT if the request exceeds a limit. */
export function pointsOf(request: MeasuredRequest): number {
  refuseWhatIsNoText(request);
  const { depth, aliases, cost, once } = knownMeasures.get(request.operation) ?? measure(request);
  const points = Math.max(1, Math.ceil((cost + once) / unitsPerPoint));
  if (depth > greatestDepth) throw tooMuch(`is ${depth} levels deep`, greatestDepth);
  if (aliases > maxAliases) throw tooMuch(`has ${aliases} aliases`, maxAliases);
  if (points > maxPoints) throw tooMuch(`costs ${points} points`, maxPoints);
  return points;
}

/** The measures of operations that do not depend on variables. */
const knownMeasures = new WeakMap<OperationDefinitionNode, Measure>();
const checkedDocuments = new WeakSet<DocumentNode>();

// Refuses texts with lone surrogates, which cannot be encoded, and with U+0000, which PostgreSQL does not accept. JSON
// and GraphQL can contain both.
function refuseWhatIsNoText({ document, variables }: MeasuredRequest): void {
  if (!checkedDocuments.has(document)) visit(document, { StringValue: ({ value }) => requireText(value) });
  checkedDocuments.add(document);
  requireText(variables);
}

/** Every input of the schema has fewer levels. The limit also applies to variables that the operation does not name. */
const deepestVariable = 50;

/**
 * Throws BAD_INPUT if a text in the value is not valid, or if the value is nested too deeply. The error of a text names
 * the field, such as `input.headBranch`. A text in a list has the name of the list's field. A text that stands in the
 * document itself has no field.
 */
function requireText(value: unknown, path: readonly string[] = [], depth = 0): void {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return;
    const field = path.length === 0 ? undefined : path.join('.');
    throw new DomainError('BAD_INPUT', 'A text must be Unicode without the character U+0000.', field);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepestVariable)
    throw new DomainError('BAD_INPUT', `Variables may be nested at most ${deepestVariable} levels deep.`);
  if (Array.isArray(value)) for (const each of value) requireText(each, path, depth + 1);
  else for (const [key, each] of Object.entries(value)) requireText(each, [...path, key], depth + 1);
}

function tooMuch(what: string, max: number): DomainError {
  return new DomainError('BAD_INPUT', `The query ${what}; at most ${max} are allowed. Ask for less at once.`);
}

function measure({ schema, document, operation, variables }: MeasuredRequest): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  let coerced: Variables | undefined;
  const readVariables = (): Variables => {
    coerced ??= getVariableValues(schema, operation.variableDefinitions ?? [], variables).coerced ?? {};
    return coerced;
  };
  const measured = new Map<string, Measure>();

  function ofFragment(name: string, pageRows: number): Measure {
    const key = `${name} ${pageRows}`;
    const fragment = fragments.get(name);
    const known = measured.get(key);
    if (known || !fragment) return known ?? nothing;
    const result = ofSelections(fragment.selectionSet, { typeName: fragment.typeCondition.name.value, pageRows });
    measured.set(key, result);
    return result;
  }

  function ofSelections({ selections }: SelectionSetNode, at: Place): Measure {
    let { depth, aliases, cost, once } = nothing;
    for (const selection of selections) {
      const part =
        selection.kind === Kind.FIELD
          ? ofField(selection, at)
          : selection.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(selection.name.value, at.pageRows)
            : ofSelections(selection.selectionSet, {
                ...at,
                typeName: selection.typeCondition?.name.value ?? at.typeName,
              });
      depth = Math.max(depth, part.depth);
      aliases += part.aliases;
      cost += part.cost;
      once += part.once;
    }
    return { depth, aliases, cost, once };
  }

  function ofField(node: FieldNode, { typeName, pageRows }: Place): Measure {
    const aliases = node.alias ? 1 : 0;
    const field = fieldOf(schema, typeName, node.name.value);
    if (!field) return { ...nothing, depth: 1, aliases };
    const call = callPrice(field, typeName, schema);
    const once = onceFor(field, call);
    if (!node.selectionSet) return { depth: 1, aliases, cost: units.value + call, once };
    const type = getNamedType(field.type).name;
    const rows = isPage(typeName) && isList(field.type) ? pageRows : 1;
    const named = namedBy(field, node, readVariables);
    const own = isPage(typeName)
      ? 1
      : isIntrospection(typeName)
        ? introspectedRows(schema, field.name)
        : (named ?? rowsOf(field, node, readVariables));
    const below = ofSelections(node.selectionSet, { typeName: type, pageRows: own });
    // All rows of the page are read, even if the query selects few of their fields.
    const read = isPage(type) ? own * units.object : 0;
    const many = isPage(type) ? 1 : own * rows;
    const share = isIntrospection(field.name) ? introspectedShare : 1;
    return {
      depth: below.depth + 1,
      aliases: below.aliases + aliases,
      cost: share * (call * (named ?? 1) + read + many * (units.object + below.cost)),
      once: once + below.once,
    };
  }

  const root = schema.getRootType(operation.operation);
  const result = root ? ofSelections(operation.selectionSet, { typeName: root.name, pageRows: 1 }) : nothing;
  if (coerced === undefined) knownMeasures.set(operation, result);
  return result;
}

type Variables = Readonly<Record<string, unknown>>;

interface Place {
  readonly typeName: string;
  /** The number of rows of the page, if the type is a connection. */
  readonly pageRows: number;
}

type Field = GraphQLField<unknown, unknown>;

/** Undefined for `__typename`. */
function fieldOf(schema: GraphQLSchema, typeName: string, name: string): Field | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  const parent = schema.getType(typeName);
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

// The price of resolving a field for one parent, besides the price of its value.
function callPrice(field: Field, typeName: string, schema: GraphQLSchema): number {
  // Introspection reads only the schema, which is in memory.
  if (isIntrospection(typeName) || isIntrospection(field.name)) return 0;
  const own = field.extensions['price'];
  if (typeof own === 'number') return own;
  if (typeName === schema.getMutationType()?.name) return units.mutation;
  if (field.resolve === undefined || field.name === 'id') return 0;
  const isAlone =
    typeName === schema.getQueryType()?.name || isPage(getNamedType(field.type).name) || field.args.length > 0;
  return isAlone ? units.statement : units.batched;
}

/**
 * The fixed price of a field, for any number of parents: that of the statement that serves all parents, or the field's
 * own (`@Extensions({ once })`).
 */
function onceFor({ extensions: { once } }: Field, call: number): number {
  if (typeof once === 'number') return once;
  return call === units.batched ? units.statement : 0;
}

function isPage(typeName: string): boolean {
  return typeName.endsWith('Connection');
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}

/**
 * The length of the list in the arguments of a field that returns a list, such as ids. Null: it has no such argument.
 */
function namedBy(field: Field, node: FieldNode, readVariables: () => Variables): number | null {
  const list = isList(field.type) && field.args.find(({ type }) => isListType(getNullableType(type)));
  const values = list ? argumentsOf(field, node, readVariables)[list.name] : null;
  return Array.isArray(values) ? values.length : null;
}

/** The number of rows that a field may return. */
function rowsOf(field: Field, node: FieldNode, readVariables: () => Variables): number {
  if (!isList(field.type) && !isPage(getNamedType(field.type).name)) return 1;
  const own = field.extensions['rows'];
  if (typeof own === 'number') return own;
  const { last, first: given } = argumentsOf(field, node, readVariables);
  const first = last ?? given ?? field.args.find(({ name }) => name === 'first')?.defaultValue;
  return typeof first === 'number' && first > 0 ? first : assumedRows;
}

const literals: ReadonlySet<Kind> = new Set([Kind.INT, Kind.NULL, Kind.STRING, Kind.ENUM, Kind.BOOLEAN, Kind.FLOAT]);

// Wrong arguments are ignored here, because the execution reports them.
function argumentsOf(field: Field, node: FieldNode, readVariables: () => Variables): Variables {
  const hasVariables = node.arguments?.some(({ value }) => !literals.has(value.kind)) ?? false;
  try {
    return getArgumentValues(field, node, hasVariables ? readVariables() : {});
  } catch {
    return {};
  }
}

// Introspection needs no statement, because the schema is in memory. It has a price nevertheless, because graphql-js
// limits only its depth, and one document can select all types a million times.

/** Whether a type belongs to introspection. */
function isIntrospection(typeName: string): boolean {
  return typeName.startsWith('__');
}

const known = new WeakMap<GraphQLSchema, Readonly<Record<string, number>>>();

/** The average length of a list of introspection in the schema: exact for `types`, an upper estimate for the others. */
function introspectedRows(schema: GraphQLSchema, fieldName: string): number {
  const rows = known.get(schema) ?? countRows(schema);
  known.set(schema, rows);
  return rows[fieldName] ?? 1;
}

function countRows(schema: GraphQLSchema): Readonly<Record<string, number>> {
  const types = Object.values(schema.getTypeMap());
  const objects = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = objects.flatMap((type) => Object.values(type.getFields()));
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const perType = (counts: readonly number[]): number => sum(counts) / types.length;
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: fields.length / types.length,
    args: sum(fields.map(({ args }) => args.length)) / Math.max(1, fields.length),
    interfaces: perType(objects.map((type) => type.getInterfaces().length)),
    possibleTypes: perType(
      types.map((type) => (isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type).length : 0)),
    ),
    enumValues: perType(types.filter(isEnumType).map((type) => type.getValues().length)),
    inputFields: perType(types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length)),
  };
}
