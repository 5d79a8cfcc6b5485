// A server that GitHub and browsers can reach, and two accounts. Apps are at an emulator of GitHub.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '@octokit/webhooks-methods';
import { pino } from 'pino';
import { type Emulator, startEmulator } from '../../../github-emulator/index.ts';
import { systemContext, type Context, type Scope } from '../../../src/context.ts';
import { createAccount, generateSecrets, type Secrets } from '../../../src/modules/accounts/index.ts';
import { createEventHub } from '../../../src/modules/events/index.ts';
import { addApp, syncInstallations } from '../../../src/modules/github/index.ts';
import { changeActivity } from '../../../src/modules/repositories/index.ts';
import { serveGitHub } from '../../../src/server/github.ts';
import { startServer } from '../../../src/server.ts';
import { createService } from '../../../src/service.ts';
import { createPlainLoop } from '../../support/plain-loop.ts';
import { takeDatabase } from '../../support/kept-databases.ts';

export interface AppWorld {
  readonly emulator: Emulator;
  readonly url: string;
  readonly ctx: Context;
  readonly otherCtx: Context;
  readonly secrets: Secrets;
  /** Moves the clock of the service forward. */
  later(minutes: number): void;
  /** Adds the emulator's App to the first account. Its webhooks arrive at the server. */
  addFirstApp(): Promise<void>;
  /** Syncs the Apps that webhooks named, as the service does every second. */
  syncChanged(): Promise<void>;
  syncAll(): Promise<void>;
  /** How often the emulator was asked to list installations. */
  /** How often GitHub was called, for example `GET /app/installations`. */
  countCalls(operation: string): Promise<number>;
  activate(name: string): Promise<void>;
  /** Sends a webhook of the App whose path ends in `path`. `headers` replaces headers. Null: the header is left out. */
  send(given: {
    readonly path?: string;
    readonly body: string;
    readonly headers?: Readonly<Record<string, string | null>>;
  }): Promise<Response>;
  webhookPath(): Promise<string>;
  /** Sends a document, by default with the first token of the first account. */
  graphql(
    document: string,
    variables: object,
    token?: string,
  ): Promise<{ data: unknown; errors?: readonly GraphQLFault[] }>;
  readonly otherToken: string;
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface GraphQLFault {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly field?: string };
}

/** An administrator whose token has only these scopes. */
export function withScopes(ctx: Context, scopes: readonly Scope[]): Context {
  return { ...ctx, actor: { ...ctx.actor, kind: 'user_token', scopes: new Set(scopes) } };
}

export async function appWorld(): Promise<AppWorld> {
  const emulator = await startEmulator();
  const database = await takeDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'gha-'));
  const secrets = generateSecrets();
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' });
  let aheadMs = 0;
  const service = await createService({
    databaseUrl: database.url,
    database: database.database,
    dataDir: join(folder, 'data'),
    publicUrl: 'http://127.0.0.1',
    log,
    wake: createPlainLoop().wake,
    secrets,
    clock: () => new Date(Date.now() + aheadMs),
  });
  // The address is known after the server has begun to listen.
  const ports = { ...service.ports };
  const hub = createEventHub({ db: ports.db, log });
  const server = await startServer({
    ports,
    secrets,
    hub,
    port: 0,
    host: '127.0.0.1',
    overdue: service.overdue,
    githubServers: [emulator.webUrl],
    registerExtra: async (fastify) => await serveGitHub(fastify, { ...service, ports, secrets }),
  });
  Object.assign(ports, { publicUrl: server.url });
  const first = await createAccount(ports, secrets, { name: 'first', email: 'first@example.test' });
  const other = await createAccount(ports, secrets, { name: 'other', email: 'other@example.test' });
  const ctx = systemContext(ports, first.accountId);
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    await ports.db.system.query<Row>(text, values);
  let deliveries = 0;
  const w: AppWorld = {
    emulator,
    url: server.url,
    ctx,
    otherCtx: systemContext(ports, other.accountId),
    secrets,
    rows,
    later: (minutes) => void (aheadMs += minutes * 60_000),
    async addFirstApp() {
      const { webhookUrl } = await addApp(ctx, secrets, appOf(emulator));
      emulator.setWebhookUrl(webhookUrl);
      await w.syncAll();
    },
    async syncChanged() {
      await emulator.core.settled();
      await syncInstallations(ports, secrets, false);
    },
    syncAll: async () => await service.syncInstallations(),
    async countCalls(operation) {
      const usage = await (await fetch(`${emulator.url}/_emulator/usage`)).json();
      return (usage as { calls: Record<string, number> }).calls[operation] ?? 0;
    },
    async activate(name) {
      const [row] = await rows<{ id: string }>('select id from repository where account_id = $1 and name = $2', [
        first.accountId,
        name,
      ]);
      await changeActivity(ctx, row?.id ?? '', true);
    },
    async send({ path, body, headers = {} }) {
      deliveries += 1;
      const all = {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': `delivery-${deliveries}`,
        'x-hub-signature-256': body === '' ? 'sha256=none' : await sign(emulator.webhookSecret, body),
        ...headers,
      };
      const given = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
      return await fetch(`${server.url}/github/webhooks/${path ?? (await w.webhookPath())}`, {
        method: 'POST',
        headers: Object.fromEntries(given),
        body,
      });
    },
    otherToken: other.token,
    async graphql(query, variables, token = first.token) {
      const answer = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ query, variables }),
      });
      return (await answer.json()) as Awaited<ReturnType<AppWorld['graphql']>>;
    },
    async webhookPath() {
      const [row] = await rows<{ webhook_path: string }>(
        'select webhook_path from github_app where account_id = $1 and app_id = $2',
        [first.accountId, emulator.appId],
      );
      return row?.webhook_path ?? '';
    },
    async close() {
      await emulator.core.settled();
      await emulator.stop();
      await server.close();
      await hub.close();
      await service.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return w;
}

export function appOf(emulator: Emulator) {
  return {
    id: emulator.appId,
    slug: emulator.slug,
    clientId: emulator.clientId,
    clientSecret: emulator.clientSecret,
    webhookSecret: emulator.webhookSecret,
    privateKey: readFileSync(emulator.keyFile, 'utf8'),
    apiUrl: emulator.apiUrl,
    webUrl: emulator.webUrl,
  };
}
