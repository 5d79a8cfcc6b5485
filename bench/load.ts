// Measures a complete Interlock under a steady load: reads and writes at a fixed rate, subscriptions that must receive
// every event, and pull requests that land. Memory and what is stored must not grow more than the records that are kept.
import { join } from 'node:path';
import { findFreePort } from '../src/launcher/ports.ts';
import { figure, percentile, type Figure } from './figures.ts';
import { openInspector } from './inspector.ts';
import { countAll, growth, leftovers, type Counts } from './load.growth.ts';
import { keepPace, percentiles, type Outcomes } from './load.pace.ts';
import { createSender, readOf, writeOf, type LoadAccount } from './load.requests.ts';
import { lineOf, programs, slopeOf, takeSamples, type ProgramName, type Sample } from './load.samples.ts';
import { subscribeAll, type Subscribers } from './load.subscribers.ts';
import { openLoadWorld, type LoadWorld } from './load.world.ts';
import { untilQuiet, withProgram, type Program } from './program.ts';
import { randomSecret } from './tenants.ts';
import { table } from './timing.ts';

export interface LoadOptions {
  readonly minutes: number;
  /** In a second. */
  readonly reads: number;
  /** In a second. */
  readonly writes: number;
  readonly subscriptions: number;
  readonly pullRequestsAMinute: number;
  /** A folder for two snapshots of the heap, after the first minute and at the end. Null: none is taken. */
  readonly snapshots: string | null;
}

interface Run {
  readonly reads: Outcomes;
  readonly writes: Outcomes;
  readonly landings: Outcomes;
  readonly samples: readonly Sample[];
  readonly messages: number;
  readonly wrong: number;
  readonly subscribers: Subscribers;
  readonly before: Counts;
  readonly after: Counts;
  readonly landed: number;
}

const warmUpMs = 60_000;

export async function measureLoad(options: LoadOptions): Promise<Figure[]> {
  const secret = randomSecret();
  const port = await findFreePort();
  const run = await withProgram(
    async (program) => {
      const world = await openLoadWorld(program, { secret, reads: options.reads });
      try {
        return await loadProgram(program, world, { options, port });
      } finally {
        await world.close();
      }
    },
    { environment: { INTERLOCK_SECRET: secret }, nodeFlags: [`--inspect=127.0.0.1:${port}`] },
  );
  describe(run);
  return figuresOf(run);
}

async function loadProgram(
  program: Program,
  world: LoadWorld,
  { options, port }: { readonly options: LoadOptions; readonly port: number },
): Promise<Run> {
  const inspector = await openInspector(port);
  const sender = createSender(program.client.url);
  const subscribers = await subscribeAll(program.client.url, followedIn(world), {
    count: options.subscriptions,
    cursorOf: async (account) => await readCursor(program.client.url, account),
  });
  const before = await countAll(program);
  const landedBefore = await world.landed();
  console.error(`         ${programs.join(', ')}`);
  const endsAt = performance.now() + options.minutes * 60_000;
  const everySec = options.minutes > 30 ? 60 : 10;
  const snapshot = async (name: string): Promise<void> => {
    if (options.snapshots !== null) await inspector.writeSnapshot(join(options.snapshots, `${name}.heapsnapshot`));
  };
  const first = setTimeout(() => void snapshot('first'), warmUpMs);
  const [reads, writes, landings, samples] = await Promise.all([
    keepPace(options.reads, endsAt, async (n) => {
      const call = readOf(n, { accounts: world.accounts.length, pullRequests: world.pullRequestsOfAccount });
      return { kind: call.kind, failure: await sender.send(call, accountAt(world, n).token) };
    }),
    keepPace(options.writes, endsAt, async (n) => {
      const { call } = writeOf(Math.floor(n / world.accounts.length), world.pullRequestsOfAccount);
      return { kind: call.kind, failure: await sender.send(call, accountAt(world, n).token) };
    }),
    keepPace(options.pullRequestsAMinute / 60, endsAt, async () => ({
      kind: 'a pull request is opened and queued',
      failure: await world.openNext().then(() => null, String),
    })),
    takeSamples(program, endsAt, {
      everySec,
      heapEverySec: 60,
      inspector,
      onSample: (sample) => console.error(lineOf(sample)),
    }),
  ]);
  clearTimeout(first);
  await world.untilLanded();
  await untilQuiet(program);
  const { messages, wrong } = await subscribers.settle(program);
  await snapshot('last');
  inspector.close();
  sender.close();
  const after = await countAll(program);
  const landed = (await world.landed()) - landedBefore;
  return { reads, writes, landings, samples, messages, wrong, subscribers, before, after, landed };
}

