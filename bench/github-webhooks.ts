// Measures how long GitHub waits for the answer to a webhook. The comparison is a server of node:http that verifies the
// signature and inserts one row. GitHub gives up after ten seconds. The aim is 50 ms for 95 of 100 small webhooks.
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { deriveSecrets } from '../src/modules/accounts/index.ts';
import { addApp } from '../src/modules/github/index.ts';
import { type BenchInstallation, withInstallation } from './installation.ts';
import { type MeasuredProcess, startMeasuredServer } from './measured-process.ts';
import { ms, table } from './timing.ts';

const secret = randomBytes(32).toString('hex');
const webhookSecret = randomBytes(20).toString('hex');
const githubId = 7001;
const sizes = [
  { name: '8 kB', bytes: 8_000, share: 1, lines: [1, 10, 50] },
  { name: '1 MB', bytes: 1_000_000, share: 0.2, lines: [1, 10, 50] },
  { name: '10 MB', bytes: 10_000_000, share: 0.02, lines: [1] },
] as const;

/** `count`: how many small webhooks are sent for each number of webhooks at once. */
export async function benchGitHubWebhooks(count: number): Promise<void> {
  await withInstallation(async (installation) => {
    const path = await makeApp(installation);
    const environment = {
      BENCH_DATABASE_URL: installation.databaseUrl,
      BENCH_SECRET: secret,
      BENCH_WEBHOOK_SECRET: webhookSecret,
    };
    const baseline = await startMeasuredServer('github-baseline', environment);
    const intake = await startMeasuredServer('github-intake', environment);
    try {
      const ways = [
        { name: 'node:http and pg alone', process: baseline, url: `${baseline.url}/` },
        { name: 'Interlock', process: intake, url: `${intake.url}${path}` },
      ];
      for (const way of ways) await measure(way, { bytes: 8_000, atOnce: 10, count: Math.ceil(count / 4) });
      const rows: string[][] = [];
      for (const { name, bytes, share, lines } of sizes)
        for (const atOnce of lines)
          for (const way of ways) {
            const times = Math.max(atOnce, Math.ceil(count * share));
            const { p50, p95, cpu } = await measure(way, { bytes, atOnce, count: times });
            rows.push([name, String(atOnce), way.name, ms(p50), ms(p95), ms(cpu)]);
          }
      console.log(table(['payload', 'at once', 'way', 'p50', 'p95', 'CPU of the server for one'], rows));
      const { status } = await post(ways[1]?.url ?? '', bodyOf(26 * 1024 * 1024, 0), new Agent());
      console.log(`A payload of 26 MB is answered ${status}.`);
    } finally {
      await Promise.all([baseline.stop(), intake.stop()]);
    }
  });
}

/** Registers a GitHub App with one repository, and returns the path that receives the webhooks of the App. */
async function makeApp({ account, repository, owner }: BenchInstallation): Promise<string> {
  const ctx = await account('github');
  const repositoryId = await repository(ctx, 'shop');
  const { webhookUrl } = await addApp({ ...ctx, publicUrl: 'http://127.0.0.1' }, deriveSecrets(secret), {
    id: '9',
    slug: 'bench',
    clientId: 'bench',
    clientSecret: 'bench',
    privateKey: 'none',
    webhookSecret,
    apiUrl: 'http://127.0.0.1:9',
    webUrl: 'http://127.0.0.1:9',
  });
  await owner.query(
    `update repository r set github_id = $2, github_app_id = a.id, active = true from github_app a where r.id = $1 and a.app_id = '9'`,
    [repositoryId, String(githubId)],
  );
  return new URL(webhookUrl).pathname;
}

let bodies = 0;

/** The payload of a push to one of a hundred branches. Its size is about `bytes`. */
function bodyOf(bytes: number, branch: number): Buffer {
  const push = { ref: `refs/heads/topic-${branch % 100}`, repository: { id: githubId }, commits: '' };
  return Buffer.from(JSON.stringify({ ...push, commits: 'x'.repeat(bytes) }));
}

interface Way {
  readonly url: string;
  readonly process: MeasuredProcess;
}

async function measure(
  { url, process: server }: Way,
  { bytes, atOnce, count }: { readonly bytes: number; readonly atOnce: number; readonly count: number },
): Promise<{ readonly p50: number; readonly p95: number; readonly cpu: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const took: number[] = [];
  const before = await server.cpuMicros();
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        bodies += 1;
        const { status, elapsedMs } = await post(url, bodyOf(bytes, bodies), agent);
        if (status !== 202) throw new Error(`A webhook was answered ${status}.`);
        took.push(elapsedMs);
      }
    }),
  );
  const cpu = ((await server.cpuMicros()) - before) / 1000 / count;
  agent.destroy();
  took.sort((one, other) => one - other);
  const rank = (percent: number): number => took[Math.ceil((percent * took.length) / 100) - 1] ?? Number.NaN;
  return { p50: rank(50), p95: rank(95), cpu };
}

/** Measures from the start of the request to the end of the answer. The making of the body is not measured. */
async function post(url: string, body: Buffer, agent: Agent): Promise<{ status: number; elapsedMs: number }> {
  bodies += 1;
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-github-event': 'push',
    'x-github-delivery': `bench-${bodies}`,
    'x-hub-signature-256': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
  };
  const answered = Promise.withResolvers<number>();
  const began = performance.now();
  const posting = request(url, { method: 'POST', agent, headers }, (response) => {
    response.resume();
    response.on('end', () => answered.resolve(response.statusCode ?? 0));
  });
  posting.on('error', (error) => answered.reject(error));
  posting.end(body);
  const status = await answered.promise.catch((error: unknown) => {
    // A server closes a connection that was idle too long, and such a request is sent again. GitHub opens a connection
    // for each webhook, so this does not happen there.
    if (posting.reusedSocket) return null;
    throw error;
  });
  return status === null ? await post(url, body, agent) : { status, elapsedMs: performance.now() - began };
}
