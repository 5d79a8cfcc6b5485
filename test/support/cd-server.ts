// A user's system that deploys, called by POSTs: it counts the calls, and says how its runs stand.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DeploymentStatus } from '../../src/domain/releases/release.ts';

export interface CdRun {
  readonly key: string;
  readonly name: string;
  status: DeploymentStatus;
  /** How often `start` was called. It starts once. */
  starts: number;
  cancels: number;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface CdServer extends AsyncDisposable {
  readonly url: string;
  readonly runs: CdRun[];
  /** Every call, in order. */
  readonly calls: { readonly action: 'start' | 'status' | 'cancel'; readonly key: string }[];
  /** The answer to every call instead of the usual one. Null: it works. */
  broken: { readonly status: number; readonly body: string } | null;
  /** How a run stands once it is started. Default `in_progress`: until a test ends it. */
  startsAs: DeploymentStatus;
  /** Whether a run that is to be canceled is so at once. Default true. */
  cancelsAtOnce: boolean;
  /** Whether it still knows its runs when it is asked about them or asked to cancel them. Default true. */
  remembers: boolean;
  /** The run that deploys (or builds) that version; the newest of several. */
  run(version: string): CdRun;
}

export async function cdServer(): Promise<CdServer> {
  const runs: CdRun[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const heard = JSON.parse(Buffer.concat(chunks).toString() || '{}') as ProviderCall;
      cd.calls.push(heard);
      const { status, body } = answer(heard);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });

  interface ProviderCall extends Record<string, unknown> {
    readonly action: 'start' | 'status' | 'cancel';
    readonly key: string;
  }

  function answer(call: ProviderCall): { status: number; body: string } {
    if (cd.broken !== null) return cd.broken;
    const known = runs.find(({ key }) => key === call.key);
    if (call.action === 'start') {
      const started = known ?? {
        key: call.key,
        name: `run-${runs.length + 1}`,
        status: cd.startsAs,
        starts: 0,
        cancels: 0,
        facts: call,
      };
      if (known === undefined) runs.push(started);
      started.starts += 1;
      return { status: 202, body: JSON.stringify({ run: started.name }) };
    }
    if (known === undefined || !cd.remembers) return { status: 404, body: '{}' };
    if (call.action === 'cancel') {
      known.cancels += 1;
      if (cd.cancelsAtOnce && known.status === 'in_progress') known.status = 'canceled';
    }
    return {
      status: 200,
      body: JSON.stringify({ status: known.status, message: `${known.name} says ${known.status}` }),
    };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cd: CdServer = {
    url: `http://127.0.0.1:${port}/`,
    runs,
    calls: [],
    broken: null,
    startsAs: 'in_progress',
    cancelsAtOnce: true,
    remembers: true,
    run(version) {
      const found = runs.findLast(({ facts }) => facts['release_candidate_version'] === version);
      if (found === undefined) throw new Error(`Nobody asked for ${version}.`);
      return found;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return cd;
}
