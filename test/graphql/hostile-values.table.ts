// Hostile values, variables, directives and operations, and how they are answered. Each title completes "a request …".
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import {
  inShop,
  many,
  refused,
  refusedField,
  repeated,
  served,
  type HostileDocument,
} from './hostile-documents.table.ts';

const nestedList = (levels: number): unknown => {
  let list: unknown = 'x';
  for (let at = 0; at < levels; at += 1) list = [list];
  return list;
};
const nestedInput = (levels: number): unknown => {
  let object: Record<string, unknown> = {};
  for (let at = 0; at < levels; at += 1) object = { repository: object };
  return object;
};

const page = (args: string): string => `{ repositories(${args}) { nodes { id } } }`;
const values: readonly HostileDocument[] = [
  { title: 'for a page of -1', query: page('first: -1'), expected: refusedField },
  { title: 'for a page of 0', query: page('first: 0'), expected: refusedField },
  { title: 'for a page of 1,000,000', query: page('first: 1000000'), expected: refused },
  { title: 'for a page of 2^31', query: page('first: 2147483648'), expected: refused },
  {
    title: 'for a page of a number of 10,000 digits',
    query: page(`first: ${repeated('9', 10_000)}`),
    expected: refused,
  },
  { title: 'for a page of 1e9', query: page('first: 1e9'), expected: refused },
  {
    title: 'for a page of 1e300 in a variable',
    query: 'query ($n: Int) { repositories(first: $n) { nodes { id } } }',
    variables: { n: 1e300 },
    expected: refused,
  },
  { title: 'for a page of a text', query: page('first: "10"'), expected: refused },
  { title: 'for a page after nonsense', query: page('after: "nonsense"'), expected: refusedField },
  {
    title: 'for a page after a cursor of a mebibyte',
    query: page(`after: "${repeated('A', 1_048_576)}"`),
    expected: refusedField,
  },
  {
    title: 'for a page after base64 of SQL',
    query: page(`after: "${Buffer.from("1'; drop table event; --").toString('base64')}"`),
    expected: refusedField,
  },
  { title: 'for page -1', query: page('page: -1'), expected: refused },
  { title: 'for a node of nonsense', query: '{ node(id: "nonsense") { id } }', expected: served },
  {
    title: 'for a node whose number is too large',
    query: `{ node(id: "${encodeNodeId('Team', repeated('9', 40))}") { id } }`,
    expected: served,
  },
  {
    title: 'for a pull request of number 2^31 - 1',
    query: inShop('pullRequest(number: 2147483647) { id }'),
    expected: served,
  },
  {
    title: 'for a repository with a name of a mebibyte',
    query: `{ repository(owner: "acme", name: "${repeated('x', 1_048_576)}") { id } }`,
    expected: served,
  },
  {
    title: 'that searches for a mebibyte',
    query: `{ search(text: "${repeated('x', 1_048_576)}") { __typename } }`,
    expected: refusedField,
  },
  {
    title: 'for a time that does not exist',
    query: inShop('queue(baseBranch: "main", asOf: "2026-02-31T25:00:00Z") { id }'),
    expected: refused,
  },
  {
    title: 'for a pattern with 2,000 stars',
    query: inShop(`branchPauses(pattern: "${repeated('*a', 2_000)}b") { __typename }`),
    expected: refused,
  },
  {
    title: 'with a lone surrogate in the document',
    query: '{ repository(owner: "acme", name: "\\ud800") { id } }',
    expected: refused,
  },
  {
    title: 'with U+0000 in the document',
    query: '{ repository(owner: "acme", name: "\\u0000") { id } }',
    expected: refused,
  },
  { title: 'with U+0000 outside of a text', query: '{ \0 __typename }', expected: refused },
  {
    title: 'with an escape beyond Unicode',
    query: '{ repository(owner: "acme", name: "\\u{110000}") { id } }',
    expected: refused,
  },
  { title: 'with a text that does not end', query: '{ node(id: "x', expected: refused },
  { title: 'with a byte order mark', query: '\ufeff{ __typename }', expected: served },
  {
    title: 'with a text in direction marks',
    query: '{ repository(owner: "acme", name: "\u202eshop") { id } }',
    expected: served,
  },
];

