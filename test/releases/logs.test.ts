// The output of deployments and builds: stored in pieces, read from the beginning, and followed while it is written.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext, type Context } from '../../src/context.ts';
import { createLogEnds, type ReadLogAfter } from '../../src/graphql/log-ends.ts';
import { followLog } from '../../src/graphql/logs.ts';
import { logOf } from '../../src/modules/releases/logs/run-log.ts';
import { openRunLog } from '../../src/modules/releases/logs/run-log.ts';
import { keptOutput } from '../../src/platform/log-pieces.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { seed } from '../graphql/seed.ts';
import { follow } from '../support/follow.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRelease, type ReleaseRows } from './release-rows.ts';

let s: TestServer;
let ctx: Context;
let rows: ReleaseRows;
beforeAll(async () => {
  s = await startServer();
  ctx = systemContext(s.ports, s.accountId);
  rows = await seedRelease(s, await seed(s));
});
afterAll(async () => await s.close());
beforeEach(async () => {
  await s.rows('delete from deployment_log');
  await s.rows("update deployment set status = 'in_progress'");
});

const kept = async (): Promise<string[]> =>
  (await s.rows<{ text: string }>('select text from deployment_log order by id')).map(({ text }) => text);

describe('storing a log', () => {
  it('makes one piece of output that comes together, and keeps the order', async () => {
    const log = openRunLog(ctx, { deploymentId: rows.deploymentId });
    for (let n = 0; n < 500; n += 1) log.write(`line ${n}\n`);
    await log.close();
    const pieces = await kept();
    expect(pieces.length).toBeLessThan(5);
    expect(pieces.join('')).toBe(Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join(''));
  });

  it('stores output before the run ends', async () => {
    const log = openRunLog(ctx, { candidateId: rows.candidateId });
    log.write('first\n');
    await expect.poll(kept).toEqual(['first\n']);
    log.write('second\n');
    await log.close();
    expect(await kept()).toEqual(['first\n', 'second\n']);
  });

  it('keeps both ends of endless output, says what is left out, and cuts no character', async () => {
    const log = openRunLog(ctx, { deploymentId: rows.deploymentId });
    for (let n = 0; n < 20; n += 1) log.write('ä'.repeat(64 * 1024));
    log.write('It failed.\n');
    await log.close();
    const text = (await kept()).join('');
    const { beginningBytes, endBytes } = keptOutput;
    const [beginning, followed, leftOut, end] = text.split(/\n\[interlock\] (.*)\n/);
    expect(beginning).toBe('ä'.repeat(beginningBytes / 2));
    expect(followed).toBe(
      `More than ${beginningBytes} bytes were written. The end of the output follows once the run has ended.`,
    );
    expect(leftOut).toBe('');
    expect(end).toMatch(/^\d+ bytes are left out here\.$/);
    expect(text.endsWith('äIt failed.\n')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThan(beginningBytes + endBytes + 300);
    expect(text).not.toContain('\u{FFFD}');
  });

  it('cuts no character between two pieces', async () => {
    const log = openRunLog(ctx, { deploymentId: rows.deploymentId });
    const text = `a${'😀'.repeat(100 * 1024)}`;
    log.write(text);
    await log.close();
    expect((await kept()).length).toBeGreaterThan(2);
    expect((await kept()).join('') === text).toBe(true);
  });

  it('replaces characters that PostgreSQL cannot store by U+FFFD', async () => {
    const log = openRunLog(ctx, { deploymentId: rows.deploymentId });
    log.write('a\0b\ud800c');
    await log.close();
    expect(await kept()).toEqual(['a\u{FFFD}b\u{FFFD}c']);
  });

  it('tries again after the database failed, and loses nothing', async () => {
    let failures = 0;
    const db: Context['db'] = {
      ...ctx.db,
      transaction: async (account, work) => {
        if (failures++ === 0) throw new Error('It is down.');
        return await ctx.db.transaction(account, work);
      },
    };
    const log = openRunLog({ ...ctx, db }, { deploymentId: rows.deploymentId });
    log.write('x'.repeat(20_000));
    log.write('y');
    await log.close();
    expect(failures).toBeGreaterThan(1);
    expect((await kept()).join('')).toBe(`${'x'.repeat(20_000)}y`);
  });
});

describe('following a log', () => {
  it('sends the text after the cursor and all later text, and ends with the run', async () => {
    const run = { deploymentId: rows.deploymentId };
    const log = openRunLog(ctx, run);
    log.write('one\n');
    await expect.poll(kept).toHaveLength(1);
    const followed = await followLog(logOf(ctx, run), { after: '0', missing: 'Deployment' });
    const first = (await followed.next()).value;
    expect(first.text).toBe('one\n');
    const later = await followLog(logOf(ctx, run), { after: first.id, missing: 'Deployment' });
    log.write('two\n');
    await log.close();
    expect((await followed.next()).value.text).toBe('two\n');
    await s.rows("update deployment set status = 'success'");
    expect(await followed.next()).toEqual({ value: undefined, done: true });
    const rest: string[] = [];
    for await (const { text } of later) rest.push(text);
    expect(rest).toEqual(['two\n']);
  });

  it('takes one look for all readers at its end, and each reader gets every later piece once', async () => {
    const run = { deploymentId: rows.deploymentId };
    const log = openRunLog(ctx, run);
    log.write('one\n');
    await log.close();
    let looks = 0;
    const read: ReadLogAfter = async (page) => {
      looks += 1;
      return await logOf(ctx, run)(page);
    };
    let now = 0;
    const ends = createLogEnds(() => now);
    // Of the last ten readers, none has a cursor of a piece.
    const cursors = Array.from({ length: 20 }, (_, n) => (n < 10 ? '0' : String(10 ** 12 + n)));
    const readers = await Promise.all(
      cursors.map(
        async (after) => await followLog(read, { after, missing: 'Deployment', readEnd: ends.share('log', read) }),
      ),
    );
    for (const reader of readers.slice(0, 10)) expect((await reader.next()).value.text).toBe('one\n');
    expect(looks).toBe(20);
    const next = readers.map(async (reader) => await reader.next());
    log.write('two\n');
    await log.close();
    now += 1_000;
    const texts = await Promise.all(next.slice(0, 10));
    expect(texts.map(({ value }) => value.text)).toEqual(Array.from({ length: 10 }, () => 'two\n'));
    expect(looks).toBeLessThanOrEqual(24);
    await s.rows("update deployment set status = 'success'");
    now += 1_000;
    await Promise.all(readers.slice(0, 10).map(async (reader) => expect((await reader.next()).done).toBe(true)));
    expect((await Promise.all(next.slice(10))).map(({ done }) => done)).toEqual(Array.from({ length: 10 }, () => true));
    expect(looks).toBeLessThanOrEqual(26);
  });

  it('reads on if more was written between two looks than a look reads', async () => {
    const run = { deploymentId: rows.deploymentId };
    const ends = createLogEnds(() => 0);
    const readEnd = ends.share('log', logOf(ctx, run));
    const options = { missing: 'Deployment', readEnd };
    const [early, late] = [
      await followLog(logOf(ctx, run), { after: '0', ...options }),
      await followLog(logOf(ctx, run), { after: '1', ...options }),
    ];
    await s.rows(
      `insert into deployment_log (account_id, at, deployment_id, text)
       select $1, now(), $2, g.n::text from generate_series(1, 250) g(n) order by g.n`,
      [s.accountId, rows.deploymentId],
    );
    await s.rows("update deployment set status = 'success'");
    for (const reader of [early, late]) {
      const texts: string[] = [];
      for await (const { text } of reader) texts.push(text);
      expect(texts).toEqual(Array.from({ length: 250 }, (_, n) => String(n + 1)));
    }
  });

  it('ends at once when the reader stops, although nothing is written', async () => {
    const followed = await followLog(logOf(ctx, { candidateId: rows.candidateId }), { after: '0', missing: 'Release' });
    const next = followed.next();
    await followed.return?.();
    expect(await next).toEqual({ value: undefined, done: true });
  });
});

it('a log belongs to its account, and another account finds no such run', async () => {
  const stranger = await s.otherAccount('stranger');
  const page = { after: '0', size: 10 };
  const run = { deploymentId: rows.deploymentId };
  const theirs = logOf(systemContext(s.ports, stranger.accountId), run);
  expect(await theirs(page)).toBeNull();
  await expect(followLog(theirs, { after: '0', missing: 'Deployment' })).rejects.toThrow('not found');
});

describe('over GraphQL', () => {
  interface Piece {
    readonly text: string;
    readonly cursor: string;
  }

  it('a log is read page by page, and followed from the last page until the deployment has ended', async () => {
    const id = encodeNodeId('Deployment', rows.deploymentId);
    const log = openRunLog(ctx, { deploymentId: rows.deploymentId });
    for (const text of ['one\n', 'two\n']) {
      log.write(text);
      await log.close();
    }
    const page = 'log(first: $first, after: $after) { nodes { text cursor at } pageInfo { hasNextPage endCursor } }';
    const read = async (after: string | null) => {
      const answer = await s.graphql<{ node: { log: { nodes: Piece[]; pageInfo: { endCursor: string } } } }>(
        `query ($id: ID!, $first: Int, $after: String) { node(id: $id) { ... on Deployment { ${page} } } }`,
        { id, first: 1, after },
      );
      expect(answer.errors).toEqual([]);
      return answer.data.node.log;
    };
    const first = await read(null);
    expect(first).toMatchObject({ nodes: [{ text: 'one\n' }], pageInfo: { hasNextPage: true } });
    const second = await read(first.pageInfo.endCursor);
    expect(second).toMatchObject({ nodes: [{ text: 'two\n' }], pageInfo: { hasNextPage: false } });
    const query =
      'subscription ($id: ID!, $after: String) { deploymentLog(deployment: $id, after: $after) { text cursor } }';
    await using followed = follow<Piece>(s, query, { id, after: first.pageInfo.endCursor });
    expect(await followed.until(1)).toEqual([{ text: 'two\n', cursor: second.pageInfo.endCursor }]);
    log.write('three\n');
    await log.close();
    expect((await followed.until(2))[1]).toMatchObject({ text: 'three\n' });
    await s.rows("update deployment set status = 'failure'");
    await followed.completed;
    expect([followed.payloads.length, followed.errors]).toEqual([2, []]);
  });

  it('a log is read from its end, and back to its beginning', async () => {
    const id = encodeNodeId('Deployment', rows.deploymentId);
    const log = openRunLog(ctx, { deploymentId: rows.deploymentId });
    for (const text of ['1', '2', '3', '4', '5']) {
      log.write(text);
      await log.close();
    }
    const read = async (args: string) => {
      const fields = 'nodes { text } pageInfo { hasNextPage hasPreviousPage startCursor }';
      const answer = await s.graphql<{ node: { log: { nodes: Piece[]; pageInfo: { startCursor: string } } } }>(
        `query ($id: ID!) { node(id: $id) { ... on Deployment { log(${args}) { ${fields} } } } }`,
        { id },
      );
      const [error] = answer.errors;
      if (error) return error;
      const { nodes, pageInfo } = answer.data.node.log;
      return { texts: nodes.map(({ text }) => text).join(''), ...pageInfo };
    };
    const pages: unknown[] = [];
    let before = '';
    for (let n = 0; n < 3; n += 1) {
      const page = await read(`last: 2${before}`);
      const { startCursor, ...rest } = page as { startCursor: string };
      pages.push(rest);
      before = `, before: "${startCursor}"`;
    }
    expect(pages).toEqual([
      { texts: '45', hasNextPage: false, hasPreviousPage: true },
      { texts: '23', hasNextPage: true, hasPreviousPage: true },
      { texts: '1', hasNextPage: true, hasPreviousPage: false },
    ]);
    expect(await read(`last: 2${before}`)).toMatchObject({ texts: '', startCursor: null, hasPreviousPage: false });
    for (const [args, field, message] of [
      ['last: 0', 'last', 'last must be between 1 and 100'],
      ['last: 2, before: "WyJhIl0"', 'before', 'before must be a cursor of this connection'],
      ['before: "WyIxIl0"', 'before', 'before needs last, the number of pieces.'],
      ['last: 2, after: "WyIxIl0"', 'after', 'last and after exclude each other. Use before to go back.'],
    ])
      expect(await read(args ?? '')).toMatchObject({ message, extensions: { code: 'BAD_INPUT', field } });
  });

  it('the log of a build is followed by its project and version', async () => {
    const log = openRunLog(ctx, { candidateId: rows.candidateId });
    log.write('compiling\n');
    await log.close();
    await using followed = follow<Piece>(
      s,
      'subscription { buildLog(project: "shop", version: "shop-1.1-rc2") { text } }',
    );
    expect(await followed.until(1)).toEqual([{ text: 'compiling\n' }]);
    await s.rows("update release_candidate set status = 'ready'");
    await followed.completed;
    const { data } = await s.graphql(
      '{ releaseProject(name: "shop") { releaseCandidate(version: "shop-1.1-rc2") { log { nodes { text } } } } }',
    );
    expect(data).toEqual({ releaseProject: { releaseCandidate: { log: { nodes: [{ text: 'compiling\n' }] } } } });
  });

  it('a cursor of another connection is refused', async () => {
    await using followed = follow(
      s,
      'subscription ($id: ID!) { deploymentLog(deployment: $id, after: "WyJhIl0") { text } }',
      { id: encodeNodeId('Deployment', rows.deploymentId) },
    );
    await followed.until(1);
    expect(followed.errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
  });
});
