// Authenticates and authorises requests of git over HTTP, and requests for the output of checks.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GitServing, GitUser, HostRepository } from '../port.ts';
import type { LocalHost } from './local-host.port.ts';

export interface GitHttpOptions extends GitServing {
  readonly host: LocalHost;
}

export type Service = 'git-upload-pack' | 'git-receive-pack';
export interface Place {
  Params: { owner: string; repository: string };
}

type GitScope = 'queue:read' | 'queue:write';

const scopeOf = { 'git-upload-pack': 'queue:read', 'git-receive-pack': 'queue:write' } as const satisfies Record<
  Service,
  GitScope
>;

/** An error answer, with its HTTP status. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Exchange {
  readonly request: FastifyRequest<Place>;
  readonly reply: FastifyReply;
}

export interface AdmittedRequest {
  readonly repository: HostRepository;
  readonly user: GitUser;
}

/** Admits a git client, which sends a token as its password. Throws Refusal. */
export async function admitGit(
  options: GitHttpOptions,
  exchange: Exchange,
  service: Service,
): Promise<AdmittedRequest> {
  const scope = scopeOf[service];
  return await admit(options, exchange, { user: await userOf(options, exchange.request, scope), scope });
}

/**
 * Admits a reader of check output, who sends a token or the session of a browser. Returns 'sign in' for a browser
 * without a session. Throws Refusal.
 */
export async function admitReader(options: GitHttpOptions, exchange: Exchange): Promise<AdmittedRequest | 'sign in'> {
  const { request } = exchange;
  const scope = 'queue:read';
  const isBrowser = request.headers.authorization === undefined && asksForPage(request);
  const user = isBrowser ? await options.authenticateBrowser(request) : await userOf(options, request, scope);
  if (isBrowser && user === null) return 'sign in';
  return await admit(options, exchange, { user, scope });
}

async function admit(
  options: GitHttpOptions,
  { request, reply }: Exchange,
  { user, scope }: { readonly user: GitUser | 'forbidden' | null; readonly scope: GitScope },
): Promise<AdmittedRequest> {
  if (user === null) throw new Refusal(401, 'Sign in with an API token as the password; any user name will do');
  if (user === 'forbidden') throw new Refusal(403, `This token lacks the scope ${scope}`);
  const { isAllowed, headers } = options.spend(user.accountId);
  for (const [name, value] of headers) reply.header(name, value);
  if (!isAllowed) throw new Refusal(429, `Too many requests: try again in ${headers.get('retry-after') ?? '1'} s`);
  const { owner, repository: file } = request.params;
  const found = file.endsWith('.git')
    ? await options.resolve(user.accountId, owner, file.slice(0, -'.git'.length))
    : null;
  // A repository of another account and a repository that does not exist get the same answer.
  if (found === null || found.accountId !== user.accountId) throw new Refusal(404, 'Repository not found');
  return { repository: found, user };
}

async function userOf(
  options: GitHttpOptions,
  { headers }: FastifyRequest,
  scope: GitScope,
): Promise<GitUser | 'forbidden' | null> {
  const token = readToken(headers.authorization);
  return token === null ? null : await options.authenticate(token, scope);
}

function asksForPage({ headers: { accept } }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(accept ?? '');
}

function readToken(header: string | undefined): string | null {
  const [scheme, value = ''] = (header ?? '').split(' ');
  if (/^bearer$/i.test(scheme ?? '')) return value || null;
  if (!/^basic$/i.test(scheme ?? '')) return null;
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1) || null;
}