const byName = 'query ($name: String!) { repository(owner: "acme", name: $name) { id } }';
const variables: readonly HostileDocument[] = [
  { title: 'without a variable that it needs', query: byName, expected: refused },
  { title: 'whose variable is null', query: byName, variables: { name: null }, expected: refused },
  { title: 'whose variable is an object', query: byName, variables: { name: { toString: 'x' } }, expected: refused },
  { title: 'whose variable is a list', query: byName, variables: { name: ['shop'] }, expected: refused },
  { title: 'whose variable is a number', query: byName, variables: { name: 1 }, expected: refused },
  { title: 'whose variable has a lone surrogate', query: byName, variables: { name: '\udfff' }, expected: refused },
  { title: 'whose variable has U+0000', query: byName, variables: { name: 'a\0b' }, expected: refused },
  {
    title: 'whose variable is 1,500 lists deep',
    query: byName,
    variables: { name: nestedList(1_500) },
    expected: refused,
  },
  {
    title: 'with unknown variables 1,500 objects deep',
    query: '{ __typename }',
    variables: { a: nestedInput(1_500) },
    expected: refused,
  },
  {
    title: 'whose input is 50 objects deep',
    query: 'query ($input: PreviewConfigurationInput!) { previewConfiguration(input: $input) { accepted } }',
    variables: { input: nestedInput(50) },
    expected: refused,
  },
  {
    title: 'whose input has an unknown key',
    query: 'query ($input: PreviewConfigurationInput!) { previewConfiguration(input: $input) { accepted } }',
    variables: { input: { repository: { owner: 'acme', name: 'shop' }, yaml: '', constructor: 1 } },
    expected: refused,
  },
  { title: 'whose variable has an unknown type', query: 'query ($a: Nothing) { __typename }', expected: refused },
  { title: 'whose variable has the type of an answer', query: 'query ($a: Viewer) { __typename }', expected: refused },
  { title: 'that names a variable twice', query: 'query ($a: Int, $a: Int) { __typename }', expected: refused },
  {
    title: 'that uses a variable that it does not define',
    query: '{ repository(owner: $owner, name: "shop") { id } }',
    expected: refused,
  },
  {
    title: 'that uses a variable in its own default value',
    query: 'query ($a: Int = $a) { __typename }',
    expected: refused,
  },
];

const directives: readonly HostileDocument[] = [
  { title: 'that skips a field by a text', query: '{ viewer { email @skip(if: "true") } }', expected: refused },
  { title: 'that includes a field without a condition', query: '{ viewer { email @include } }', expected: refused },
  { title: 'that skips everything', query: '{ viewer @skip(if: true) { email } }', expected: served },
  {
    title: 'that skips a field of which it has 101 aliases',
    query: `{ ${many(101, (at) => `a${at}: viewer @skip(if: true) { email }`)} }`,
    expected: refused,
  },
  { title: 'that defers a fragment', query: '{ ... @defer { viewer { email } } }', expected: refused },
  { title: 'that streams a list', query: '{ apiTokens @stream(initialCount: 1) { id } }', expected: refused },
  { title: 'with @deprecated on a field', query: '{ viewer { email @deprecated } }', expected: refused },
  {
    title: 'with a directive on its operation that belongs to the schema',
    query: 'query @specifiedBy(url: "x") { __typename }',
    expected: refused,
  },
];

const operations: readonly HostileDocument[] = [
  {
    title: 'that names no operation of several',
    query: 'query a { __typename } query b { __typename }',
    expected: refused,
  },
  { title: 'that names an unknown operation', query: 'query a { __typename }', operationName: 'b', expected: refused },
  {
    title: 'that names __proto__ as its operation',
    query: 'query a { __typename }',
    operationName: '__proto__',
    expected: refused,
  },
  {
    title: 'with two operations of one name',
    query: 'query a { __typename } query a { __typename }',
    operationName: 'a',
    expected: refused,
  },
  { title: 'that subscribes by HTTP', query: 'subscription { events { cursor } }', expected: refused },
  { title: 'that defines a type', query: 'type Query { a: Int } { __typename }', expected: refused },
  { title: 'that extends the schema', query: 'extend schema @a { __typename }', expected: refused },
  {
    title: 'of a mutation with 101 aliases',
    query: `mutation { ${many(101, (at) => `a${at}: endSession { __typename }`)} }`,
    expected: refused,
  },
  { title: 'that selects nothing', query: '{ viewer { } }', expected: refused },
  { title: 'that selects fields of a text', query: '{ viewer { email { length } } }', expected: refused },
  { title: 'that selects no fields of an object', query: '{ viewer }', expected: refused },
  { title: 'for __proto__', query: '{ __proto__ constructor hasOwnProperty }', expected: refused },
  { title: 'with __proto__ as an alias', query: '{ __proto__: __typename constructor: __typename }', expected: served },
];

export const hostileValues: readonly HostileDocument[] = [...values, ...variables, ...directives, ...operations];