function accountAt({ accounts }: LoadWorld, n: number): LoadAccount {
  const account = accounts[n % accounts.length];
  if (account === undefined) throw new Error('The bench has no account.');
  return account;
}

function followedIn({ accounts, landing, pullRequestsOfAccount }: LoadWorld) {
  return [
    { account: landing, pullRequests: 0 },
    ...accounts.map((account) => ({ account, pullRequests: pullRequestsOfAccount })),
  ];
}

async function readCursor(url: string, { token }: LoadAccount): Promise<string> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ cursor }' }),
  });
  return ((await answer.json()) as { readonly data: { readonly cursor: string } }).data.cursor;
}

/** Prints what the figures leave out: each kind of request, what failed, and what grew. */
function describe({ reads, writes, landings, subscribers, before, after, landed }: Run): void {
  for (const { tookOf } of [reads, writes, landings])
    for (const [kind, took] of tookOf) console.error(`${kind} (${took.length}): ${percentiles(took)}`);
  const failures = [reads, writes, landings].flatMap((outcomes) => [...outcomes.failures]);
  for (const [reason, count] of failures) console.error(`failed ${count} times: ${reason}`);
  for (const failure of subscribers.failures.slice(0, 20)) console.error(`subscriptions: ${failure}`);
  for (const sentence of leftovers(before, after)) console.error(`must not grow: ${sentence}`);
  console.error(
    `\n${table(['what', 'before', 'after', 'for each landed pull request'], growth(before, after, landed))}\n`,
  );
}

function figuresOf(run: Run): Figure[] {
  const { reads, writes, landings, samples, messages, wrong, subscribers, before, after, landed } = run;
  const failed = [reads, writes, landings]
    .flatMap((outcomes) => [...outcomes.failures.values()])
    .reduce((sum, count) => sum + count, subscribers.failures.length);
  const half = samples.slice(Math.floor(samples.length / 2));
  const mean = (valueOf: (sample: Sample) => number): number =>
    half.reduce((sum, sample) => sum + valueOf(sample), 0) / half.length;
  const times = ({ took }: Outcomes, what: string, p99AtMost?: number): Figure[] =>
    took.length === 0
      ? []
      : [50, 95, 99].map((percent) =>
          figure({
            what: `${what} (${took.length}), p${percent}`,
            today: percentile(took, percent),
            unit: 'ms',
            ...(percent === 99 && p99AtMost !== undefined && { atMost: p99AtMost }),
          }),
        );
  return [
    ...times(reads, 'reads', 50),
    ...times(writes, 'writes'),
    figure({ what: 'reads answered', today: reads.took.length / reads.seconds, unit: 'a second' }),
    figure({ what: 'writes answered', today: writes.took.length / writes.seconds, unit: 'a second' }),
    figure({ what: 'requests and subscriptions that failed', today: failed, unit: '', atMost: 0 }),
    figure({ what: `messages lost or doubled, of ${messages}`, today: wrong, unit: '', atMost: 0 }),
    figure({ what: 'from an event to its message, p99', today: percentile(subscribers.delays, 99), unit: 'ms' }),
    figure({ what: 'pull requests landed', today: landed, unit: '' }),
    figure({ what: 'what must not grow and did', today: leftovers(before, after).length, unit: '', atMost: 0 }),
    ...programs.flatMap((name) => [
      figure({ what: `memory of ${name}, second half`, today: mean((sample) => sample.megabytes[name]), unit: 'MB' }),
      growthOf(samples, name),
      figure({ what: `CPU of ${name}, second half`, today: mean((sample) => sample.cores[name]), unit: 'cores' }),
    ]),
    figure({
      what: 'growth of the heap after garbage collection, second half',
      today: slopeOf(samples, ({ collected }) => collected?.heapMegabytes ?? null),
      unit: 'MB a minute',
      atMost: 0.2,
    }),
    figure({
      what: 'delay of the event loop, p99 of each interval, median',
      today: percentile(
        samples.map(({ lagMs }) => lagMs.p99),
        50,
      ),
      unit: 'ms',
    }),
  ];
}

/** The service is measured after garbage collections, because garbage hides a slow growth. */
function growthOf(samples: readonly Sample[], name: ProgramName): Figure {
  const isService = name === 'service and worker';
  return figure({
    what: `growth of the memory of ${name}${isService ? ' after garbage collection' : ''}, second half`,
    today: slopeOf(samples, ({ megabytes, collected }) =>
      isService ? (collected?.megabytes ?? null) : megabytes[name],
    ),
    unit: 'MB a minute',
    ...(isService && { atMost: 1 }),
  });
}
