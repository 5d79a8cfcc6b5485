// Hostile GraphQL documents, and how they are answered. Each title completes "a request …".
import { encodeNodeId } from '../../src/graphql/node-id.ts';

/** `null`: the request is answered without an error. */
export type Expected = readonly [status: number, code: string | null];

export interface HostileDocument {
  readonly title: string;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly expected: Expected;
}

export const refused: Expected = [400, 'BAD_INPUT'];
/** The document is executed, and a field of it is refused. */
export const refusedField: Expected = [200, 'BAD_INPUT'];
export const served: Expected = [200, null];

export const many = (count: number, each: (at: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, at) => each(at)).join(separator);
export const repeated = (text: string, count: number): string => text.repeat(count);
export const inShop = (selection: string): string => `{ repository(owner: "acme", name: "shop") { ${selection} } }`;

const floods: readonly HostileDocument[] = [
  { title: 'with 101 aliases', query: `{ ${many(101, (at) => `a${at}: viewer { email }`)} }`, expected: refused },
  { title: 'with 100 aliases', query: `{ ${many(100, (at) => `a${at}: viewer { email }`)} }`, expected: served },
  {
    title: 'with 101 aliases in fragments',
    query: `{ ${many(101, (at) => `...f${at}`)} } ${many(101, (at) => `fragment f${at} on Query { a${at}: viewer { email } }`)}`,
    expected: refused,
  },
  {
    title: 'with 101 aliases of __typename',
    query: `{ ${many(101, (at) => `a${at}: __typename`)} }`,
    expected: refused,
  },
  {
    title: 'with one directive 700 times',
    query: `{ viewer { email ${repeated('@include(if: true) ', 700)} } }`,
    expected: refused,
  },
  {
    title: 'with 1,600 unknown directives',
    query: `{ viewer { email ${many(1_600, (at) => `@a${at}`)} } }`,
    expected: refused,
  },
  { title: 'with the same field 4,900 times', query: `{ ${repeated('__typename ', 4_900)} }`, expected: refused },
  {
    title: 'with the same object 1,200 times',
    query: `{ ${repeated('viewer { email } ', 1_200)} }`,
    expected: refused,
  },
  {
    title: 'with 550 fields of different arguments',
    query: `{ ${many(550, (at) => `node(id: "${at}") { id }`)} }`,
    expected: refused,
  },
  {
    title: 'with overlapping fields in nested fragments',
    query: `{ ...f0 } ${many(150, (at) => `fragment f${at} on Query { viewer { email } ...f${(at + 1) % 151} viewer { handle } }`)} fragment f150 on Query { __typename }`,
    expected: served,
  },
  { title: 'with fields that conflict', query: '{ viewer { a: email a: handle } }', expected: refused },
  { title: 'of 5,001 tokens', query: `{ ${repeated('a ', 4_999)} }`, expected: refused },
  { title: 'with 4,900 unknown fields', query: `{ ${many(4_900, (at) => `a${at}`)} }`, expected: refused },
  {
    title: 'with 1,200 unused variables',
    query: `query (${many(1_200, (at) => `$a${at}: Int`)}) { __typename }`,
    expected: refused,
  },
  {
    title: 'with 900 operations',
    query: many(900, (at) => `query q${at} { __typename }`),
    operationName: 'q1',
    expected: served,
  },
  { title: 'with a comment of a mebibyte', query: `#${repeated('x', 1_048_576)}\n{ __typename }`, expected: served },
  {
    title: 'with a mebibyte of spaces and commas',
    query: `{ ${repeated(' ,', 524_288)} __typename }`,
    expected: served,
  },
  { title: 'with a name of a mebibyte', query: `{ ${repeated('a', 1_048_576)} }`, expected: refused },
  { title: 'with an alias of a mebibyte', query: `{ ${repeated('a', 1_048_576)}: __typename }`, expected: served },
];

