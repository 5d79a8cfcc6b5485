// An emulator of GitHub: REST, GraphQL, git, webhooks and pages, for developing and testing without a network.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Core, instant, type Urls } from './core.ts';
import { createEffects } from './faults/effects.ts';
import { createFaults, type FaultState, type Knobs } from './faults/knobs.ts';
import { createRandom } from './faults/random.ts';
import { registerKnobs } from './faults/knobs.http.ts';
import { registerGit } from './git/http.ts';
import { joinRules, type Rules } from './git/rules.ts';
import { createGitStore } from './git/store.ts';
import { registerApi } from './http/api.ts';
import { createLimits, type LimitKeeper } from './http/limits.ts';
import {
  makeAccount,
  makeApp,
  makeInstallation,
  makePersonalToken,
  type Maker,
  usualEvents,
  usualPermissions,
} from './model/seed.ts';
import { openState } from './model/state.ts';
import type { Permissions } from './model/types.ts';
import { type ApiDescription, readApiDescription, readWebhookDescription } from './openapi/description.ts';
import type { Part } from './part.ts';
import { parts } from './parts.ts';
import { createDelivering } from './webhooks/delivering.ts';
import { createHearing } from './webhooks/hearing.ts';

export interface EmulatorOptions {
  /** Default: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Kept between starts. Default: a temporary folder that `stop` removes. */
  readonly dataDir?: string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Of every random choice: tokens, secrets, faults. */
  readonly seed?: number;
  /** The organisation. Default `acme`. */
  readonly owner?: string;
  /** The person who owns the organisation. Default `octocat`. */
  readonly login?: string;
  /** The App's slug. Default `interlock`. */
  readonly slug?: string;
  readonly permissions?: Permissions;
  /** Where the App gets its webhooks. Default: nowhere. `setWebhookUrl` sets the address later. */
  readonly webhookUrl?: string;
  readonly callbackUrl?: string;
  /** Also listens here with TLS: PEM of key and certificate. The `gh` command speaks https alone. */
  readonly tls?: { readonly port: number; readonly key: string; readonly cert: string };
}

/** What the program prints as its one line. */
export interface EmulatorAccess {
  readonly url: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly webUrl: string;
  readonly appId: string;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A file with the App's private key. */
  readonly keyFile: string;
  readonly webhookSecret: string;
  readonly installationId: string;
  readonly owner: string;
  /** A personal token of `login`. */
  readonly token: string;
  readonly login: string;
}

export interface Emulator extends EmulatorAccess {
  readonly knobs: Knobs;
  readonly core: Core;
  readonly setWebhookUrl: (url: string) => void;
  /** A new person with a personal token; a member of the organisation if a role is given. */
  addPerson(
    login: string,
    role?: 'admin' | 'member',
  ): { readonly login: string; readonly token: string; readonly id: number };
  readonly stop: () => Promise<void>;
}

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'github-'));
  mkdirSync(dataDir, { recursive: true });
  const state = openState(join(dataDir, 'state.json'));
  const clock = options.clock ?? Date.now;
  // A restart must not repeat the tokens of the run before.
  const random = createRandom((options.seed ?? 1) ^ Math.imul(state.nextId(), 2_654_435_761));
  const now = (): string => instant(clock());
  const access = seedState({ state, random, now }, dataDir, options);
  const world = assemble({ state, random, now, clock, dataDir });
  const fastify = await listen(world, options);
  for (const part of world.parts) await part.start?.();
  const { core, urls } = world;
  return {
    ...access,
    url: urls.web,
    apiUrl: urls.api,
    graphqlUrl: urls.graphql,
    webUrl: urls.web,
    core,
    knobs: core.knobs,
    setWebhookUrl: (url) => {
      const app = state.apps.must(Number(access.appId));
      app.webhook = { ...app.webhook, url, isActive: true };
      state.save();
    },
    addPerson: (login, role) => addPerson({ state, random, now }, access.owner, { login, role: role ?? null }),
    stop: async () => {
      for (const part of world.parts) await part.stop?.();
      await Promise.all(fastify.map(async (each) => await each.close()));
      await core.settled();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      else state.flush();
    },
  };
}

interface World {
  readonly core: Core;
  readonly faults: FaultState;
  readonly limits: LimitKeeper;
  readonly description: ApiDescription;
  readonly parts: readonly Part[];
  readonly urls: { web: string; api: string; graphql: string };
}

interface Given extends Maker {
  readonly clock: () => number;
  readonly dataDir: string;
}

function assemble({ state, random, now, clock, dataDir }: Given): World {
  const urls = { web: '', api: '', graphql: '' };
  const mistakes: string[] = [];
  const made: Part[] = [];
  const fail = (error: unknown): void =>
    void mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const hearing = createHearing(() => made.flatMap(({ hear }) => (hear === undefined ? [] : [hear])), fail);
  const rules: Rules = async (request) =>
    await joinRules(made.flatMap((part) => (part.rules === undefined ? [] : [part.rules])))(request);
  const effects = createEffects({ state, clock, now, emit: hearing.emit, settled: hearing.settled });
  const faults = createFaults(random, effects);
  const git = createGitStore(join(dataDir, 'repositories'));
  const core: Core = {
    state,
    git,
    random,
    knobs: faults.knobs,
    faults,
    rules,
    urls,
    clock,
    now,
    emit: hearing.emit,
    settled: async () => {
      await hearing.settled();
      for (const part of made) await part.settled?.();
    },
    mistakes,
    limits: createLimits(clock, faults.currentLimits),
  };
  made.push(...parts.map((makePart) => makePart(core)));
  made.push(createDelivering(core, made, readWebhookDescription()));
  return { core, faults, limits: core.limits, description: readApiDescription(), parts: made, urls };
}

