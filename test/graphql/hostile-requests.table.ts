// Hostile HTTP requests to /graphql, and how they are answered. Each title completes "a request …".
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Expected } from './hostile-documents.table.ts';

export interface HostileRequest {
  readonly title: string;
  readonly method?: string;
  /** What follows /graphql in the target. */
  readonly search?: string;
  /** Left out: application/json. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly expected: Expected;
}

const query = '{ viewer { email } }';
const good = JSON.stringify({ query });
const refused: Expected = [400, 'BAD_INPUT'];
const served: Expected = [200, null];
const asked = `?query=${encodeURIComponent(query)}`;
const mutation = 'mutation { createApiToken(input: {name: "x", scopes: [ADMIN]}) { token } }';
const preflighted = { 'apollo-require-preflight': 'true' };

const bodies: readonly HostileRequest[] = [
  { title: 'with a list of requests', body: `[${good},${good}]`, expected: refused },
  {
    title: 'with 10,000 requests in a list',
    body: `[${Array.from({ length: 10_000 }, () => good).join()}]`,
    expected: refused,
  },
  { title: 'with an empty list', body: '[]', expected: refused },
  { title: 'with null', body: 'null', expected: refused },
  { title: 'with a text', body: '"{ viewer { email } }"', expected: refused },
  { title: 'with an empty object', body: '{}', expected: refused },
  { title: 'with an empty body', body: '', expected: [400, null] },
  { title: 'with broken JSON', body: '{"query":', expected: [400, null] },
  { title: 'with 5,000,000 brackets', body: '['.repeat(5_000_000), expected: [400, null] },
  {
    title: 'with variables 200,000 lists deep',
    body: `{"query":"{ __typename }","variables":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
    expected: refused,
  },
  {
    title: 'with variables 200,000 objects deep',
    body: `{"query":"{ __typename }","variables":{"a":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}}`,
    expected: refused,
  },
  {
    title: 'with extensions 200,000 lists deep',
    body: `{"query":"{ __typename }","extensions":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
    expected: served,
  },
  {
    title: 'with 100,000 variables that the document does not name',
    body: JSON.stringify({
      query,
      variables: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`v${at}`, at])),
    }),
    expected: served,
  },
  { title: 'with the key query twice', body: `{"query":"{ nothing }","query":"${query}"}`, expected: served },
  {
    title: 'with __proto__ in its body',
    body: `{"query":"${query}","__proto__":{"polluted":1}}`,
    expected: [400, null],
  },
  {
    title: 'with __proto__ in its variables',
    body: `{"query":"${query}","variables":{"__proto__":{"polluted":1}}}`,
    expected: [400, null],
  },
  {
    title: 'with constructor.prototype in its variables',
    body: `{"query":"${query}","variables":{"constructor":{"prototype":{"polluted":1}}}}`,
    expected: [400, null],
  },
  {
    title: 'whose query is a parsed document',
    body: '{"query":{"kind":"Document","definitions":[]}}',
    expected: refused,
  },
  { title: 'whose query is a list', body: '{"query":["{ __typename }"]}', expected: refused },
  { title: 'whose variables are a list', body: `{"query":"${query}","variables":[]}`, expected: refused },
  { title: 'whose variables are JSON in a text', body: `{"query":"${query}","variables":"{}"}`, expected: refused },
  { title: 'whose operation name is an object', body: `{"query":"${query}","operationName":{}}`, expected: refused },
  {
    title: 'of a persisted query with a wrong digest',
    body: `{"query":"${query}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}`,
    expected: refused,
  },
  {
    title: 'of a persisted query that nobody stored',
    body: '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}',
    expected: [200, 'PERSISTED_QUERY_NOT_FOUND'],
  },
  {
    title: 'of a persisted query of another version',
    body: '{"extensions":{"persistedQuery":{"version":{},"sha256Hash":[]}}}',
    expected: refused,
  },
  {
    title: 'with invalid UTF-8',
    body: Buffer.concat([Buffer.from('{"query":"{ __typename # '), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
    expected: refused,
  },
  {
    title: 'with a body of more than 20 MiB',
    body: `{"query":"${'#'.repeat(20 * 1024 * 1024)}"}`,
    expected: [413, null],
  },
];

const types: readonly HostileRequest[] = [
  { title: 'without a content type', headers: { 'content-type': '' }, body: good, expected: [415, null] },
  {
    title: 'of plain text, as a form of another site sends it',
    headers: { 'content-type': 'text/plain' },
    body: good,
    expected: refused,
  },
  {
    title: 'of a form',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: asked.slice(1),
    expected: [415, null],
  },
  {
    title: 'of several parts',
    headers: { 'content-type': 'multipart/form-data; boundary=a' },
    body: '--a--',
    expected: [415, null],
  },
  {
    title: 'of application/graphql',
    headers: { 'content-type': 'application/graphql' },
    body: query,
    expected: [415, null],
  },
  {
    title: 'of XML',
    headers: { 'content-type': 'application/xml' },
    body: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    expected: [415, null],
  },
  {
    title: 'of JSON in UTF-16',
    headers: { 'content-type': 'application/json; charset=utf-16' },
    body: Buffer.from(good, 'utf16le'),
    expected: [400, null],
  },
  {
    title: 'of a bomb in gzip',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')),
    expected: [415, null],
  },
  {
    title: 'of a bomb in brotli',
    headers: { 'content-encoding': 'br' },
    body: brotliCompressSync(Buffer.alloc(1024 * 1024, ' ')),
    expected: [415, null],
  },
  { title: 'that accepts only XML', headers: { accept: 'application/xml' }, body: good, expected: [406, 'BAD_INPUT'] },
  {
    title: 'that accepts 1,000 types',
    headers: { accept: Array.from({ length: 1_000 }, (_, at) => `a/b${at}`).join() },
    body: good,
    expected: [406, 'BAD_INPUT'],
  },
];

const methods: readonly HostileRequest[] = [
  { title: 'by GET, as a page of another site can send it', method: 'GET', search: asked, expected: refused },
  {
    title: 'by GET with a header that only scripts can set',
    method: 'GET',
    search: asked,
    headers: preflighted,
    expected: served,
  },
  {
    title: 'by GET for a mutation',
    method: 'GET',
    search: `?query=${encodeURIComponent(mutation)}`,
    headers: preflighted,
    expected: [405, 'BAD_INPUT'],
  },
  {
    title: 'by GET for a subscription',
    method: 'GET',
    search: `?query=${encodeURIComponent('subscription { events { cursor } }')}`,
    headers: preflighted,
    expected: [405, 'BAD_INPUT'],
  },
  {
    title: 'by GET with two queries',
    method: 'GET',
    search: `${asked}&query=x`,
    headers: preflighted,
    expected: refused,
  },
  {
    title: 'by GET with broken variables',
    method: 'GET',
    search: `${asked}&variables={`,
    headers: preflighted,
    expected: refused,
  },
  {
    title: 'by GET with a list as variables',
    method: 'GET',
    search: `${asked}&variables=[]`,
    headers: preflighted,
    expected: refused,
  },
  {
    title: 'by GET with a broken escape',
    method: 'GET',
    search: '?query=%E0%A4%A',
    headers: preflighted,
    expected: refused,
  },
  { title: 'by GET without a query', method: 'GET', headers: preflighted, expected: refused },
  { title: 'by PUT', method: 'PUT', body: good, expected: [404, null] },
  { title: 'by OPTIONS', method: 'OPTIONS', headers: { 'content-type': '' }, expected: [404, null] },
  { title: 'to a host that is no name', headers: { host: 'a b' }, body: good, expected: [400, null] },
  { title: 'to a host in a broken bracket', headers: { host: '[' }, body: good, expected: [400, null] },
  { title: 'that overrides its method', headers: { 'x-http-method-override': 'DELETE' }, body: good, expected: served },
  {
    title: 'with an Idempotency-Key of 10,000 characters',
    headers: { 'idempotency-key': 'x'.repeat(10_000) },
    body: JSON.stringify({ query: mutation }),
    expected: refused,
  },
];

export const hostileRequests: readonly HostileRequest[] = [...bodies, ...types, ...methods];
