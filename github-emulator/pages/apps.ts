// The two pages for a new App: one creates it from a manifest, and the other installs it.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { roleOf } from '../auth/actor.ts';
import { type Core, instant } from '../core.ts';
import { ApiError } from '../http/errors.ts';
import { findAccount } from '../http/reach.ts';
import { created, type RestAnswer, type RestRequest, type RestRoute, route } from '../http/route.ts';
import { randomWord } from '../model/ids.ts';
import { makeApp, makeInstallation } from '../model/seed.ts';
import type { Account, App, Installation, Permissions } from '../model/types.ts';
import { renderApp } from '../render/accounts.ts';
import { escape, form, hiddenFields, select, sendPage } from './html.ts';

const codeLifeMs = 3_600_000;

interface Manifest {
  readonly name?: string;
  readonly url?: string;
  readonly hook_attributes?: { readonly url?: string; readonly active?: boolean };
  readonly redirect_url?: string;
  readonly callback_urls?: string[];
  readonly setup_url?: string;
  readonly public?: boolean;
  readonly default_permissions?: Permissions;
  readonly default_events?: string[];
}

interface ManifestForm {
  Querystring: { state?: string };
  Body: { manifest?: string; state?: string; as?: string; owner?: string };
}

export function registerAppPages(fastify: FastifyInstance, core: Core): void {
  for (const path of ['/settings/apps/new', '/organizations/:org/settings/apps/new'])
    fastify.post<ManifestForm & { Params: { org?: string } }>(path, async (request, reply) => {
      const owner = request.params.org;
      const fields = { manifest: request.body.manifest, state: request.query.state, owner };
      return await askForApp(core, fields, reply);
    });
  fastify.post<ManifestForm>('/_emulator/apps', async (request, reply) => await createApp(core, request.body, reply));
  fastify.get<{ Params: { slug: string }; Querystring: { state?: string } }>(
    '/apps/:slug/installations/new',
    async (request, reply) => await askForInstallation(core, { ...request.params, ...request.query }, reply),
  );
  fastify.post<{ Params: { slug: string }; Body: Record<string, string> }>(
    '/apps/:slug/installations/new',
    async (request, reply) => await install(core, { ...request.body, slug: request.params.slug }, reply),
  );
  fastify.get<{ Params: { slug: string } }>('/apps/:slug', async (request, reply) => {
    const app = findApp(core, request.params.slug);
    if (app === undefined) return await sendPage(reply, 'Not found', '', 404);
    return await sendPage(reply, app.name, `<p><a href="/apps/${app.slug}/installations/new">Install</a></p>`);
  });
}

export const manifestRoutes: readonly RestRoute[] = [route('POST', '/app-manifests/{code}/conversions', convert)];

function parseManifest(text: string | undefined): Manifest | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Why GitHub would refuse to create the App. Null: GitHub would create it. */
function refuseManifest(core: Core, manifest: Manifest | null): string | null {
  if (manifest === null) return 'The manifest is not JSON.';
  if (manifest.url === undefined) return 'The manifest has no "url".';
  if (manifest.redirect_url === undefined) return 'The manifest has no "redirect_url".';
  if (manifest.hook_attributes !== undefined && manifest.hook_attributes.url === undefined)
    return 'The manifest has "hook_attributes" without "url".';
  if (findApp(core, slugOf(manifest)) !== undefined) return `The name ${manifest.name} is already taken.`;
  return null;
}

function slugOf({ name = 'app' }: Manifest): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function peopleOf(core: Core): string[] {
  return core.state.accounts.filter(({ type }) => type === 'User').map(({ login }) => login);
}

async function askForApp(
  core: Core,
  fields: { manifest?: string | undefined; state?: string | undefined; owner?: string | undefined },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const manifest = parseManifest(fields.manifest);
  const refusal = refuseManifest(core, manifest);
  if (refusal !== null) return await sendPage(reply, 'The App was not created', `<p>${escape(refusal)}</p>`, 422);
  const inside = `${hiddenFields(fields)}<p>As ${select('as', peopleOf(core))}</p>`;
  const title = `Create ${manifest?.name ?? 'a GitHub App'}`;
  return await sendPage(reply, title, form('/_emulator/apps', inside, `${title} for ${fields.owner ?? 'yourself'}`));
}

