// Verifications on the local host with real git: a repository with previews, apps that answer over HTTP, and functions
// that read rows, checks and logs.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VerificationPorts } from '../../src/modules/previews/index.ts';
import { registerPreviewImage } from '../../src/modules/previews/images/images.service.ts';
import { deregisterPreview, registerPreview } from '../../src/modules/previews/registrations/registrations.service.ts';
import { recordServiceCheck } from '../../src/modules/queue/index.ts';
import { replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { createAnalysis } from '../../src/platform/analysis/index.ts';
import { createAppDriver, findBrowser } from '../../src/platform/driving/index.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { createPreviewSandboxes, openPreviewGateway } from '../../src/platform/previews/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { parallel, world, configurationYaml, type World, type WorldOptions } from '../support/world.ts';

export const skillPath = '.service/verify/skills/default.md';
export const endpoint = 'verify:\n  preview:\n    - method: endpoint\n';
export const sandboxOf = (more = ''): string =>
  `verify:\n  preview:\n    - image: node\n      port: 3000\n${more.replaceAll(/^(?=.)/gm, '      ')}`;

export interface Run {
  readonly id: string;
  readonly attempt: number;
  readonly head: string;
  readonly cause: string;
  readonly status: string;
  readonly degraded: boolean;
  readonly summary: string | null;
  readonly published_check: string | null;
  readonly steps: readonly string[];
}

export interface VerificationWorld extends World {
  /** Moves the clock on. */
  pass(ms: number): void;
  verify(previews: string, rules?: string): Promise<void>;
  /** Starts an app of the test, and returns its URL. */
  app(listener: RequestListener): Promise<string>;
  register(number: number, url: string, more?: { secrets?: Record<string, string>; expiresAt?: Date }): Promise<void>;
  deregister(number: number): Promise<void>;
  image(name: string, image: { kind: 'command' | 'directory' | 'docker'; source: string }): Promise<void>;
  /** The verifications of a pull request, the oldest first. */
  runs(number: number): Promise<Run[]>;
  /** Waits until the newest verification of the pull request has the status. */
  comesTo(number: number, status: string, attempt?: number): Promise<Run>;
  log(run: Pick<Run, 'id'>): Promise<string>;
  /** The check of the verification at the host, for a head. */
  check(commit: string): Promise<{ state: string; title: string; summary: string } | undefined>;
}

export async function verificationWorld(options: WorldOptions = {}): Promise<VerificationWorld> {
  let aheadMs = 0;
  const w = await world({ clock: () => new Date(Date.now() + aheadMs), ...options });
  const http = createHttpOut({ allowPrivateAddresses: true });
  const verifying = await verifyingOf(w, http);
  w.loop.verifications.driving = verifying;
  const v = verificationsOf(w, async (isSo) => await w.until(isSo));
  return {
    ...v,
    pass: (ms) => void (aheadMs += ms),
    async [Symbol.asyncDispose]() {
      await v[Symbol.asyncDispose]();
      await w[Symbol.asyncDispose]();
      await verifying.gateway.close();
      http.close();
    },
  };
}

/** Verifications in a world whose engine runs in another process. `until` must give up by itself. */
export function verificationsOf(
  w: World,
  until: (isSo: () => Promise<boolean>) => Promise<void>,
): Omit<VerificationWorld, 'pass'> {
  const servers: Server[] = [];
  const hosted = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
  const own: Omit<VerificationWorld, keyof World | 'pass'> = {
    async verify(previews, rules = parallel()) {
      const yaml = `${configurationYaml(rules)}${previews}`;
      const outcome = await replaceConfiguration(w.ctx, { repository: w.repository, yaml });
      if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    },
    async app(listener) {
      const server = createServer(listener);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async register(prNumber, previewUrl, more = {}) {
      const { head_sha: commitSha } = await w.status(prNumber);
      await registerPreview(w.ctx, w.secrets, { repository: w.repository, commitSha, previewUrl, prNumber, ...more });
    },
    deregister: async (prNumber) =>
      void (await deregisterPreview(w.ctx, { repository: w.repository, prNumber, name: null })),
    image: async (name, image) => void (await registerPreviewImage(w.ctx, { name, ...image })),
    runs: async (number) =>
      await w.rows<Run>(
        `select v.id, v.attempt, v.head_commit as head, v.cause, v.status, v.degraded, v.summary, v.published_check,
                coalesce((select array_agg(s.conclusion || ' ' || s.scenario || ': ' || s.step order by s.ordinal)
                          from verification_step s where s.verification_id = v.id), '{}') as steps
         from verification v join pull_request p on p.id = v.pull_request_id where p.number = $1 order by v.id`,
        [number],
      ),
    async comesTo(number, status, attempt) {
      let newest: Run | undefined;
      const isThere = async (): Promise<boolean> => {
        newest = (await own.runs(number)).at(-1);
        return newest?.status === status && (attempt === undefined || newest.attempt === attempt);
      };
      await until(isThere).catch(async (error: unknown) => {
        throw new Error(`${JSON.stringify(await own.runs(number))} ${String(error)}`);
      });
      if (newest === undefined) throw new Error('There is no run.');
      return newest;
    },
    async log({ id }) {
      const pieces = await w.rows<{ text: string }>(
        'select text from verification_log where verification_id = $1 order by id',
        [id],
      );
      return pieces.map(({ text }) => text).join('');
    },
    check: async (commit) =>
      (await w.service.localHost.listPublishedChecks(hosted, commit)).find(({ name }) => name === 'interlock/verify'),
  };
  return {
    ...w,
    ...own,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

async function verifyingOf(w: World, http: ReturnType<typeof createHttpOut>): Promise<VerificationPorts> {
  const { sandbox } = await findSandbox({ allowPlain: true });
  return {
    secrets: w.secrets,
    sandboxes: createPreviewSandboxes({
      hosts: w.service.ports.hosts,
      sandbox,
      directories: [],
      installation: w.service.ports.publicUrl,
    }),
    gateway: await openPreviewGateway(),
    driver: createAppDriver({ http, browser: await findBrowser(null) }),
    analysis: createAnalysis({ review: null }),
    recordCheck: recordServiceCheck,
  };
}

/** Files of a head that changes something. */
export const feature = { 'feature.txt': 'new\n' };

/** An app that answers with the commit of its head, and prints its secret. */
export const app = `
  const { createServer } = require('node:http');
  console.log('token ' + process.env.API_TOKEN);
  createServer((request, response) => {
    response.setHeader('x-token', process.env.API_TOKEN ?? 'none');
    response.end(JSON.stringify({ path: request.url, head: process.env.HEAD_SHA }));
  }).listen(Number(process.env.PORT), '127.0.0.1');
`;
