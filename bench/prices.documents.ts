// Makes documents over the schema: two for each field with a resolver, three for `nodes` of each type, and many random
// ones. The same random numbers give the same documents.
import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

export interface NamedDocument {
  readonly name: string;
  readonly text: string;
}

/**
 * Arguments that refer to existing rows, by `Type.field`. The value `-` leaves the field out. A field is also left out
 * if it has a required argument and no entry.
 */
export type KnownArguments = Readonly<Record<string, string>>;

export interface DocumentSources {
  readonly schema: GraphQLSchema;
  readonly known: KnownArguments;
  /** Arguments of `nodes`: the ids of existing rows, by type. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

const pageSizes = [1, 10, 50, 100] as const;
const deepest = 6;

export function documentsOf(sources: DocumentSources, count: number): NamedDocument[] {
  const { schema } = sources;
  const query = schema.getQueryType() as GraphQLObjectType;
  const drawn = Array.from({ length: count }, (_, at) => ({
    name: `drawn ${at + 1}`,
    text: `{ ${selectionOf(sources, query, 0)} }`,
  }));
  return [...documentsOfFields(sources), ...documentsOfNodes(sources), ...drawn];
}

/** Two documents for each field with a resolver. They read the field of 10 and of 100 parents in the innermost list. */
function documentsOfFields(sources: DocumentSources): NamedDocument[] {
  const paths = pathsTo(sources);
  return [...paths].flatMap(([type, path]) =>
    Object.values(type.getFields()).flatMap((field) => {
      const call = callOf(sources, type, { field, size: 100 });
      if (call === null || field.resolve === undefined || field.name === 'id') return [];
      const inner = isLeafType(getNamedType(field.type)) ? call : `${call} { ${leavesOf(sources, field)} }`;
      return [10, 100].map((size) => ({
        name: `${type.name}.${field.name} of ${size}`,
        text: `{ ${path(size, inner)} }`,
      }));
    }),
  );
}

function documentsOfNodes({ schema, ids }: DocumentSources): NamedDocument[] {
  return [...ids].flatMap(([name, all]) => {
    const leaves = leafNames(schema.getType(name) as GraphQLObjectType).join(' ');
    return [1, 10, 100].map((size) => ({
      name: `nodes of ${name}, ${size}`,
      text: `{ nodes(ids: ${JSON.stringify(cycled(all, size))}) { id ... on ${name} { ${leaves} } } }`,
    }));
  });
}

function cycled(all: readonly string[], size: number): string[] {
  return Array.from({ length: size }, (_, at) => all[at % all.length] ?? '');
}

/** For each type, a path from the root to the type, as a function that wraps a selection in the path. */
function pathsTo(sources: DocumentSources): Map<GraphQLObjectType, (size: number, inner: string) => string> {
  const query = sources.schema.getQueryType() as GraphQLObjectType;
  const paths = new Map<GraphQLObjectType, (size: number, inner: string) => string>([[query, (_size, inner) => inner]]);
  const waiting = [query];
  for (const type of waiting) {
    const path = paths.get(type);
    // Fields with lists come first, so that a path gives many parents.
    const fields = Object.values(type.getFields()).toSorted((a, b) => manyOf(b) - manyOf(a));
    for (const field of fields) {
      const next = getNamedType(field.type);
      if (!isObjectType(next) || paths.has(next) || path === undefined) continue;
      if (callOf(sources, type, { field, size: 1 }) === null) continue;
      paths.set(next, (size, inner) =>
        path(pageOf(type, size), `${callOf(sources, type, { field, size })} { ${inner} }`),
      );
      waiting.push(next);
    }
  }
  return paths;
}

// Only the innermost of nested lists has `size` rows. The other lists have ten, so that the document is not refused as
// too expensive.
function pageOf(type: GraphQLObjectType, size: number): number {
  return type.name.endsWith('Connection') || type.name.endsWith('Edge') ? size : 10;
}

function manyOf(field: GraphQLField<unknown, unknown>): number {
  const text = String(field.type);
  return text.includes('[') || text.includes('Connection') ? 1 : 0;
}

/** The text of the field with its arguments. Null: the field is left out. */
function callOf(
  { known }: DocumentSources,
  type: GraphQLObjectType,
  { field, size }: { readonly field: GraphQLField<unknown, unknown>; readonly size: number },
): string | null {
  const given = known[`${type.name}.${field.name}`];
  if (given === '-') return null;
  const page = field.args.some(({ name }) => name === 'first') ? `first: ${size}` : '';
  if (given === undefined && field.args.some((argument) => isRequiredArgument(argument) && argument.name !== 'first'))
    return null;
  const all = [given ?? '', page].filter((text) => text !== '').join(', ');
  return all === '' ? field.name : `${field.name}(${all})`;
}

function leafNames(type: GraphQLObjectType): string[] {
  const names = Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument))
    .filter(({ name, resolve }) => name === 'id' || resolve === undefined)
    .map(({ name }) => name);
  return names.length > 0 ? names : ['__typename'];
}

/**
 * Selects the id and the scalars without a resolver of the type of a field. If the type is a connection, selects those
 * of its nodes.
 */
function leavesOf({ schema }: DocumentSources, field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type);
  if (isAbstractType(type)) {
    return schema
      .getPossibleTypes(type)
      .map((each) => `... on ${each.name} { __typename }`)
      .join(' ');
  }
  if (!isObjectType(type)) return '__typename';
  const { nodes } = type.getFields();
  const node = nodes === undefined ? undefined : getNamedType(nodes.type);
  return isObjectType(node) ? `nodes { ${leafNames(node).join(' ')} }` : leafNames(type).join(' ');
}

function selectionOf(sources: DocumentSources, type: GraphQLObjectType, depth: number): string {
  const { random } = sources;
  const below = Object.values(type.getFields()).flatMap((field) => {
    const next = getNamedType(field.type);
    const size = pageSizes[Math.floor(random() * pageSizes.length)] ?? 1;
    const call = isObjectType(next) && depth < deepest ? callOf(sources, type, { field, size }) : null;
    return call === null || !isObjectType(next) ? [] : [{ call, next }];
  });
  const wanted = type.name.endsWith('Connection') ? 1 : 1 + Math.floor(random() * 3);
  const chosen = below
    .map((each) => ({ ...each, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, depth > 2 && random() < 0.4 ? 0 : wanted);
  const leaves = leafNames(type).filter(() => random() < 0.5);
  const inner = chosen.map(({ call, next }) => `${call} { ${selectionOf(sources, next, depth + 1)} }`);
  return [...(leaves.length > 0 ? leaves : ['__typename']), ...inner].join(' ');
}