const fragments: readonly HostileDocument[] = [
  { title: 'with a fragment that spreads itself', query: '{ ...a } fragment a on Query { ...a }', expected: refused },
  {
    title: 'with a cycle of 500 fragments',
    query: `{ ...f0 } ${many(500, (at) => `fragment f${at} on Query { ...f${(at + 1) % 500} }`)}`,
    expected: refused,
  },
  {
    title: 'with fragments that double thirty times',
    query: `{ ...f0 } ${many(30, (at) => `fragment f${at} on Query { viewer { email } ...f${at + 1} ...f${at + 1} }`)} fragment f30 on Query { __typename }`,
    expected: refused,
  },
  {
    title: 'with fragments that double the aliases thirty times',
    query: `{ ...f0 } ${many(30, (at) => `fragment f${at} on Query { ...f${at + 1} ...f${at + 1} }`)} fragment f30 on Query { a: __typename }`,
    expected: refused,
  },
  {
    title: 'with fragments that double the levels',
    query: `${many(30, (at) => `fragment f${at} on Repository { queues { repository { ...f${at + 1} } } ...f${at + 1} }`)} fragment f30 on Repository { id } { repositories { nodes { ...f0 } } }`,
    expected: refused,
  },
  {
    title: 'with a chain of 500 fragments',
    query: `{ ...f0 } ${many(500, (at) => `fragment f${at} on Query { ...f${at + 1} }`)} fragment f500 on Query { __typename }`,
    expected: served,
  },
  {
    title: 'with a fragment that nothing spreads',
    query: '{ __typename } fragment a on Query { __typename }',
    expected: refused,
  },
  { title: 'with an unknown fragment', query: '{ ...nothing }', expected: refused },
  {
    title: 'with a fragment on a type that cannot occur',
    query: '{ viewer { ... on Repository { id } } }',
    expected: refused,
  },
  {
    title: 'with two fragments of one name',
    query: '{ ...a } fragment a on Query { __typename } fragment a on Query { __typename }',
    expected: refused,
  },
  {
    title: 'with 1,200 inline fragments, each in another',
    query: `{ ${repeated('... { ', 1_200)} __typename ${repeated('} ', 1_200)} }`,
    expected: refused,
  },
];

const depths: readonly HostileDocument[] = [
  {
    title: '21 levels deep',
    query: inShop(`${repeated('queues { repository { ', 10)} id ${repeated('} } ', 10)}`),
    expected: refused,
  },
  {
    title: 'of 1,600 nested selections',
    query: `{ ${repeated('viewer { ', 1_600)} email ${repeated('} ', 1_600)} }`,
    expected: refused,
  },
  { title: 'of 2,400 nested selections that are not closed', query: repeated('{ a ', 2_400), expected: refused },
  {
    title: 'with a value 2,400 lists deep',
    query: `{ node(id: ${repeated('[', 2_400)}${repeated(']', 2_400)}) { id } }`,
    expected: refused,
  },
  {
    title: 'with a value 1,200 objects deep',
    query: `{ previewConfiguration(input: ${repeated('{repository: ', 1_200)}1${repeated('}', 1_200)}) { accepted } }`,
    expected: refused,
  },
  {
    title: 'with a type 2,400 lists deep',
    query: `query ($a: ${repeated('[', 2_400)}Int${repeated(']', 2_400)}) { __typename }`,
    expected: refused,
  },
  {
    title: 'of introspection that nests types twelve times',
    query: `{ __schema { types { ${repeated('fields { type { ', 6)} name ${repeated('} } ', 6)} } } }`,
    expected: refused,
  },
  {
    title: 'of introspection of all types in all fields',
    query: '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
    expected: refused,
  },
  {
    title: 'for 100 nodes, each with a page of 100',
    query: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Team { members(first: 100) { nodes { email } } } } }`,
    variables: { ids: Array.from({ length: 100 }, () => encodeNodeId('Team', '1')) },
    expected: refused,
  },
  {
    title: 'for 101 nodes',
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: { ids: Array.from({ length: 101 }, (_, at) => encodeNodeId('Team', String(at))) },
    expected: refusedField,
  },
  {
    title: 'for 200,000 nodes',
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: { ids: Array.from({ length: 200_000 }, () => 'x') },
    expected: refused,
  },
];

export const hostileDocuments: readonly HostileDocument[] = [...floods, ...fragments, ...depths];
