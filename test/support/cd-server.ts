// A system of a user that deploys. The service calls it by POST. It counts the calls, and answers with the status of
// runs.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DeploymentStatus } from '../../src/domain/releases/release.ts';

export interface CdRun {
  readonly key: string;
  readonly name: string;
  status: DeploymentStatus;
  /** How often `start` was called. Only the first call starts the run. */
  starts: number;
  cancels: number;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface CdServer extends AsyncDisposable {
  readonly url: string;
  readonly runs: CdRun[];
  /** All calls, in order. */
  readonly calls: { readonly action: 'start' | 'status' | 'cancel'; readonly key: string }[];
  /** The answer to every call while the system is broken. Null: the system works. */
  broken: { readonly status: number; readonly body: string } | null;
  /** The status of a run after its start. Default `in_progress`, until the test ends the run. */
  startsAs: DeploymentStatus;
  /** Whether a run is canceled at once when its cancellation is requested. Default true. */
  cancelsAtOnce: boolean;
  /** Whether the system still knows its runs at calls of `status` and `cancel`. Default true. */
  remembers: boolean;
  /** What the system does after it has started a run and before it answers. Null: nothing. */
  beforeStartIsAnswered: (() => Promise<void>) | null;
  /** The newest run that deploys or builds the version. */
  run(version: string): CdRun;
}

export async function cdServer(): Promise<CdServer> {
  const runs: CdRun[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = JSON.parse(Buffer.concat(chunks).toString() || '{}') as ProviderCall;
      cd.calls.push(call);
      const { status, body } = answer(call);
      const send = () => void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      if (call.action === 'start' && cd.beforeStartIsAnswered !== null) void cd.beforeStartIsAnswered().then(send);
      else send();
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
    beforeStartIsAnswered: null,
    run(version) {
      const found = runs.findLast(({ facts }) => facts['release_candidate_version'] === version);
      if (found === undefined) throw new Error(`No run was started for ${version}.`);
      return found;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return cd;
}
