// Pushes that no git client sends: each gets an answer with git's message, or is refused.
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import Fastify, { type FastifyInstance } from 'fastify';
import { defaultPushBounds } from '../../src/domain/runs/push-bounds.ts';
import { registerGitHttp } from '../../src/hosts/local/index.ts';
import { ProtocolError, readPacket } from '../../src/hosts/local/pkt-line.ts';
import { formatPushRequest, parsePushRequest, type PushRequest } from '../../src/hosts/local/push-request.ts';
import { fc } from '../support/properties.ts';
import { localWorld, type LocalWorld } from './local-world.ts';

const zero = '0'.repeat(40);
const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');

/** Makes a packet: the payload after its length, or after other digits instead of the length. */
function framed(payload: Buffer, digits?: string): Buffer {
  const length = digits ?? (payload.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(length, 'latin1'), payload]);
}

const goodIds = [zero, 'a'.repeat(40)];
const goodRefs = ['refs/heads/topic', 'refs/heads/ä🚀', 'refs/tags/v1'];
const refusedRefs = [
  'refs/heads/main',
  'refs/heads/release',
  'refs/heads/mq-bot-1',
  'refs/interlock/landings/1',
  'refs/heads/../main',
  'refs/heads/a b',
  'HEAD',
  `refs/heads/${'x'.repeat(300)}`,
];
const goodCapabilities = [
  'report-status',
  'report-status-v2',
  'side-band-64k',
  'atomic',
  'delete-refs',
  'agent=git/2.47',
];
const oddCapabilities = ['side-band', 'push-options', 'push-cert=1', 'object-format=sha1', 'object-format=sha256'];

const pack = fc.oneof(
  fc.constantFrom(Buffer.alloc(0), emptyPack, emptyPack.subarray(0, 9)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

/** The body of a push in the frame of a client, with refs and capabilities that may be refused. */
const framedBody = fc
  .record({
    refs: fc.uniqueArray(fc.constantFrom(...goodRefs, ...refusedRefs), { minLength: 1, maxLength: 4 }),
    ids: fc.array(fc.constantFrom(...goodIds), { minLength: 8, maxLength: 8 }),
    words: fc.uniqueArray(fc.constantFrom(...goodCapabilities, ...goodCapabilities, ...oddCapabilities)),
    objects: pack,
  })
  .map(({ refs, ids, words, objects }) =>
    Buffer.concat([
      ...refs.map((name, at) =>
        framed(Buffer.from(`${ids[2 * at]} ${ids[2 * at + 1]} ${name}${at === 0 ? `\0 ${words.join(' ')}` : ''}`)),
      ),
      Buffer.from('0000'),
      objects,
    ]),
  );

const id = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...goodIds) },
  { weight: 1, arbitrary: fc.constantFrom('A'.repeat(40), 'a'.repeat(39), 'a'.repeat(64), '') },
);
const ref = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...goodRefs, ...refusedRefs).map((name) => Buffer.from(name)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('a\nb', 'x'.repeat(4200), 'x'.repeat(65_400))
      .map((name) => Buffer.from(`refs/heads/${name}`)),
  },
);
const capability = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...goodCapabilities, ...oddCapabilities) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(10_000, 65_000).map((length) => 'y'.repeat(length)) },
);
const command = fc
  .tuple(id, id, ref, fc.option(fc.uniqueArray(capability, { maxLength: 6 }), { nil: null }))
  .map(([from, to, name, words]) =>
    Buffer.concat([
      Buffer.from(`${from} ${to} `),
      name,
      Buffer.from(words === null ? '' : `\0 ${words.join(' ')}`),
    ]).subarray(0, 65_531),
  );
