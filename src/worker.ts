// The worker. It runs workflows, their activities, and the checks of the local host. Any number of workers can share a
// database and a Temporal.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, MetricsBuffer, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createRunbookDriving, describeRunbookAgent, type AgentOptions } from './agents.ts';
import type { RunBounds } from './domain/runs/bounds.ts';
import type { CiRunner } from './hosts/port.ts';
import type { TemporalSecurity } from './launcher/temporal-security.ts';
import type { VerificationPorts } from './modules/previews/index.ts';
import type { RunbookDriving } from './modules/runbooks/index.ts';
import { createFailureLog } from './platform/outage.ts';
import { atMost, type InTurn } from './platform/at-most.ts';
import { findSandbox, type Sandbox } from './platform/sandbox/index.ts';
import { mostSupervised } from './platform/turns/index.ts';
import { createVerifying, reconcileSandboxesRegularly, type PreviewOptions } from './previews.ts';
import { createReleaseDriving, type ProviderOptions } from './providers.ts';
import { writeSdkLine } from './sdk-log.ts';
import { collectSdkMetrics, type SdkMetrics } from './sdk-metrics.ts';
import type { Service } from './service.ts';
import { createActivities } from '../workflows/activities.ts';
import { taskQueue } from '../workflows/queue/messages.ts';
import { createRunSinks } from '../workflows/shared/activities.spans.ts';

export interface WorkerOptions {
  readonly service: Service;
  readonly temporal: {
    readonly address: string;
    readonly namespace: string;
    readonly taskQueue?: string;
    readonly security?: TemporalSecurity;
  };
  /** The bundle that `npm run build` made. Null: the workflows are bundled from source at the start. */
  readonly workflowBundle: string | null;
  /** Null: this worker runs no checks. */
  readonly ci: { readonly concurrency: number; readonly allowPlain: boolean } | null;
  /** What deployments and builds need. */
  readonly providers: ProviderOptions;
  /** What previews need. Tests pass their own implementation. */
  readonly previews: PreviewOptions | VerificationPorts;
  /** What runbooks need. Tests pass their own agents. */
  readonly agents: AgentOptions | Pick<RunbookDriving, 'agents'>;
  /** The bounds of every command that the worker runs. Default: `defaultRunBounds`. */
  readonly bounds?: RunBounds;
  /** Whether metrics of Temporal's SDK are added. A process has only one SDK. */
  readonly measuresSdk?: boolean;
}

export interface RunningWorker {
  /** A sentence that says where checks run, and how to improve it if possible. */
  readonly sandbox: string;
  /** A sentence that says which agent executes runbooks, and how to configure a model if there is none. */
  readonly agent: string;
  /** Whether the worker takes work: it neither stops nor has failed. */
  isRunning(): boolean;
  stop(): Promise<void>;
  /** Settles when the worker has ended. Rejects if the worker failed. */
  readonly ended: Promise<void>;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { service, temporal, previews } = options;
  const { log } = service.ports;
  const sdkMetrics = installRuntime(log, options.measuresSdk ?? false);
  if (sdkMetrics !== null) service.metrics.include(async () => await sdkMetrics.text());
  // A sandbox is needed even if this worker runs no checks, because deployments and builds run commands in it too.
  const found = await findSandbox({
    allowPlain: options.ci?.allowPlain ?? false,
    ...(options.bounds && { bounds: options.bounds }),
  });
  // Builds, agents and previews each have a limit of their own, as large as that of checks. With one limit for all of
  // them, checks of a queue would wait behind commands of agents and behind previews, which take up to 45 minutes, and
  // builds and agents would wait behind each other. Deployments have no limit: each environment has at most one, and a
  // rollback must not wait.
  const atOnce = options.ci?.concurrency ?? Math.max(2, availableParallelism());
  const buildsInTurn = atMost(atOnce);
  const releases = createReleaseDriving(service.ports, { ...options.providers, sandbox: found.sandbox, buildsInTurn });
  const runbooks = openAgents(options, { sandbox: found.sandbox, inTurn: atMost(atOnce) });
  const verifying = await openVerifying(options, { sandbox: found.sandbox, inTurn: atMost(atOnce) });
  const connection = await NativeConnection.connect({ address: temporal.address, ...temporal.security });
  const activities = createActivities(service.ports, { webhooks: service.webhooks, releases, runbooks, verifying });
  const worker = await createWorker(options, connection, activities);
  const ended = worker.run();
  ended.catch((error: unknown) => log.error({ error: String(error) }, 'The Temporal worker failed.'));
  const { runner, sentence } = openRunner(options, found);
  runner?.start();
  const reconciling = reconcileSandboxesRegularly(service.ports, verifying);
  return {
    sandbox: sentence,
    agent: describeRunbookAgent('model' in options.agents ? options.agents : { model: null }),
    ended,
    isRunning: () => worker.getState() === 'RUNNING',
    async stop() {
      await runner?.stop();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      // After the shutdown, so that this worker does not take the steps again that the calls belong to.
      service.giveBackCalls();
      await ended.catch(() => {});
      await reconciling.stop();
      if (verifying !== previews) await verifying.gateway.close();
      await connection.close();
    },
  };
}