async function listen(world: World, options: EmulatorOptions): Promise<{ close(): Promise<void> }[]> {
  const plain = await createServer(world);
  const host = options.host ?? '127.0.0.1';
  const web = (await plain.listen({ port: options.port ?? 0, host })).replace('0.0.0.0', '127.0.0.1');
  setUrls(world.urls, web);
  if (options.tls === undefined) return [plain];
  const { port, key, cert } = options.tls;
  const sealed = await createServer(world, { key, cert });
  await sealed.listen({ port, host });
  return [plain, sealed];
}

function setUrls(urls: { -readonly [Name in keyof Urls]: string }, web: string): void {
  Object.assign(urls, { web, api: `${web}/api/v3`, graphql: `${web}/api/graphql` });
}

const longestBody = 512 * 1024 * 1024;

async function createServer(
  world: World,
  https: { key: string; cert: string } | null = null,
): Promise<FastifyInstance> {
  const { core, faults, limits, description } = world;
  const byId = /^\/api\/v3\/repositories\/(\d+)(\/|\?|$)/;
  // The two kinds of server differ in the type of their socket alone.
  const fastify = Fastify({
    bodyLimit: longestBody,
    forceCloseConnections: true,
    ...(https === null ? {} : { https }),
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: true },
    // Where a redirect after a rename points to.
    rewriteUrl: ({ url = '/' }) => {
      const [whole, id, rest] = byId.exec(url) ?? [];
      const repository = whole === undefined ? undefined : core.state.repositories.get(Number(id));
      if (whole === undefined || repository === undefined) return url;
      const owner = core.state.accounts.must(repository.ownerId).login;
      return url.replace(whole, `/api/v3/repos/${owner}/${repository.name}${rest}`);
    },
  }) as unknown as FastifyInstance;
  let lastRequest = 0;
  fastify.addHook('onRequest', async (_request, reply) => {
    lastRequest += 1;
    reply.header('x-github-request-id', `${lastRequest.toString(16).toUpperCase().padStart(4, '0')}:E0A1`);
  });
  acceptEmptyJson(fastify);
  const routes = world.parts.flatMap((part) => part.routes ?? []);
  for (const each of routes) description.mustDescribe(each);
  const graphql = world.parts.find((part) => part.graphql !== undefined)?.graphql ?? null;
  registerApi(fastify, { core, faults, limits, description, routes, graphql });
  await registerGit(fastify, core, faults);
  registerKnobs(fastify, faults.knobs);
  for (const part of world.parts) await part.serve?.(fastify);
  return fastify;
}

/** Octokit sends `content-type: application/json` without a body. */
function acceptEmptyJson(fastify: FastifyInstance): void {
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? {} : JSON.parse(String(text)));
    } catch {
      done(Object.assign(new Error('Problems parsing JSON'), { statusCode: 400 }));
    }
  });
  fastify.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(text))));
  });
}

type Seeded = Omit<EmulatorAccess, 'url' | 'apiUrl' | 'graphqlUrl' | 'webUrl'>;

/** A kept state says who it began with; the key and the secret are its own. */
function seedState(maker: Maker, dataDir: string, options: EmulatorOptions): Seeded {
  const { state } = maker;
  const keyFile = join(dataDir, 'app.pem');
  if (!state.isLoaded) makeFirst(maker, keyFile, options);
  const app = state.apps.all()[0];
  const installation = state.installations.find((each) => each.appId === app?.id);
  const token = state.tokens.find((each) => each.kind === 'personal');
  const owner = state.accounts.get(app?.ownerId);
  if (app === undefined || token === undefined || owner === undefined)
    throw new Error(`${dataDir} holds no state of this emulator: name another folder.`);
  return {
    appId: String(app.id),
    slug: app.slug,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    keyFile,
    webhookSecret: app.webhook.secret ?? '',
    installationId: String(installation?.id ?? ''),
    owner: owner.login,
    token: token.token,
    login: state.accounts.must(token.userId ?? 0).login,
  };
}

function makeFirst(maker: Maker, keyFile: string, options: EmulatorOptions): void {
  const { state, random } = maker;
  const person = makeAccount(maker, { login: options.login ?? 'octocat', type: 'User' });
  const owner = makeAccount(maker, { login: options.owner ?? 'acme', type: 'Organization' });
  state.memberships.insert({ organizationId: owner.id, userId: person.id, role: 'admin' });
  const slug = options.slug ?? 'interlock';
  const { app, privateKey } = makeApp(maker, {
    slug,
    name: slug,
    owner,
    permissions: options.permissions ?? usualPermissions,
    events: usualEvents,
    webhook: {
      url: options.webhookUrl ?? null,
      secret: `whsec-${random.below(1_000_000_000)}`,
      isActive: options.webhookUrl !== undefined,
    },
    callbackUrls: options.callbackUrl === undefined ? [] : [options.callbackUrl],
    externalUrl: 'https://example.com',
    setupUrl: null,
    isPublic: true,
  });
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  makeInstallation(maker, { app, account: owner });
  makePersonalToken(maker, person);
  state.flush();
}

function addPerson(
  maker: Maker,
  owner: string,
  { login, role }: { login: string; role: 'admin' | 'member' | null },
): { login: string; token: string; id: number } {
  const { state } = maker;
  const account = makeAccount(maker, { login, type: 'User' });
  const organization = state.accounts.find((each) => each.login === owner);
  if (role !== null && organization !== undefined)
    state.memberships.insert({ organizationId: organization.id, userId: account.id, role });
  const { token } = makePersonalToken(maker, account);
  state.save();
  return { login, token, id: account.id };
}
