// The secret of a provider is given once, and is nowhere afterwards: in no row, event, log or webhook, although the
// provider repeats it.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { webhookBody, type RecordedEvent } from '../../src/domain/events/webhook-body.ts';
import { releaseWorld, type ReleaseWorld } from '../support/release-world.ts';
import { receiver } from '../webhooks/receiver.ts';

const canary = 'canary-7c1f50e2';
const spellings = [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64').slice(0, 18)];

/** All lines of the log of the service from now on. */
function listen({ w }: ReleaseWorld): string[] {
  const lines: string[] = [];
  w.ctx.log.level = 'trace';
  Reflect.set(w.ctx.log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) });
  return lines;
}

async function rowsContaining({ w }: ReleaseWorld): Promise<string[]> {
  const tables = await w.rows<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1",
  );
  expect(tables.length).toBeGreaterThan(50);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await w.rows<{ row: string }>(`select t::text as row from ${name} t`).catch(() => []);
    found.push(
      ...rows.filter(({ row }) => spellings.some((each) => row.includes(each))).map(({ row }) => `${name}: ${row}`),
    );
  }
  return found;
}

async function webhooksThatTell({ w }: ReleaseWorld): Promise<string[]> {
  const events = await w.rows<RecordedEvent>('select action, payload from event');
  const bodies = events.map((event) => JSON.stringify(webhookBody(event, w.repository)));
  expect(bodies.some((body) => body.includes('deployment_'))).toBe(true);
  return bodies.filter((body) => spellings.some((each) => body.includes(each)));
}

it('the secret of a command that prints it and then fails is nowhere', async () => {
  const command =
    'echo "with $DEPLOYMENT_SECRET"; echo "no entry for $DEPLOYMENT_SECRET" >&2; test "$ENVIRONMENT" = staging';
  const provider = { kind: 'command', command, secret: canary, timeoutSec: 20 } as const;
  await using r = await releaseWorld({ provider, build: { ...provider, command: 'echo "$DEPLOYMENT_SECRET"' } });
  const lines = listen(r);
  await r.candidate('v1-rc1', { built: true });
  await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
  const id = await r.deploy('v1-rc1');
  await r.become('v1-rc1 failure');
  expect(await r.log({ deployment: id })).toMatch(
    /^with \*\*\*\nno entry for \*\*\*\n\[interlock\] Exited with code 1/,
  );
  expect(await r.log({ candidate: 'v1-rc1' })).toMatch(/^\*\*\*\n/);
  expect((await r.deployments())[0]?.error_message).toMatch(/no entry for \*\*\*$/);
  expect(await rowsContaining(r)).toEqual([]);
  expect(await webhooksThatTell(r)).toEqual([]);
  expect(lines.filter((line) => line.includes(canary))).toEqual([]);
});

it('the secret of an HTTP provider that returns it is nowhere', async () => {
  await using cd = await receiver();
  await using r = await releaseWorld({ provider: { kind: 'http', url: cd.url, statusUrl: cd.url, secret: canary } });
  const lines = listen(r);
  await r.candidate('v1-rc1');
  await r.candidate('v2-rc1');
  cd.answer(({ json }) =>
    json['action'] === 'start'
      ? { status: 200 }
      : { status: 200, body: JSON.stringify({ status: 'failure', message: `bad key ${canary}` }) },
  );
  await r.deploy('v1-rc1');
  await r.become('v1-rc1 failure');
  expect((await r.deployments())[0]?.error_message).toBe('bad key ***');
  cd.answer(() => ({ status: 403, body: `bad key ${canary}` }));
  await r.deploy('v2-rc1');
  await r.become('v1-rc1 failure', 'v2-rc1 error');
  expect(cd.received.flatMap(({ headers, body }) => [JSON.stringify(headers), body.toString()]).join()).not.toContain(
    canary,
  );
  expect(await rowsContaining(r)).toEqual([]);
  expect(await webhooksThatTell(r)).toEqual([]);
  expect(lines.filter((line) => line.includes(canary))).toEqual([]);
});
