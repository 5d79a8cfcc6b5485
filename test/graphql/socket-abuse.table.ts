// What a hostile client sends over a socket, and what it gets. Each title completes "a socket …".
import type { RawSocket } from '../support/raw-socket.ts';

export interface SocketAbuse {
  readonly title: string;
  /** False: the socket does not sign in first. */
  readonly signsIn?: false;
  readonly subprotocol?: string | null;
  /** Text and bytes are sent as they are, a function does what it likes, and everything else becomes JSON. */
  readonly sends: readonly unknown[];
  /** The code and the reason with which the server closes the socket. */
  readonly closes?: readonly [code: number, reason: string];
  /** Whether the client may also lose the connection before it has read the code and the reason. */
  readonly mayLoseReason?: true;
  /** What the server answers on a socket that stays open. */
  readonly answers?: readonly object[];
}

/** The limits of the server in the test. */
export const limits = {
  ofAccount: 8,
  ofAddress: 6,
  operations: 5,
  messagesAtOnce: 100,
  messagesPerSecond: 10,
  unreadBytes: 256 * 1024,
  signInWithinMs: 5_000,
};

export const kib = 1024;
export const viewer = '{ viewer { email } }';
const events = 'subscription { events { cursor } }';
const next = { type: 'next', payload: { data: { viewer: { email: 'service@acme.test' } } } };
const invalid = [4400, 'Invalid message received'] as const;

export function subscribe(id: unknown, query: unknown = events, more: object = {}): object {
  return { type: 'subscribe', id, payload: { query, ...more } };
}

export const answered = (id: string): object[] => [
  { ...next, id },
  { type: 'complete', id },
];
export const refused = (id: string, code: string): object[] => [
  { type: 'error', id, payload: [{ extensions: { code } }] },
];
const times = (count: number, each: unknown): unknown[] => Array.from({ length: count }, () => each);
const frame =
  (send: (raw: RawSocket) => void) =>
  (raw: RawSocket): void =>
    send(raw);
/** Writes bytes below the WebSocket. */
const bytes = (...all: number[]) => frame(({ socket }) => void Reflect.get(socket, '_socket').write(Buffer.from(all)));

const beforeSignIn: readonly SocketAbuse[] = [
  {
    title: 'that subscribes before it signs in is closed',
    signsIn: false,
    sends: [subscribe('1')],
    closes: [4401, 'Unauthorized'],
  },
  {
    title: 'that signs in with no token is closed',
    signsIn: false,
    sends: [{ type: 'connection_init' }],
    closes: [4401, 'Unauthorized'],
  },
  {
    title: 'whose token stands in the prototype of its parameters is closed',
    signsIn: false,
    sends: [
      '{"type":"connection_init","payload":{"__proto__":{"Authorization":"Bearer x"},"constructor":{},"toString":1}}',
    ],
    closes: [4401, 'Unauthorized'],
  },
  {
    title: 'whose token is a list is closed',
    signsIn: false,
    sends: [{ type: 'connection_init', payload: { Authorization: ['Bearer x'] } }],
    closes: [4401, 'Unauthorized'],
  },
  {
    title: 'whose parameters are a list is closed',
    signsIn: false,
    sends: [{ type: 'connection_init', payload: [] }],
    closes: invalid,
  },
  {
    title: 'that does not sign in in time is closed',
    signsIn: false,
    sends: [],
    closes: [4408, 'Connection initialisation timeout'],
  },
  {
    title: 'that signs in twice at once is closed',
    signsIn: false,
    sends: times(2, { type: 'connection_init' }),
    closes: [4429, 'Too many initialisation requests'],
  },
  {
    title: 'without a subprotocol is closed',
    signsIn: false,
    subprotocol: null,
    sends: [],
    closes: [4406, 'Subprotocol not acceptable'],
  },
  {
    title: 'of the old subprotocol is closed',
    signsIn: false,
    subprotocol: 'graphql-ws',
    sends: [],
    closes: [4406, 'Subprotocol not acceptable'],
  },
  {
    title: 'may ping before it signs in',
    signsIn: false,
    sends: [{ type: 'ping', payload: { at: 1 } }],
    answers: [{ type: 'pong', payload: { at: 1 } }],
  },
];

const messages: readonly SocketAbuse[] = [
  {
    title: 'that signs in again is closed',
    sends: [{ type: 'connection_init' }],
    closes: [4429, 'Too many initialisation requests'],
  },
  {
    title: 'that sends a message of an unknown type is closed',
    sends: [{ type: 'subscribes', id: '1' }],
    closes: invalid,
  },
  { title: 'that sends a message without a type is closed', sends: [{}], closes: invalid },
  {
    title: 'that sends a message of a server is closed',
    sends: [{ type: 'next', id: '1', payload: {} }],
    closes: invalid,
  },
  { title: 'that sends broken JSON is closed', sends: ['{"type":'], closes: invalid },
  { title: 'that sends an empty message is closed', sends: [''], closes: invalid },
  { title: 'that sends a list of messages is closed', sends: [[subscribe('1')]], closes: invalid },
  { title: 'that sends null is closed', sends: ['null'], closes: invalid },
  { title: 'that sends 500,000 brackets is closed', sends: ['['.repeat(500_000)], closes: invalid },
  { title: 'that sends binary data is closed', sends: [Buffer.from(JSON.stringify(subscribe('1')))], closes: invalid },
  { title: 'that sends more than a mebibyte is closed', sends: [' '.repeat(kib * kib + 1)], closes: [1009, ''] },
  {
    title: 'that sends more than a mebibyte in fragments is closed',
    sends: [
      frame(({ socket }) =>
        times(65, ' '.repeat(16 * kib)).forEach((part) => socket.send(part as string, { fin: false })),
      ),
    ],
    closes: [1009, ''],
  },
  {
    title: 'that sends text that is not UTF-8 is closed',
    sends: [frame(({ socket }) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }))],
    closes: [1007, ''],
  },
  {
    title: 'that sends a frame without a mask is closed',
    sends: [frame(({ socket }) => socket.send('{}', { mask: false }))],
    closes: [1002, ''],
  },
  {
    title: 'that sends a frame with a reserved bit is closed',
    sends: [bytes(0xc1, 0x80, 0, 0, 0, 0)],
    closes: [1002, ''],
  },
  {
    title: 'that sends a ping frame of 126 bytes is closed',
    sends: [bytes(0x89, 0xfe, 0, 126, 0, 0, 0, 0)],
    closes: [1002, ''],
  },
];

