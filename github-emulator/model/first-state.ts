// Makes the state of a new emulator, or reads the facts about a stored state.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  makeAccount,
  makeApp,
  makeInstallation,
  makePersonalToken,
  type Maker,
  defaultEvents,
  defaultPermissions,
} from './seed.ts';
import type { Permissions } from './types.ts';

export interface FirstState {
  /** The login of the organisation. Default: `acme`. */
  readonly owner?: string;
  /** The login of the person who owns the organisation. Default: `octocat`. */
  readonly login?: string;
  /** The slug of the App. Default: `interlock`. */
  readonly slug?: string;
  readonly permissions?: Permissions;
  /** The address to which the App gets its webhooks. Default: none. `setWebhookUrl` sets the address later. */
  readonly webhookUrl?: string;
  /** The callback address of a sign-in. Default: any loopback address. */
  readonly callbackUrl?: string;
}

/**
 * The App, the organisation and the person of a new state. The private key of the App is in a file and not in the
 * state, because GitHub does not store private keys.
 */
export interface SeededFacts {
  readonly appId: string;
  readonly slug: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The path of a file with the App's private key. */
  readonly keyFile: string;
  readonly webhookSecret: string;
  readonly installationId: string;
  readonly owner: string;
  /** A personal token of `login`. */
  readonly token: string;
  readonly login: string;
}

/**
 * Makes a new state, or reads the facts about a stored state. A stored state has its own key and secret, whatever
 * `options` says.
 */
export function seedState(maker: Maker, dataDir: string, options: FirstState): SeededFacts {
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

function makeFirst(maker: Maker, keyFile: string, options: FirstState): void {
  const { state, random } = maker;
  const person = makeAccount(maker, { login: options.login ?? 'octocat', type: 'User' });
  const owner = makeAccount(maker, { login: options.owner ?? 'acme', type: 'Organization' });
  state.memberships.insert({ organizationId: owner.id, userId: person.id, role: 'admin' });
  const slug = options.slug ?? 'interlock';
  const { app, privateKey } = makeApp(maker, {
    slug,
    name: slug,
    owner,
    permissions: options.permissions ?? defaultPermissions,
    events: defaultEvents,
    webhook: {
      url: options.webhookUrl ?? null,
      secret: `whsec-${random.below(1_000_000_000)}`,
      isActive: options.webhookUrl !== undefined,
    },
    callbackUrls: options.callbackUrl === undefined ? [] : [options.callbackUrl],
    externalUrl: 'https://example.com',
    setupUrl: null,
    isPublic: false,
  });
  writeFileSync(keyFile, privateKey, { mode: 0o600 });
  makeInstallation(maker, { app, account: owner });
  makePersonalToken(maker, person);
  state.flush();
}

export function addPerson(
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
