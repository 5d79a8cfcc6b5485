// What a GraphQL request may ask for at most, and what it costs. Measured after validation: fragments exist and have
// no cycles by then, and each is measured once, however often it is spread.
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
} from 'graphql';
import { DomainError } from '../domain/errors.ts';
import { introspectedRows, isIntrospection } from './introspection-price.ts';

export const mostTokens = 5_000;
const greatestDepth = 20;
const mostAliases = 100;
/** As many as a bucket of the rate limit holds. */
const mostPoints = 200;
/** Rows a list without a page size is taken for. */
const assumedRows = 10;

// A unit is about a microsecond of the server's CPU, as `npm run bench -- prices` measures it; a point is what one REST
// request is charged. A field whose price differs names its own: `@Extensions({ price: 5_000 })` (ADR 0029).
const unitsPerPoint = 1_000;
const units = {
  /** A value that its object holds. */
  value: 1,
  object: 9,
  /** Asked by one statement for all parents: what is left is the answer of each. */
  batched: 14,
  /** A statement of its own for each parent. */
  statement: 250,
  mutation: unitsPerPoint,
} as const;
/** The schema itself is in memory: what it tells takes so much less than what is read. */
const introspectedShare = 0.2;

interface Measure {
  readonly depth: number;
  readonly aliases: number;
  readonly cost: number;
  /** What it takes to ask at all, for however many parents. */
  readonly once: number;
}

const nothing: Measure = { depth: 0, aliases: 0, cost: 0, once: 0 };

export interface MeasuredRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Points of the rate limit that the request takes; throws BAD_INPUT beyond what one request may ask for or hold. */
export function pointsOf(request: MeasuredRequest): number {
  refuseWhatIsNoText(request);
  const { depth, aliases, cost, once } = measure(request);
  const points = Math.max(1, Math.ceil((cost + once) / unitsPerPoint));
  if (depth > greatestDepth) throw tooMuch(`is ${depth} levels deep`, greatestDepth);
  if (aliases > mostAliases) throw tooMuch(`has ${aliases} aliases`, mostAliases);
  if (points > mostPoints) throw tooMuch(`costs ${points} points`, mostPoints);
  return points;
}

// JSON and GraphQL can write what no encoding and no database takes: half of a surrogate pair, and U+0000.
function refuseWhatIsNoText({ document, variables }: MeasuredRequest): void {
  visit(document, { StringValue: ({ value }) => requireText(value) });
  requireText(variables);
}

function requireText(value: unknown): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0'))
      throw new DomainError('BAD_INPUT', 'A text must be Unicode without the character U+0000.');
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) requireText(each);
  }
}

function tooMuch(what: string, most: number): DomainError {
  return new DomainError('BAD_INPUT', `The query ${what}; at most ${most} are allowed. Ask for less at once.`);
}

function measure({ schema, document, operation, variables }: MeasuredRequest): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables).coerced ?? {};
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
    const once = call === units.batched ? units.statement : 0;
    if (!node.selectionSet) return { depth: 1, aliases, cost: units.value + call, once };
    const type = getNamedType(field.type).name;
    const rows = isPage(typeName) && isList(field.type) ? pageRows : 1;
    const named = namedBy(field, node, coerced);
    const own = isPage(typeName)
      ? 1
      : isIntrospection(typeName)
        ? introspectedRows(schema, field.name)
        : (named ?? rowsOf(field, node, coerced));
    const below = ofSelections(node.selectionSet, { typeName: type, pageRows: own });
    // A page is read, whatever is shown of it.
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
  return root ? ofSelections(operation.selectionSet, { typeName: root.name, pageRows: 1 }) : nothing;
}

interface Place {
  readonly typeName: string;
  /** Rows of the page, below a connection. */
  readonly pageRows: number;
}

type Field = GraphQLField<unknown, unknown>;

/** Undefined: `__typename`. */
function fieldOf(schema: GraphQLSchema, typeName: string, name: string): Field | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  const parent = schema.getType(typeName);
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

// Before anything is multiplied: what it takes to ask one parent.
function callPrice(field: Field, typeName: string, schema: GraphQLSchema): number {
  // The schema itself is in memory.
  if (isIntrospection(typeName) || isIntrospection(field.name)) return 0;
  const own = field.extensions['price'];
  if (typeof own === 'number') return own;
  if (typeName === schema.getMutationType()?.name) return units.mutation;
  if (field.resolve === undefined || field.name === 'id') return 0;
  const isAlone =
    typeName === schema.getQueryType()?.name || isPage(getNamedType(field.type).name) || field.args.length > 0;
  return isAlone ? units.statement : units.batched;
}

function isPage(typeName: string): boolean {
  return typeName.endsWith('Connection');
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}

/** How many things are asked for one by one: the length of a list of ids. Null: by no list. */
function namedBy(field: Field, node: FieldNode, variables: Readonly<Record<string, unknown>>): number | null {
  const list = isList(field.type) && field.args.find(({ type }) => isListType(getNullableType(type)));
  const values = list ? argumentsOf(field, node, variables)[list.name] : null;
  return Array.isArray(values) ? values.length : null;
}

/** Of a page as many as are asked for. */
function rowsOf(field: Field, node: FieldNode, variables: Readonly<Record<string, unknown>>): number {
  if (!isList(field.type) && !isPage(getNamedType(field.type).name)) return 1;
  const own = field.extensions['rows'];
  if (typeof own === 'number') return own;
  const first =
    argumentsOf(field, node, variables)['first'] ?? field.args.find(({ name }) => name === 'first')?.defaultValue;
  return typeof first === 'number' && first > 0 ? first : assumedRows;
}

// What is wrong with the arguments is told by who executes them.
function argumentsOf(
  field: Field,
  node: FieldNode,
  variables: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return {};
  }
}