const operations: readonly SocketAbuse[] = [
  ...[1, null, '', ['1'], { a: 1 }].map((id) => ({
    title: `that subscribes with the id ${JSON.stringify(id)} is closed`,
    sends: [subscribe(id)],
    closes: invalid,
  })),
  ...[1, null, [events], { kind: 'Document' }].map((query) => ({
    title: `whose query is ${JSON.stringify(query)} is closed`,
    sends: [subscribe('1', query)],
    closes: invalid,
  })),
  {
    title: 'whose variables are a list is closed',
    sends: [subscribe('1', viewer, { variables: [] })],
    closes: invalid,
  },
  {
    title: 'whose operation name is a number is closed',
    sends: [subscribe('1', viewer, { operationName: 1 })],
    closes: invalid,
  },
  {
    title: 'whose extensions are a list is closed',
    sends: [subscribe('1', viewer, { extensions: [] })],
    closes: invalid,
  },
  { title: 'whose payload is a list is closed', sends: [{ type: 'subscribe', id: '1', payload: [] }], closes: invalid },
  {
    title: 'that uses an id twice is closed',
    sends: [subscribe('1'), subscribe('1')],
    closes: [4409, 'Subscriber for 1 already exists'],
  },
  {
    title: 'that uses a long id twice is closed with a shortened reason',
    sends: times(2, subscribe('é'.repeat(256))),
    closes: [4409, `Subscriber for ${'é'.repeat(54)}`],
  },
  {
    title: 'with an id of more than 256 characters is closed',
    sends: [subscribe('x'.repeat(257))],
    closes: [4400, 'The id of an operation may have at most 256 characters'],
  },
  {
    title: 'that completes an unknown id stays open',
    sends: [
      { type: 'complete', id: 'x' },
      { type: 'complete', id: '__proto__' },
    ],
    answers: [],
  },
  { title: 'may use __proto__ as an id', sends: [subscribe('__proto__', viewer)], answers: answered('__proto__') },
  {
    title: 'may use constructor as an id',
    sends: [subscribe('constructor', viewer)],
    answers: answered('constructor'),
  },
  {
    title: 'gets an error for each subscription above the limit',
    sends: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => subscribe(id)),
    answers: [...refused('f', 'RATE_LIMITED'), ...refused('g', 'RATE_LIMITED')],
  },
  {
    title: 'that completes and repeats a subscription at once cannot exceed the limit',
    sends: [...times(5, [subscribe('a'), { type: 'complete', id: 'a' }]).flat(), subscribe('z')],
    answers: refused('z', 'RATE_LIMITED'),
  },
  {
    title: 'that repeats a completed id at once leaves nothing behind',
    sends: [subscribe('a'), { type: 'complete', id: 'a' }, subscribe('a')],
    answers: [],
  },
  { title: 'has its queries answered', sends: [subscribe('1', viewer)], answers: answered('1') },
  {
    title: 'has its mutations refused without the scope',
    sends: [subscribe('1', 'mutation { createApiToken(input: {name: "x", scopes: [ADMIN]}) { token } }')],
    answers: [
      { type: 'next', id: '1', payload: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } },
      { type: 'complete', id: '1' },
    ],
  },
];

const floods: readonly SocketAbuse[] = [
  {
    title: 'that floods with pings of the protocol is closed',
    sends: times(200, { type: 'ping' }),
    closes: [4429, 'Too many messages'],
  },
  {
    title: 'that floods with ping frames is closed',
    sends: times(
      200,
      frame(({ socket }) => socket.ping()),
    ),
    closes: [4429, 'Too many messages'],
    mayLoseReason: true,
  },
  {
    title: 'that floods with pong frames is closed',
    sends: times(
      200,
      frame(({ socket }) => socket.pong()),
    ),
    closes: [4429, 'Too many messages'],
  },
  {
    title: 'that floods with documents is closed',
    sends: Array.from({ length: 200 }, (_, at) => subscribe(String(at), '{')),
    closes: [4429, 'Too many messages'],
  },
  {
    title: 'that sends and does not read is closed',
    sends: [
      frame(({ socket }) => socket.pause()),
      ...times(60, { type: 'ping', payload: { a: 'x'.repeat(900 * kib) } }),
      frame(({ socket }) => socket.resume()),
    ],
    closes: [1006, ''],
  },
];

/** The documents that a socket sends are in socket-documents.table.ts. */
export const socketAbuses: readonly SocketAbuse[] = [...beforeSignIn, ...messages, ...operations, ...floods];
