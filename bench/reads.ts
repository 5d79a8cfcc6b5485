// Reads one pull request and a list of fifty through each API, in one interleaved run, so that a disturbance of the
// machine affects all APIs. The figure is the CPU time of the server's process for one request.
import { deepStrictEqual } from 'node:assert';
import { Agent, request } from 'node:http';
import { target } from './dataset.ts';
import type { MeasuredProcess } from './measured-process.ts';
import type { Tenant } from './tenants.ts';

export interface Way {
  readonly name: string;
  readonly server: MeasuredProcess;
  readonly calls: Readonly<Record<Read, Call>>;
  readonly headers: (tenant: Tenant) => Readonly<Record<string, string>>;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Turns the answer into the documented record, so that the answers of all APIs can be compared. */
  readonly record?: (answer: unknown) => unknown;
}

export const reads = ['one', 'fifty'] as const;
export type Read = (typeof reads)[number];

export interface Measurement {
  readonly way: string;
  readonly read: Read;
  /** The median over the rounds. */
  readonly cpuMicros: number;
}

export interface Effort {
  /** The accounts that send the requests. Every API gets their requests in the same order. */
  readonly tenants: readonly Tenant[];
  readonly rounds: number;
  readonly requests: number;
  readonly concurrency: number;
}

const warmUpRounds = 3;

export const restPaths = {
  one: `/api/v1/pull_request?org=${target.owner}&repo=${target.name}&number=${target.number}`,
  fifty: `/api/v1/pull_request/queued?org=${target.owner}&repo=${target.name}`,
} as const satisfies Record<Read, string>;

/**
 * The first way is the baseline. Throws if two ways give different answers, because their cost cannot be compared then.
 */
export async function measureReads(ways: readonly Way[], effort: Effort): Promise<Measurement[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: effort.concurrency });
  try {
    const send = senderOf(effort.tenants, agent);
    await requireSameAnswers(ways, send);
    const contests = ways.flatMap((way) => reads.map((read) => ({ way, read, rounds: [] as number[] })));
    for (let round = -warmUpRounds; round < effort.rounds; round++) {
      for (const contest of contests) {
        const micros = await cpuPerRequest(contest.way, contest.read, { send, effort });
        if (round >= 0) contest.rounds.push(micros);
      }
    }
    return contests.map(({ way, read, rounds }) => ({ way: way.name, read, cpuMicros: median(rounds) }));
  } finally {
    agent.destroy();
  }
}

async function cpuPerRequest(
  way: Way,
  read: Read,
  { send, effort }: { readonly send: Send; readonly effort: Effort },
): Promise<number> {
  const before = await way.server.cpuMicros();
  let left = effort.requests;
  await Promise.all(
    Array.from({ length: effort.concurrency }, async () => {
      while (left-- > 0) await send(way, read);
    }),
  );
  return ((await way.server.cpuMicros()) - before) / effort.requests;
}

async function requireSameAnswers(ways: readonly Way[], send: Send): Promise<void> {
  for (const read of reads) {
    let expected: unknown;
    for (const way of ways) {
      const answer: unknown = JSON.parse(await send(way, read));
      const record = way.calls[read].record?.(answer) ?? answer;
      expected ??= record;
      deepStrictEqual(record, expected, `${way.name} answers ${read} unlike ${ways[0]?.name}`);
    }
  }
}

type Send = (way: Way, read: Read) => Promise<string>;

function senderOf(tenants: readonly Tenant[], agent: Agent): Send {
  const turns = new Map<Way, number>();
  return async (way, read) => {
    const turn = turns.get(way) ?? 0;
    turns.set(way, turn + 1);
    const tenant = tenants[turn % tenants.length];
    if (tenant === undefined) throw new Error('The bench has no tenant to ask for.');
    return await send(way, way.calls[read], way.headers(tenant), agent);
  };
}

async function send(way: Way, call: Call, headers: Readonly<Record<string, string>>, agent: Agent): Promise<string> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(call.path, way.server.url),
      { method: call.method, headers, agent },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (incoming.statusCode === 200) resolve(text);
          else
            reject(
              new Error(
                `${way.name}: ${call.method} ${call.path} answered ${incoming.statusCode}: ${text.slice(0, 500)}`,
              ),
            );
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(call.body);
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