async function createWorker(
  { service, temporal, workflowBundle }: WorkerOptions,
  connection: NativeConnection,
  activities: ReturnType<typeof createActivities>,
): Promise<Worker> {
  return await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: temporal.taskQueue ?? taskQueue,
    activities,
    sinks: createRunSinks(service.ports),
    ...(workflowBundle === null
      ? { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) }
      : { workflowBundle: { codePath: workflowBundle } }),
    // For deployments, for other supervised work, and for all other activities.
    maxConcurrentActivityTaskExecutions: 2 * mostSupervised + 100,
    // After a worker was killed, its cached workflow runs move to another worker after this time. The default is 10 s.
    stickyQueueScheduleToStartTimeout: '5s',
    // Heartbeats are sent every second, so they must not be throttled for longer.
    maxHeartbeatThrottleInterval: '1s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '20s',
  });
}

interface Limited {
  /** Null: this machine has no sandbox. */
  readonly sandbox: Sandbox | null;
  readonly inTurn: InTurn;
}

async function openVerifying(
  { service, previews, bounds, providers: { secrets, http } }: WorkerOptions,
  { sandbox, inTurn }: Limited,
): Promise<VerificationPorts> {
  if ('driver' in previews) return previews;
  return await createVerifying(service.ports, { ...previews, secrets, http, sandbox, bounds, inTurn });
}

function openAgents({ agents }: WorkerOptions, limited: Limited): RunbookDriving {
  if ('model' in agents) return createRunbookDriving(agents, limited);
  return { ...createRunbookDriving({ model: null }, limited), ...agents };
}

function openRunner(
  { service, ci }: WorkerOptions,
  { sandbox, sentence }: { readonly sandbox: Sandbox | null; readonly sentence: string },
): { readonly runner: CiRunner | null; readonly sentence: string } {
  if (ci === null) return { runner: null, sentence: 'no checks run here, as requested' };
  if (sandbox === null) return { runner: null, sentence };
  const onError = createFailureLog(service.ports.log, 'A check could not be run.');
  return {
    runner: service.localHost.createCiRunner({ sandbox, concurrency: ci.concurrency, onError }),
    sentence,
  };
}

let installed: { readonly sdkMetrics: SdkMetrics | null } | null = null;

/**
 * Installs the SDK's runtime. Its own signal handling is turned off, because the composition root determines the order
 * in which parts stop.
 */
function installRuntime(log: Logger, measuresSdk: boolean): SdkMetrics | null {
  if (installed !== null) return installed.sdkMetrics;
  const buffer = measuresSdk ? new MetricsBuffer({ maxBufferSize: 50_000, useSecondsForDurations: true }) : null;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', (line) => writeSdkLine(log, line)),
    // Without `forward`, the native part of the SDK writes lines of its own to the standard output, which are no JSON.
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
      ...(buffer !== null && { metrics: { buffer } }),
    },
  });
  installed = { sdkMetrics: buffer === null ? null : collectSdkMetrics(buffer) };
  return installed.sdkMetrics;
}