const line = fc.oneof(
  { weight: 20, arbitrary: command },
  {
    weight: 2,
    arbitrary: fc.constantFrom(`shallow ${'b'.repeat(40)}`, 'shallow ', 'push-cert\0').map((text) => Buffer.from(text)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
);
const wrongDigits = fc.constantFrom('0000', '0001', '0003', '0004', 'ffff', 'fff0', '00g0', '-001', '1 23');
const piece = fc.oneof(
  { weight: 20, arbitrary: line.map((payload) => framed(payload)) },
  { weight: 1, arbitrary: fc.tuple(line, wrongDigits).map(([payload, digits]) => framed(payload, digits)) },
);
const end = fc.oneof({ weight: 12, arbitrary: fc.constant('0000') }, { weight: 1, arbitrary: wrongDigits });

/** Bodies with faults of every kind: in digits, ids, names, capabilities and lengths. */
const faultyBody = fc
  .tuple(fc.array(piece, { maxLength: 4 }), end, pack)
  .map(([pieces, flush, objects]) => Buffer.concat([...pieces, Buffer.from(flush), objects]));

/** The body of a push with one changed byte. */
const flippedBody = fc.tuple(framedBody, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([bytes, at, by]) => {
  const flipped = Buffer.from(bytes);
  const place = at % flipped.length;
  flipped[place] = (flipped[place] ?? 0) ^ by;
  return flipped;
});
const body = fc.oneof(framedBody, faultyBody, flippedBody);

/** Reads the request. Returns a text if it is incomplete or refused. Any other error fails the test. */
function read(bytes: Buffer): PushRequest | string {
  try {
    return parsePushRequest(bytes) ?? 'incomplete';
  } catch (error) {
    if (error instanceof ProtocolError) return error.message;
    throw error;
  }
}

describe('the head of a push', () => {
  test('is read, or refused with a message, and its packets for git have the same meaning', () => {
    fc.assert(
      fc.property(body, (bytes) => {
        const request = read(bytes);
        if (typeof request === 'string') return;
        const again = formatPushRequest(request, request.commands);
        // In these packets, shallow lines come first, and capabilities are with the first command.
        expect(parsePushRequest(again)).toEqual({
          ...request,
          capabilities: request.commands.length === 0 ? [] : request.capabilities,
          packAt: again.length,
        });
        for (const { from, to, ref: name } of request.commands) {
          expect([from, to].join(' ')).toMatch(/^[0-9a-f]{40} [0-9a-f]{40}$/);
          expect(bytes.includes(Buffer.from(name))).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('is the same, however little of it was read first', () => {
    fc.assert(
      fc.property(body, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, share) => {
        const first = read(bytes.subarray(0, Math.floor(share * bytes.length)));
        expect(['incomplete', read(bytes)]).toContainEqual(first);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a push over HTTP', () => {
  let world: LocalWorld;
  let server: FastifyInstance;
  let url: string;
  let base: string;

  beforeAll(async () => {
    world = await localWorld();
    base = world.commit({ branch: 'main', files: { 'a.txt': 'a\n' } });
    server = Fastify();
    await registerGitHttp(server, {
      host: world.host,
      authenticateBrowser: async () => await Promise.resolve(null),
      authenticate: async () => ({
        accountId: world.repository.accountId,
        userId: '1',
        handle: 'ada',
        email: null,
        mayConfigure: true,
      }),
      resolve: async () => world.repository,
      isManaged: (_repository, branch) => branch === 'release',
      refusePush: async () => null,
      describePush: async () => [],
      spend: () => ({ isAllowed: true, headers: new Map() }),
      bounds: { ...defaultPushBounds, freeBytes: 0 },
    });
    const origin = await server.listen({ port: 0, host: '127.0.0.1' });
    url = `${origin}/git/acme/shop.git/git-receive-pack`;
  });
  afterAll(async () => {
    await server.close();
    await world.close();
  });

  async function push(bytes: Buffer): Promise<{ readonly status: number; readonly answer: Buffer }> {
    const response = await fetch(url, {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { authorization: 'Bearer t', 'content-type': 'application/x-git-receive-pack-request' },
    });
    return { status: response.status, answer: Buffer.from(await response.arrayBuffer()) };
  }

  /** The payloads up to the end. Every byte must belong to one. */
  function payloadsOf(answer: Buffer): Buffer[] {
    const payloads: Buffer[] = [];
    for (let at = 0; at < answer.length; ) {
      const next = readPacket(answer, at);
      if (next === null) throw new Error('The answer ends within a packet');
      if (next.kind === 'data') payloads.push(next.payload);
      at = next.end;
    }
    return payloads;
  }

  function reportOf(answer: Buffer, words: readonly string[]): string[] {
    const payloads = payloadsOf(answer);
    const report = words.includes('side-band-64k')
      ? payloadsOf(Buffer.concat(payloads.filter(([band]) => band === 1).map((payload) => payload.subarray(1))))
      : payloads;
    return report.map((payload) => payload.toString('utf8'));
  }

  const isAsked = (words: readonly string[]): boolean =>
    words.includes('report-status') || words.includes('report-status-v2');

  test('is answered for each of its refs or refused, and moves no ref that it may not move', async () => {
    const kinds = { refused: 0, reported: 0, silent: 0 };
    await fc.assert(
      fc.asyncProperty(body, async (bytes) => {
        const { status, answer } = await push(bytes);
        const request = read(bytes);
        expect([status, world.git('for-each-ref', '--format=%(refname) %(objectname)')]).toEqual([
          typeof request === 'string' ? 400 : 200,
          `refs/heads/main ${base}`,
        ]);
        if (typeof request === 'string') return void (kinds.refused += 1);
        if (request.commands.length === 0 || !isAsked(request.capabilities)) {
          expect(answer.length).toBe(0);
          kinds.silent += 1;
          return;
        }
        const [unpack, ...lines] = reportOf(answer, request.capabilities);
        expect(unpack).toMatch(/^unpack /);
        expect(lines.map((entry) => /^(?:ok|ng) (\S+)/.exec(entry)?.[1]).sort()).toEqual(
          request.commands.map(({ ref: name }) => name.split(' ')[0]).sort(),
        );
        kinds.reported += 1;
      }),
      { numRuns: 100 },
    );
    // Each of the three kinds occurred.
    expect(Math.min(...Object.values(kinds)), JSON.stringify(kinds)).toBeGreaterThan(5);
  });

  test.each([
    [
      'a packet of five digits',
      [
        `${zero} ${'a'.repeat(40)} refs/heads/${'x'.repeat(240)}`,
        `${zero} ${zero} refs/heads/b\0${'y'.repeat(65_400)}`,
      ],
    ],
    ['the same ref twice', [`${zero} ${zero} refs/heads/b`, `${zero} ${'a'.repeat(40)} refs/heads/b`]],
    ['a name that no answer could hold', [`${zero} ${zero} refs/heads/${'x'.repeat(65_400)}\0report-status`]],
  ])('that would need %s is refused', async (_what, lines) => {
    const bytes = Buffer.concat([...lines.map((each) => framed(Buffer.from(each))), Buffer.from('0000')]);
    expect((await push(bytes)).status).toBe(400);
  });

  test('with a name that is not UTF-8 is refused, and moves no other ref', async () => {
    const name = Buffer.concat([
      Buffer.from(`${zero} ${base} refs/heads/`),
      Buffer.from([0xff]),
      Buffer.from('\0 report-status'),
    ]);
    const { status, answer } = await push(Buffer.concat([framed(name), Buffer.from('0000'), emptyPack]));
    expect([status, answer.toString()]).toEqual([400, 'The names of refs in a push must be UTF-8\n']);
    expect(world.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });
});
