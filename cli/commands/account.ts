// The commands login, logout and open.
import { Option } from 'commander';
import { createApi } from '../client/api.ts';
import { repositoryOfCheckout, type RepositoryName } from '../client/checkout.ts';
import { logInByBrowser } from '../client/browser-login.ts';
import { isUnprotected, readAddress, type Logins } from '../client/connection.ts';
import { loginsFile, readLogins, storeLogins } from '../client/logins.ts';
import { CreateSignInLinkDocument, RevokeApiTokenDocument, ViewerDocument } from '../generated/operations.ts';
import { Failure } from '../output/failure.ts';
import { readSecret } from '../output/io.ts';
import { connect, examples, pullRequestOf, repositoryOf, type Invocation, type Registry } from './invocation.ts';

export function addAccountCommands({ program, action }: Registry): void {
  program
    .command('login')
    .description('Logs in to a service with a browser, and stores the token that the service gives.')
    .argument('<address>', 'the address of the service')
    .option('--no-browser', 'print a link, and take the code that its page shows')
    .option('--with-token', 'take a token instead of opening a browser; this is the default without a terminal')
    .addHelpText(
      'after',
      examples('interlock login https://interlock.example.com', 'interlock login http://127.0.0.1:4000 < token.txt'),
    )
    .action(action(logIn));
  program
    .command('logout')
    .description(
      'Revokes the stored token at the service, and deletes it here. A token that was typed at `login` stays valid, because it may be in use elsewhere.',
    )
    .argument('[address]', 'the address of the service; if left out, the service of the last login')
    .addOption(new Option('--revoke', 'also revoke a token that was typed').conflicts('local'))
    .option('--local', 'delete the token here, without a call of the service')
    .addHelpText('after', examples('interlock logout', 'interlock logout https://interlock.example.com --revoke'))
    .action(action(logOut));
  program
    .command('open')
    .description('Opens the page of the queue or of a pull request. Without a terminal it prints the address.')
    .argument('[pull-request]', 'number or link; if left out, the queue')
    .option('--print', 'print the address, and open nothing')
    .option('--sign-in', 'sign the browser in as the user of the token, by a link that works once')
    .addHelpText('after', examples('interlock open', 'interlock open 42 --print'))
    .action(action(open));
}

interface LogInOptions {
  readonly browser: boolean;
  readonly withToken?: boolean;
}

async function logIn(
  invocation: Invocation,
  { browser, withToken = false }: LogInOptions,
  given: string | undefined,
): Promise<void> {
  const { io, say, printProgress, document } = invocation;
  const address = readAddress(given ?? '');
  if (address === null) throw new Failure('usage', `${given} is not an address such as https://interlock.example.com.`);
  if (isUnprotected(address))
    printProgress(`The connection to ${address} is not encrypted, so others may be able to read the token.`);
  const isTyped = withToken || (browser && io.stdin.isTTY !== true);
  const token = isTyped
    ? await readSecret(io, `Token of ${address} (made at ${address}/settings/tokens): `)
    : await logInByBrowser(io, { address, opensBrowser: browser, printProgress });
  if (token === '') throw new Failure('usage', 'No token was given. Type a token, or pass it on the standard input.');
  const { viewer } = await createApi({ url: address, token, signal: io.signal }).ask(ViewerDocument, {});
  const user = viewer.handle ?? viewer.email ?? viewer.account.name;
  const { byAddress } = await readLogins(io.env);
  await storeLogins(io.env, {
    latest: address,
    byAddress: { ...byAddress, [address]: { token, user, isOwn: !isTyped } },
  });
  say(`Logged in to ${address} as ${user} of ${viewer.account.name}. The token is in ${loginsFile(io.env)}.`);
  document({ url: address, user, account: viewer.account.name, scopes: viewer.scopes.map(scopeName) });
}

/** The name of a scope as a user writes it, such as `queue:read`. */
function scopeName(scope: string): string {
  return scope.toLowerCase().replace('_', ':');
}

interface LogOutOptions {
  readonly revoke?: boolean;
  readonly local?: boolean;
}

async function logOut(
  { io, say, document }: Invocation,
  { revoke = false, local = false }: LogOutOptions,
  given: string | undefined,
): Promise<void> {
  const logins = await readLogins(io.env);
  const address = given === undefined ? logins.latest : readAddress(given);
  const login = address === null ? undefined : logins.byAddress[address];
  if (address === null || login === undefined)
    throw new Failure('refused', `No token is stored for ${given ?? 'any service'}.`, { code: 'NOT_FOUND' });
  const mustRevoke = !local && (login.isOwn === true || revoke);
  const revocation = mustRevoke ? await revokeToken(io.signal, address, login.token) : 'kept';
  await storeLogins(io.env, withoutLogin(logins, address));
  say(`The token of ${address} is deleted on this machine. ${revocationTexts[revocation]}`);
  document({ url: address, revoked: revocation === 'revoked' });
}

const revocationTexts = {
  revoked: 'The service has revoked the token.',
  refused: 'The service did not accept the token any more.',
  kept: 'The token stays valid until you revoke it on the page /settings/tokens.',
} as const;

/** Revokes a token. Throws if the token may still be valid. */
async function revokeToken(signal: AbortSignal, url: string, token: string): Promise<'revoked' | 'refused'> {
  try {
    await createApi({ url, token, signal }).ask(RevokeApiTokenDocument, { input: {} });
    return 'revoked';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The token was not valid any more. An earlier attempt may have revoked it without receiving the answer.
    if (error.code === 'UNAUTHENTICATED') return 'refused';
    const { outcome, message, code, field } = error;
    throw new Failure(outcome, `${message} To delete the token on this machine only: interlock logout ${url} --local`, {
      code,
      field,
    });
  }
}

function withoutLogin({ latest, byAddress }: Logins, address: string): Logins {
  const { [address]: _, ...others } = byAddress;
  return { latest: latest === address ? (Object.keys(others).at(-1) ?? null) : latest, byAddress: others };
}

interface OpenOptions {
  readonly print?: boolean;
  readonly signIn?: boolean;
}

async function open(invocation: Invocation, { print, signIn }: OpenOptions, pullRequest?: string): Promise<void> {
  const { io, global, say, document } = invocation;
  const api = await connect(invocation);
  const path = await pathOf(invocation, pullRequest, api);
  const url = signIn
    ? (await api.ask(CreateSignInLinkDocument, { input: { next: path } })).createSignInLink.url
    : `${api.url}${path}`;
  document({ url });
  if (print || global.json || io.stdout.isTTY !== true) return say(url);
  await io.openPage(url);
  say(`Opened ${url}`);
}

async function pathOf(
  invocation: Invocation,
  text: string | undefined,
  api: Awaited<ReturnType<typeof connect>>,
): Promise<string> {
  if (text !== undefined) {
    const { repository, number } = await pullRequestOf(invocation, api, text);
    return `${pageOf(repository)}/pull/${number}`;
  }
  const { io, global } = invocation;
  const isElsewhere = global.repo === undefined && (await repositoryOfCheckout(io.cwd)) === null;
  return isElsewhere ? '/' : pageOf(await repositoryOf(invocation));
}

function pageOf({ owner, name }: RepositoryName): string {
  return `/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
