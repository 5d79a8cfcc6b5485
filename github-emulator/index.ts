// An emulator of GitHub: REST, GraphQL, git, webhooks and pages, for developing and testing without a network.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Core, instant, type Urls } from './core.ts';
import { createEffects } from './faults/effects.ts';
import { createFaults, type Controls } from './faults/controls.ts';
import { createRandom } from './faults/random.ts';
import { commitFirst } from './git/first-commit.ts';
import { joinRules, type Rules } from './git/rules.ts';
import { createGitStore } from './git/store.ts';
import { findAccount } from './http/reach.ts';
import { createLimits } from './http/limits.ts';
import { addPerson, type FirstState, type Seeded, seedState } from './model/first-state.ts';
import { makeRepository, type Maker } from './model/seed.ts';
import type { Repository } from './model/types.ts';
import { openState } from './model/state.ts';
import { readApiDescription, readWebhookDescription } from './openapi/description.ts';
import type { Part } from './part.ts';
import { parts } from './parts.ts';
import { createServer, type World } from './server.ts';
import { createDelivering } from './webhooks/delivering.ts';
import { createEventBus } from './webhooks/event-bus.ts';

export interface EmulatorOptions extends FirstState {
  /** Default: any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Kept between starts. Default: a temporary folder that `stop` removes. */
  readonly dataDir?: string;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Of every random choice: tokens, secrets, faults. */
  readonly seed?: number;
  /** Also listens here with TLS: PEM of key and certificate. The `gh` command speaks https alone. */
  readonly tls?: { readonly port: number; readonly key: string; readonly cert: string };
}

/** What the program prints as its one line. */
export interface EmulatorAccess extends Seeded {
  readonly url: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly webUrl: string;
}

export interface Emulator extends EmulatorAccess {
  readonly controls: Controls;
  readonly core: Core;
  readonly setWebhookUrl: (url: string) => void;
  /** A new person with a personal token; a member of the organisation if a role is given. */
  readonly addPerson: (
    login: string,
    role?: 'admin' | 'member',
  ) => { readonly login: string; readonly token: string; readonly id: number };
  /** A new repository of the organisation, whose first commit has the files (by path). */
  readonly addRepository: (name: string, given?: NewRepository) => Promise<AddedRepository>;
  /** What `secrets` has in the workflows of a repository, as its settings say. */
  readonly setSecrets: (fullName: string, secrets: Readonly<Record<string, string>>) => void;
  readonly stop: () => Promise<void>;
}

export interface NewRepository {
  readonly files?: Readonly<Record<string, string>>;
  /** Settings that differ from GitHub's usual ones, `supportsDrafts: false` among them. Repositories are private. */
  readonly settings?: Partial<Repository>;
}

export interface AddedRepository {
  readonly id: number;
  readonly fullName: string;
  readonly url: string;
  /** The first commit. */
  readonly head: string;
}

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'github-'));
  mkdirSync(dataDir, { recursive: true });
  const state = openState(options.dataDir === undefined ? null : join(dataDir, 'state.json'));
  const clock = options.clock ?? Date.now;
  // A restart must not repeat the tokens of the run before.
  const seed = (options.seed ?? 1) ^ Math.imul(state.nextId(), 2_654_435_761);
  const random = createRandom(seed);
  const now = (): string => instant(clock());
  const access = seedState({ state, random, now }, dataDir, options);
  const world = assemble({ state, random, now, clock, dataDir, faultsSeed: ~seed });
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
    controls: core.controls,
    setWebhookUrl: (url) => {
      const app = state.apps.must(Number(access.appId));
      app.webhook = { ...app.webhook, url, isActive: true };
      state.save();
    },
    addPerson: (login, role) => addPerson({ state, random, now }, access.owner, { login, role: role ?? null }),
    addRepository: async (name, given) => await addRepository(core, access, name, given),
    setSecrets: (fullName, secrets) => {
      const [login, name] = fullName.split('/');
      const owner = state.accounts.find((each) => each.login === login);
      const repository = state.repositories.find((each) => each.ownerId === owner?.id && each.name === name);
      if (repository === undefined) throw new Error(`There is no repository ${fullName}.`);
      repository.actionsSecrets = secrets;
      state.save();
    },
    stop: async () => {
      for (const part of world.parts) await part.stop?.();
      await Promise.all(fastify.map(async (each) => await each.close()));
      await core.settled();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      else state.flush();
    },
  };
}

async function addRepository(
  core: Core,
  access: Seeded,
  name: string,
  { files = { 'README.md': `# ${name}\n` }, settings = {} }: NewRepository = {},
): Promise<AddedRepository> {
  const [owner, sender] = [access.owner, access.login].map((login) => findAccount(core, login));
  if (owner === undefined || sender === undefined) throw new Error('The owner or the person of the emulator is gone.');
  const repository = makeRepository(core, { isPrivate: true, ...settings, owner, name });
  await core.git.create(repository);
  core.emit({ name: 'repository', action: 'created', repository, sender });
  const head = await commitFirst(core, repository, sender, files);
  core.state.save();
  const fullName = `${owner.login}/${name}`;
  return { id: repository.id, fullName, url: `${core.urls.web}/${fullName}.git`, head };
}

interface Given extends Maker {
  readonly clock: () => number;
  readonly dataDir: string;
  readonly faultsSeed: number;
}

function assemble({ state, random, now, clock, dataDir, faultsSeed }: Given): World {
  const urls = { web: '', api: '', graphql: '' };
  const mistakes: string[] = [];
  const made: Part[] = [];
  const fail = (error: unknown): void =>
    void mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const events = createEventBus(() => made.flatMap(({ onEvent }) => (onEvent === undefined ? [] : [onEvent])), fail);
  const rules: Rules = async (request) =>
    await joinRules(made.flatMap((part) => (part.rules === undefined ? [] : [part.rules])))(request);
  const effects = createEffects({ state, clock, now, emit: events.emit, settled: events.handled });
  const faults = createFaults(createRandom(faultsSeed), effects);
  const git = createGitStore(join(dataDir, 'repositories'));
  const core: Core = {
    state,
    git,
    random,
    controls: faults.controls,
    faults,
    rules,
    urls,
    clock,
    now,
    emit: events.emit,
    settled: async () => {
      // A part emits an event for what it finishes, and an event may start work in a part.
      for (let pass = 0; pass < 3; pass += 1) {
        await events.settled();
        for (const part of made) await part.settled?.();
      }
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
