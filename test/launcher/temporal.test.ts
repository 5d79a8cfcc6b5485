import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { prepareNamespace, searchAttributes, startTemporal, startTestServer } from '../../src/launcher/temporal.ts';
import { processesWith, runProgram, temporaryDirectory } from './processes.ts';

const options = { namespace: 'interlock', searchAttributes, log: () => undefined };

async function connect(address: string): Promise<Client> {
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  return new Client({ connection, namespace: 'interlock' });
}

test('a started server is ready with its namespace, its search attributes and its UI', async () => {
  const server = await startTemporal({ ...options, dataDir: await temporaryDirectory() });
  onTestFinished(() => server.stop());
  const client = await connect(server.address);
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace: 'interlock' });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
  expect((await fetch(server.uiUrl)).status).toBe(200);
});

test('after kill -9 of its parent, the next start has every workflow, at the same address', async () => {
  const dataDir = await temporaryDirectory();
  const { child, said } = await runProgram('hold-temporal', [dataDir]);
  const before = await connect(String(said['address']));
  await before.workflow.start('queue', {
    workflowId: 'queue:1:1',
    taskQueue: 'nobody',
    searchAttributes: { RunbookNumber: [7] },
  });
  child.kill('SIGKILL');
  await vi.waitUntil(async () => (await processesWith(dataDir)).length === 0, { timeout: 60_000 });

  const next = await startTemporal({ ...options, dataDir });
  onTestFinished(() => next.stop());
  expect([next.address, next.uiUrl]).toEqual([said['address'], said['uiUrl']]);
  const after = await connect(next.address);
  const description = await after.workflow.getHandle('queue:1:1').describe();
  expect(description.status.name).toBe('RUNNING');
});

test('a start right after kill -9 waits until the old server has ended', async () => {
  const dataDir = await temporaryDirectory();
  const { child, exited } = await runProgram('hold-temporal', [dataDir]);
  child.kill('SIGKILL');
  await exited;
  const next = await startTemporal({ ...options, dataDir });
  onTestFinished(() => next.stop());
  expect((await processesWith(`--db-filename ${dataDir}`)).length).toBeGreaterThan(0);
});

test('ports that a loss of power left empty are chosen again', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'temporal-ports.json'), '');
  const server = await startTemporal({ ...options, dataDir, fast: true });
  onTestFinished(() => server.stop());
  const ports = JSON.parse(await readFile(join(dataDir, 'temporal-ports.json'), 'utf8')) as { port: number };
  expect(server.address).toBe(`127.0.0.1:${ports.port}`);
});

test('a start that cannot store its ports fails and leaves no server behind', async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, 'temporal-ports.json', 'folder'), { recursive: true });
  await expect(startTemporal({ ...options, dataDir })).rejects.toThrow('temporal-ports.json');
  expect(await processesWith(`--db-filename ${dataDir}`)).toEqual([]);
});

test('search attributes are registered if the server lacks them', async () => {
  const server = await startTemporal({
    ...options,
    dataDir: await temporaryDirectory(),
    searchAttributes: {},
    fast: true,
  });
  onTestFinished(() => server.stop());
  await prepareNamespace({ address: server.address, namespace: 'interlock', searchAttributes });
  const client = await connect(server.address);
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace: 'interlock' });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(searchAttributes)));
});

test('a server that does not answer and a missing namespace are reported with advice', async () => {
  const wanted = { namespace: 'interlock', searchAttributes };
  const silent = { ...wanted, address: '127.0.0.1:1', withinSec: 1 };
  await expect(prepareNamespace(silent)).rejects.toThrow(
    /^Temporal at 127\.0\.0\.1:1 cannot be reached .* Start the server, or correct --temporal-address \(TEMPORAL_ADDRESS\)\.$/,
  );
  await expect(prepareNamespace({ ...silent, hasEmbedded: true })).rejects.toThrow(
    /^Temporal at 127\.0\.0\.1:1 cannot be reached .* Start the server, or leave --temporal-address out/,
  );
  const server = await startTemporal({ ...options, dataDir: await temporaryDirectory(), fast: true });
  onTestFinished(() => server.stop());
  await expect(
    prepareNamespace({ ...wanted, address: server.address, namespace: 'elsewhere', withinSec: 5 }),
  ).rejects.toThrow(
    `Temporal at ${server.address} has no namespace elsewhere. Create the namespace: temporal operator namespace create`,
  );
});

test('a busy port that the user chose is reported with advice', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  onTestFinished(() => void squatter.close());
  const { port } = squatter.address() as { port: number };
  const dataDir = await temporaryDirectory();
  await expect(startTemporal({ ...options, dataDir, uiPort: port })).rejects.toThrow(
    `Port ${port} is in use. Use --temporal-ui-port <n>, or stop the program that listens there.`,
  );
});

test('the time-skipping server answers', async () => {
  const server = await startTestServer({ dataDir: await temporaryDirectory(), log: () => undefined });
  onTestFinished(() => server.stop());
  const client = await connect(server.address);
  expect((await client.connection.workflowService.getSystemInfo({})).capabilities).toBeDefined();
});
