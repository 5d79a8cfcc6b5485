// The worker with the preview is another process with another IP address. The server shares only the database with it,
// and forwards requests to the preview.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pino } from 'pino';
import { createEventHub } from '../../src/modules/events/index.ts';
import { startServer } from '../../src/server.ts';
import { startEngine } from '../support/engine.ts';
import { world } from '../support/world.ts';
import { sandboxOf, skillPath, verificationsOf } from './verification-world.ts';

/**
 * Answers `/wait` only after another request has arrived. So the verification waits until this test has visited the
 * app.
 */
const app = `
  const came = Promise.withResolvers();
  require('node:http').createServer((request, response) => {
    if (request.url === '/wait') return void came.promise.then(() => response.end('somebody came'));
    came.resolve();
    response.end('Welcome to ' + process.env.PREVIEW_URL);
  }).listen(Number(process.env.PORT), '127.0.0.1');
`;

it('the server shows a preview of another machine, only at its own address, and the verification continues', async () => {
  await using w = await world({ runsCi: false, wake: async () => {} });
  await using v = verificationsOf(w, async (isSo) => {
    const deadline = performance.now() + 90_000;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error('The condition did not come true in time.');
      await delay(50);
    }
  });
  const hub = createEventHub({ db: w.service.ports.db, log: pino({ level: 'silent' }) });
  const server = await startServer({ ports: w.service.ports, secrets: w.secrets, hub, port: 0, host: '127.0.0.1' });
  try {
    const { databaseUrl, dataDir, secrets } = w;
    await using _engine = await startEngine({ mode: 'loop', databaseUrl, dataDir, secrets }, undefined, {
      PREVIEW_ADDRESS: '127.0.0.2',
    });
    await v.image('node', { kind: 'command', source: 'true' });
    await v.verify(sandboxOf());
    const number = await v.open('feature', {
      'app.cjs': app,
      '.service/scripts/preview-setup.sh': 'node app.cjs &\n',
      [skillPath]: '## Home\n\n- `GET /wait`\n  - expect body contains `somebody came`\n',
    });
    await v.comesTo(number, 'driving');
    const [row] = await v.rows<{ slug: string; address: string; way_key: Buffer }>(
      'select slug, address, way_key from preview_sandbox',
    );
    expect(row?.address).toMatch(/^tcp:127\.0\.0\.2:\d+$/);

    const ask = async (host: string): Promise<{ status: number | undefined; said: string }> => {
      const [answer] = (await once(request(server.url, { headers: { host }, agent: false }).end(), 'response')) as [
        IncomingMessage,
      ];
      return { status: answer.statusCode, said: await text(answer) };
    };
    expect(await ask('nobody.preview.localhost')).toMatchObject({ status: 404 });
    const host = `${row?.slug}.preview.localhost:4000`;
    expect(await ask(host)).toEqual({ status: 200, said: `Welcome to http://${host}` });

    const passed = await v.comesTo(number, 'passed');
    expect(passed.steps).toEqual(['passed Home: `GET /wait`']);
    const gone = async (): Promise<boolean> => (await ask(host)).status === 410;
    await expect.poll(gone).toBe(true);
    expect(await v.rows('select state, address, way_key from preview_sandbox')).toEqual([
      { state: 'gone', address: null, way_key: null },
    ]);
  } finally {
    await server.close();
    await hub.close();
  }
});
