// What a GraphQL request may ask for at most, and what it costs. Measured after validation: fragments exist and have
// no cycles by then, and each is measured once, however often it is spread.
import {
  getNamedType,
  isObjectType,
  isInterfaceType,
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { DomainError } from '../domain/errors.ts';

export const mostTokens = 5_000;
const greatestDepth = 20;
const mostAliases = 100;
const greatestCost = 50_000;
/** Rows a list without a page size is taken for. */
const assumedRows = 10;
/** Rows that cost as much as one REST request. */
const rowsPerPoint = 200;

interface Measure {
  readonly depth: number;
  readonly aliases: number;
  /** Objects that may be read. */
  readonly cost: number;
}

const nothing: Measure = { depth: 0, aliases: 0, cost: 0 };

export interface MeasuredRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Points of the rate limit that the request takes; throws BAD_INPUT beyond what one request may ask for or hold. */
export function pointsOf(request: MeasuredRequest): number {
  refuseWhatIsNoText(request);
  const { depth, aliases, cost } = measure(request);
  if (depth > greatestDepth) throw tooMuch(`is ${depth} levels deep`, greatestDepth);
  if (aliases > mostAliases) throw tooMuch(`has ${aliases} aliases`, mostAliases);
  if (cost > greatestCost) throw tooMuch(`may read ${cost} objects`, greatestCost);
  return Math.max(1, Math.ceil(cost / rowsPerPoint));
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
  const measured = new Map<string, Measure>();

  function ofFragment(name: string): Measure {
    const fragment = fragments.get(name);
    const known = measured.get(name);
    if (known || !fragment) return known ?? nothing;
    const result = ofSelections(fragment.selectionSet, fragment.typeCondition.name.value);
    measured.set(name, result);
    return result;
  }

  function ofSelections(selections: SelectionSetNode, typeName: string): Measure {
    let { depth, aliases, cost } = nothing;
    for (const selection of selections.selections) {
      const part =
        selection.kind === Kind.FIELD
          ? ofField(selection, typeName)
          : selection.kind === Kind.FRAGMENT_SPREAD
            ? ofFragment(selection.name.value)
            : ofSelections(selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
      depth = Math.max(depth, part.depth);
      aliases += part.aliases;
      cost += part.cost;
    }
    return { depth, aliases, cost };
  }

  function ofField(field: FieldNode, typeName: string): Measure {
    const aliases = field.alias ? 1 : 0;
    // The schema itself is in memory.
    if (field.name.value.startsWith('__')) return { depth: 1, aliases, cost: 0 };
    if (!field.selectionSet) return { depth: 1, aliases, cost: 0 };
    const parent = schema.getType(typeName);
    const type =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value]?.type : undefined;
    if (!type) return { depth: 1, aliases, cost: 0 };
    const named = getNamedType(type).name;
    const below = ofSelections(field.selectionSet, named);
    const rows = named.endsWith('Connection')
      ? pageSize(field, variables)
      : String(type).includes('[') && !isPage(typeName)
        ? assumedRows
        : 1;
    return { depth: below.depth + 1, aliases: below.aliases + aliases, cost: rows * (1 + below.cost) };
  }

  const root = schema.getRootType(operation.operation);
  return root ? ofSelections(operation.selectionSet, root.name) : nothing;
}

// A connection has been multiplied by its page size already.
function isPage(typeName: string): boolean {
  return typeName.endsWith('Connection');
}

function pageSize(field: FieldNode, variables: Readonly<Record<string, unknown>>): number {
  const value = field.arguments?.find((argument) => argument.name.value === 'first')?.value;
  const size =
    value?.kind === Kind.INT
      ? Number(value.value)
      : value?.kind === Kind.VARIABLE
        ? variables[value.name.value]
        : undefined;
  return typeof size === 'number' && size > 0 ? size : assumedRows;
}
