// Interlock's server as in production, for webhooks of GitHub.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { deriveSecrets } from '../src/modules/accounts/index.ts';
import { createEventHub } from '../src/modules/events/index.ts';
import { serveGitHub } from '../src/server/github.ts';
import { startServer } from '../src/server.ts';
import { createService } from '../src/service.ts';
import { serveMeasurements } from './measured-process.ts';

const log = pino({ level: 'error' }, pino.destination(2));
const secrets = deriveSecrets(process.env.BENCH_SECRET ?? '');
const service = await createService({
  databaseUrl: process.env.BENCH_DATABASE_URL ?? '',
  dataDir: await mkdtemp(join(tmpdir(), 'interlock-bench-hosts-')),
  publicUrl: 'http://127.0.0.1',
  log,
  wake: async () => {},
  secrets,
});
const server = await startServer({
  ports: service.ports,
  secrets,
  hub: createEventHub({ db: service.ports.db, log }),
  host: '127.0.0.1',
  port: 0,
  registerExtra: async (fastify) => await serveGitHub(fastify, { ...service, secrets }),
});
serveMeasurements(server.url);