async function createApp(core: Core, body: ManifestForm['Body'], reply: FastifyReply): Promise<FastifyReply> {
  const manifest = parseManifest(body.manifest);
  const refusal = refuseManifest(core, manifest);
  const person = findAccount(core, body.as ?? '');
  const owner = body.owner === undefined ? person : findAccount(core, body.owner);
  if (refusal !== null || manifest === null || person === undefined || owner === undefined)
    return await sendPage(reply, 'The App was not created', `<p>${escape(refusal ?? 'Who are you?')}</p>`, 422);
  if (!mayManage(core, person, owner)) return await sendPage(reply, 'Not found', '', 404);
  const { app, privateKey } = makeAppOf(core, manifest, owner);
  const { code } = core.state.codes.insert({
    code: randomWord(core.random, 40).toLowerCase(),
    kind: 'manifest',
    appId: app.id,
    userId: person.id,
    redirectUri: null,
    codeChallenge: null,
    scopes: [],
    privateKey,
    expiresAt: instant(core.clock() + codeLifeMs),
  });
  core.state.save();
  const url = new URL(manifest.redirect_url ?? '');
  url.searchParams.set('code', code);
  if (body.state !== undefined) url.searchParams.set('state', body.state);
  return await reply.redirect(url.href, 302);
}

function makeAppOf(core: Core, manifest: Manifest, owner: Account): ReturnType<typeof makeApp> {
  return makeApp(core, {
    slug: slugOf(manifest),
    name: manifest.name ?? 'app',
    owner,
    permissions: { metadata: 'read', ...manifest.default_permissions },
    events: manifest.default_events ?? [],
    webhook: {
      url: manifest.hook_attributes?.url ?? null,
      secret: randomWord(core.random, 40).toLowerCase(),
      isActive: manifest.hook_attributes?.active !== false,
    },
    callbackUrls: manifest.callback_urls ?? [],
    externalUrl: manifest.url ?? '',
    setupUrl: manifest.setup_url ?? null,
    isPublic: manifest.public === true,
  });
}

/** Exchanges a code for the App and its private key. A code is valid once and for an hour. */
function convert({ core, params }: RestRequest): RestAnswer {
  const found = core.state.codes.find((each) => each.kind === 'manifest' && each.code === params['code']);
  if (found === undefined || Date.parse(found.expiresAt) <= core.clock()) throw new ApiError(404, 'Not Found');
  core.state.codes.remove(found.id);
  const app = core.state.apps.must(found.appId);
  return created({
    ...renderApp(core, app),
    client_id: app.clientId,
    client_secret: app.clientSecret,
    webhook_secret: app.webhook.secret,
    pem: found.privateKey,
  });
}

function findApp(core: Core, slug: string): App | undefined {
  return core.state.apps.find((each) => each.slug === slug);
}

function mayManage(core: Core, person: Account, owner: Account): boolean {
  if (person.id === owner.id) return true;
  const membership = core.state.memberships.find(
    (each) => each.organizationId === owner.id && each.userId === person.id,
  );
  return membership?.role === 'admin';
}

async function askForInstallation(
  core: Core,
  { slug, state }: { slug: string; state?: string },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const app = findApp(core, slug);
  if (app === undefined) return await sendPage(reply, 'Not found', '', 404);
  const accounts = core.state.accounts.filter(({ type }) => type !== 'Bot').map(({ login }) => login);
  const owner = core.state.accounts.must(app.ownerId).login;
  const inside = `${hiddenFields({ state })}
<p>On ${select('account', accounts, owner)} as ${select('as', peopleOf(core))}</p>
<p>Repositories (names, separated by commas; empty means all): <input name="repositories"></p>`;
  return await sendPage(reply, `Install ${app.name}`, form(`/apps/${slug}/installations/new`, inside, 'Install'));
}

async function install(core: Core, body: Record<string, string>, reply: FastifyReply): Promise<FastifyReply> {
  const app = findApp(core, body['slug'] ?? '');
  const person = findAccount(core, body['as'] ?? '');
  const account = findAccount(core, body['account'] ?? '');
  if (app === undefined || person === undefined || account === undefined || !mayManage(core, person, account))
    return await sendPage(reply, 'Not found', '', 404);
  if (!app.isPublic && app.ownerId !== account.id)
    return await sendPage(reply, 'Not found', '<p>A private App is installed on its owner alone.</p>', 404);
  const existing = core.state.installations.find((each) => each.appId === app.id && each.accountId === account.id);
  const installation = existing ?? makeNew(core, { app, account, person, names: body['repositories'] ?? '' });
  core.state.save();
  const target = app.setupUrl ?? `${core.urls.web}/settings/installations/${installation.id}`;
  const url = new URL(target);
  url.searchParams.set('installation_id', String(installation.id));
  url.searchParams.set('setup_action', existing === undefined ? 'install' : 'update');
  if (body['state'] !== undefined) url.searchParams.set('state', body['state']);
  return await reply.redirect(url.href, 302);
}

function makeNew(
  core: Core,
  { app, account, person, names }: { app: App; account: Account; person: Account; names: string },
): Installation {
  const wanted = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const repositories = core.state.repositories.filter(
    (each) => each.ownerId === account.id && wanted.includes(each.name) && roleOf(core, person, each) === 'admin',
  );
  const installation = makeInstallation(core, { app, account, ...(wanted.length === 0 ? {} : { repositories }) });
  core.emit({ name: 'installation', action: 'created', installation, sender: person });
  return installation;
}
