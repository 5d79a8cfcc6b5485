// The engine in a process of its own, which a test can kill. `loop`: the plain loop, without Temporal. `temporal`: the
// worker of production. The process writes `ready` when it runs. It ends at a signal (the worker drains on SIGTERM), or
// when it is killed.
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import type { PushPace } from '../../src/hosts/github/index.ts';
import { createCiRunner } from '../../src/hosts/local/index.ts';
import { type Secrets, generateSecrets } from '../../src/modules/accounts/index.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { createVerifying, reconcileSandboxesRegularly, previewOptionsFrom } from '../../src/previews.ts';
import { createReleaseDriving } from '../../src/providers.ts';
import { createService } from '../../src/service.ts';
import { createPlainLoop } from './plain-loop.ts';
import { runbookDrivingOf, testAgents } from './runbook-agent.ts';

export interface EngineSettings {
  readonly mode: 'loop' | 'temporal';
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly temporal?: { readonly address: string; readonly namespace: string; readonly taskQueue: string };
  readonly workflowBundle?: string;
  /** The secrets for calls of providers. With them there is a host `github`. Default: secrets that open nothing. */
  readonly secrets?: Secrets;
  readonly pushPace?: PushPace;
  /** Whether the plain loop retries failed calls, as Temporal does. */
  readonly retries?: boolean;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as EngineSettings;
const log = pino({ level: process.env['LOG_LEVEL'] ?? 'error' }, pino.destination(2));
const providers = {
  secrets: settings.secrets ?? generateSecrets(),
  http: createHttpOut({ allowPrivateAddresses: true }),
  network: true,
};

const previews = previewOptionsFrom(process.env, null);

if (settings.mode === 'temporal' && settings.temporal) {
  // The plain loop does not load these modules, which take a second of CPU, because tests start it often.
  const { connectTemporal } = await import('../../src/temporal.ts');
  const { startWorker } = await import('../../src/worker.ts');
  const temporal = connectTemporal({ ...settings.temporal, log });
  const service = await createService({
    ...settings,
    publicUrl: 'http://localhost:4000',
    log,
    wake: temporal.wake,
    poolSize: 4,
  });
  service.start();
  const worker = await startWorker({
    service,
    temporal: settings.temporal,
    workflowBundle: settings.workflowBundle ?? null,
    ci: { concurrency: 3, allowPlain: true },
    providers,
    agents: testAgents,
    previews,
  });
  process.once('SIGTERM', () => {
    void (async () => {
      await worker.stop();
      await service.stop();
      // Rejects if work did not end in time, so that the process fails.
      await worker.ended;
      process.exit(0);
    })();
  });
} else {
  const loop = createPlainLoop({ retries: settings.retries ?? false });
  const service = await createService({
    ...settings,
    publicUrl: 'http://localhost:4000',
    log,
    wake: loop.wake,
    poolSize: 4,
  });
  const { sandbox } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  if (sandbox === null) throw new Error('There is no sandbox.');
  loop.runbooks.driving = runbookDrivingOf(sandbox);
  const verifying = await createVerifying(service.ports, { ...providers, ...previews, sandbox });
  loop.verifications.driving = verifying;
  reconcileSandboxesRegularly(service.ports, verifying);
  loop.releases.driving = createReleaseDriving(service.ports, { ...providers, sandbox });
  createCiRunner({
    host: service.localHost,
    sandbox,
    concurrency: 3,
    pollMs: 200,
    leaseSec: 3,
    onError: (error) => log.error(error),
  }).start();
  service.start();
  await loop.releases.wakeOpen(service.ports);
  await loop.runbooks.wakeOpen(service.ports);
  await loop.verifications.wakeOpen(service.ports);
  void (async () => {
    for (;;) {
      await loop.run(service.ports).catch((error: unknown) => log.error({ error: String(error) }, 'turn failed'));
      await loop.woken();
    }
  })();
}
process.stdout.write('ready\n');
// Node writes its compile cache when a process ends, but a killed process does not get there.
flushCompileCache();
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
