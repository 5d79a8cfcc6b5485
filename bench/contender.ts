// Interlock's server as in production, with tokens, tenants, limits, GraphQL and REST.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { deriveSecrets } from '../src/modules/accounts/index.ts';
import { createEventHub } from '../src/modules/events/index.ts';
import { startServer } from '../src/server.ts';
import { createService } from '../src/service.ts';
import { serveMeasurements } from './measured-process.ts';

const log = pino({ level: 'warn' }, pino.destination(2));
const { ports } = await createService({
  databaseUrl: process.env.BENCH_DATABASE_URL ?? '',
  dataDir: await mkdtemp(join(tmpdir(), 'interlock-bench-hosts-')),
  publicUrl: 'http://127.0.0.1',
  log,
  wake: async () => {},
});
const server = await startServer({
  ports,
  secrets: deriveSecrets(process.env.BENCH_SECRET ?? ''),
  hub: createEventHub({ db: ports.db, log }),
  host: '127.0.0.1',
  port: 0,
});
serveMeasurements(server.url);
