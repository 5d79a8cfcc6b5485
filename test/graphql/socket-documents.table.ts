// Documents and variables that a hostile client sends over a socket, and what it gets. Each title completes "a socket …".
import { answered, kib, refused, subscribe, viewer, type SocketAbuse } from './socket-abuse.table.ts';

const documents: readonly SocketAbuse[] = [
  ['an empty document', ''],
  ['a document that does not end', 'subscription {'],
  ['a document of 6,000 tokens', `{ ${'viewer { email } '.repeat(1_500)} }`],
  ['a selection 1,600 levels deep', '{ viewer '.repeat(1_600)],
  ['a value 2,000 lists deep', `{ node(id: ${'['.repeat(2_000)}${']'.repeat(2_000)}) { id } }`],
  ['a subscription to two fields', 'subscription { events { cursor } webhookDeliveryChanged { __typename } }'],
  ['a subscription to __typename', 'subscription { __typename }'],
  ['a cycle of fragments', '{ ...a } fragment a on Query { ...a }'],
  ['a hundred and one aliases', `{ ${Array.from({ length: 101 }, (_, at) => `a${at}: viewer { email }`).join(' ')} }`],
  ['only a fragment', 'fragment a on Query { viewer { email } }'],
].map(([what, query]) => ({
  title: `gets an error for ${what}`,
  sends: [subscribe('1', query)],
  answers: refused('1', 'BAD_INPUT'),
}));

const nested = (levels: number): string =>
  JSON.stringify(subscribe('1', viewer, { variables: { a: 'HERE' } })).replace(
    '"HERE"',
    `${'['.repeat(levels)}${']'.repeat(levels)}`,
  );

const variables: readonly SocketAbuse[] = [
  {
    title: 'may send variables of a mebibyte that no operation names',
    sends: [subscribe('1', viewer, { variables: { a: 'x'.repeat(1_000 * kib) } })],
    answers: answered('1'),
  },
  {
    title: 'gets an error for variables 200,000 lists deep',
    sends: [nested(200_000)],
    answers: refused('1', 'BAD_INPUT'),
  },
  {
    title: 'gets an error for a lone surrogate',
    sends: [subscribe('1', viewer, { variables: { a: '\ud800' } })],
    answers: refused('1', 'BAD_INPUT'),
  },
  {
    title: 'gets an error for U+0000',
    sends: [subscribe('1', viewer, { variables: { a: '\0' } })],
    answers: refused('1', 'BAD_INPUT'),
  },
  {
    title: 'cannot change prototypes by its variables',
    sends: [
      '{"type":"subscribe","id":"1","payload":{"query":"{ viewer { email } }","variables":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}',
    ],
    answers: answered('1'),
  },
  {
    title: 'gets an error for an operation that its document lacks',
    sends: [subscribe('1', viewer, { operationName: 'other' })],
    answers: refused('1', 'BAD_INPUT'),
  },
  {
    title: 'gets an error for two operations without a name',
    sends: [subscribe('1', 'query a { viewer { email } } query b { viewer { email } }')],
    answers: refused('1', 'BAD_INPUT'),
  },
];

export const socketDocuments: readonly SocketAbuse[] = [...documents, ...variables];
