// Counts the git processes for each pull request, from the time when the pull request is queued until it has landed and
// its build is cleaned up. The git processes for the check of the build count too.
import { toHostedRepository } from '../src/hosts/port.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { systemContext, type Context } from '../src/context.ts';
import { createCiRunner } from '../src/hosts/local/index.ts';
import { createAccount, generateSecrets } from '../src/modules/accounts/index.ts';
import {
  advanceQueue,
  carryOutAll,
  driveBatch,
  openPullRequest,
  queuePullRequest,
  syncBase,
} from '../src/modules/queue/index.ts';
import { createRepository, replaceConfiguration } from '../src/modules/repositories/index.ts';
import { findSandbox } from '../src/platform/sandbox/index.ts';
import { createService, type Service } from '../src/service.ts';
import { openBenchDatabase } from './database.ts';
import { countGits } from './git-count.ts';
import { configurationOf, importBranches } from './program.ts';
import { table } from './timing.ts';

const name = { owner: 'acme', name: 'shop' } as const;
const configuration = configurationOf(1);

export async function benchLandings(landings: number): Promise<void> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-bench-landings-'));
  const woken = new Map<string, string>();
  const service = await createService({
    databaseUrl: database.url,
    dataDir,
    publicUrl: 'http://localhost:4000',
    log: pino({ level: 'warn' }),
    wake: async (whose) => void ('queueId' in whose && woken.set(whose.queueId, whose.accountId)),
  });
  const { sandbox, sentence } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  if (sandbox === null) throw new Error(sentence);
  const runner = createCiRunner({ host: service.localHost, sandbox, concurrency: 3, pollMs: 200, onError: fail });
  try {
    runner.start();
    const counts = await land(service, landings, async () => await turn(service, woken));
    const rows = [...counts].toSorted(([, a], [, b]) => b - a);
    const total = rows.reduce((sum, [, count]) => sum + count, 0);
    const cells = [...rows, ['all', total] as const].map(([what, n]) => [what, String(n), (n / landings).toFixed(2)]);
    console.log(table(['git', `processes of ${landings} landings`, 'for each'], cells));
  } finally {
    await runner.stop();
    await service.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function land(
  service: Service,
  landings: number,
  turnOnce: () => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const account = await createAccount(service.ports, generateSecrets(), { name: 'bench', email: 'ada@example.org' });
  const ctx: Context = systemContext(service.ports, account.accountId);
  const repository = await createRepository(ctx, { ...name, host: 'local' });
  const { directoryOf, git } = service.localHost.installation;
  const host = toHostedRepository(repository);
  await importBranches(directoryOf({ accountId: account.accountId, id: repository.id }), landings);
  await service.localHost.reconcile(host);
  await syncBase(ctx, host, 'main');
  await replaceConfiguration(ctx, { repository: name, yaml: configuration });
  const numbers = Array.from({ length: landings }, (_, n) => n + 1);
  for (const n of numbers)
    await openPullRequest(ctx, { repository: name, title: `Add ${n}`, headBranch: `change-${n}`, baseBranch: 'main' });
  const until = async (open: string): Promise<void> => {
    const isOpen = async (): Promise<boolean> => (await service.ports.db.system.query(open)).length > 0;
    while (await isOpen()) {
      await service.drain();
      await turnOnce();
      await delay(20);
    }
  };
  await until("select 1 from local_check_run where state <> 'completed'");
  const counts = countGits(git);
  for (const number of numbers) await queuePullRequest(ctx, { repository: name, number, source: 'graphql_api' });
  await until(
    "select 1 from pull_request where status <> 'merged' union all select 1 from batch where cleaned_up_at is null",
  );
  return counts;
}

/** Carries out what the workflows of the woken queues and of their batches do, one step after the other. */
async function turn(service: Service, woken: Map<string, string>): Promise<void> {
  for (const [queueId, accountId] of woken) {
    woken.delete(queueId);
    const ctx = systemContext(service.ports, accountId);
    const advance = await advanceQueue(ctx, queueId);
    for (const { id } of advance.batches) await driveBatch(ctx, id);
    for (const { intents } of advance.effects) {
      const [error] = await carryOutAll(ctx, intents);
      if (error !== undefined) throw error;
    }
  }
}

function fail(error: unknown): never {
  throw error;
}
