// Serves git's smart HTTP at `<owner>/<name>.git` and `<owner>/<name>`. Clients authenticate with any user name, and
// with a token as the password.
import { createGunzip } from 'node:zlib';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { canSee, hasRole, type Actor } from '../auth/actor.ts';
import { authenticate } from '../auth/authenticate.ts';
import type { Core } from '../core.ts';
import type { FaultState } from '../faults/controls.ts';
import { sendFault } from '../http/api.ts';
import { ApiError } from '../http/errors.ts';
import { findFormer, findRepository, fullNameOf } from '../http/reach.ts';
import type { Repository } from '../model/types.ts';
import { flush, packet } from './pkt-line.ts';
import { countCall } from '../usage.ts';
import { receivePush } from './push.ts';
import { runGit, spawnGit } from './run.ts';

type Service = 'git-upload-pack' | 'git-receive-pack';

interface Place {
  Params: { owner: string; repo: string };
  Querystring: { service?: string };
}

export async function registerGit(fastify: FastifyInstance, core: Core, faults: FaultState): Promise<void> {
  await fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.get<Place>('/:owner/:repo/info/refs', async (request, reply) => {
      const service = request.query.service;
      if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
        return await reply.status(403).type('text/plain').send('Please upgrade your git client.\n');
      const call = { service, request, reply } as const;
      return await serve(core, faults, call, async (repository) => await advertise(core, repository, call));
    });
    scope.post<Place>('/:owner/:repo/git-upload-pack', async (request, reply) => {
      const call = { service: 'git-upload-pack', request, reply } as const;
      return await serve(core, faults, call, async (repository) => await uploadPack(core, repository, call));
    });
    scope.post<Place>('/:owner/:repo/git-receive-pack', async (request, reply) => {
      const call = { service: 'git-receive-pack', request, reply } as const;
      return await serve(core, faults, call, async (repository, actor) => {
        const answer = await receivePush(core, repository, { actor, body: await bodyOf(request) });
        if (answer === null) return cutOff(reply);
        const lost = faults.takeFault('git-receive-pack', 'after');
        if (lost !== null) return lost.status === 'reset' ? cutOff(reply) : await sendFault(reply, lost);
        return await uncached(reply).type('application/x-git-receive-pack-result').send(answer);
      });
    });
  });
}

interface Call {
  readonly service: Service;
  readonly request: FastifyRequest<Place>;
  readonly reply: FastifyReply;
}

async function serve(
  core: Core,
  faults: FaultState,
  call: Call,
  work: (repository: Repository, actor: Actor) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { service, request, reply } = call;
  const isAdvertisement = request.method === 'GET';
  countCall(isAdvertisement ? `info/refs ${service}` : service);
  await faults.delay(service);
  // `info/refs` is an operation of its own. So a fault of `git-receive-pack` or `git-upload-pack` happens at the second
  // request of a push or fetch.
  const fault = faults.takeFault(isAdvertisement ? `info/refs ${service}` : service, 'before');
  if (fault !== null) return await sendFault(reply, fault);
  try {
    const actor = authenticate(core, request.headers.authorization);
    const name = request.params.repo.replace(/\.git$/, '');
    const repository = findRepository(core, request.params.owner, name);
    const former = repository === undefined ? findFormer(core, request.params.owner, name) : undefined;
    if (former !== undefined && canSee(core, actor, former)) return await redirect(core, former, call);
    if (repository === undefined || !canSee(core, actor, repository)) throw unknown(actor);
    const refusal = decideRefusal(core, actor, { repository, service });
    if (refusal !== null) return await reply.status(refusal.status).type('text/plain').send(`${refusal.message}\n`);
    return await work(repository, actor);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) reply.header('www-authenticate', 'Basic realm="GitHub"');
    return await reply.status(error.status).type('text/plain').send(`${error.message}\n`);
  }
}

function unknown(actor: Actor): ApiError {
  return actor.kind === 'anonymous'
    ? new ApiError(401, 'Repository not found.')
    : new ApiError(404, 'Repository not found.');
}

function decideRefusal(
  core: Core,
  actor: Actor,
  { repository, service }: { readonly repository: Repository; readonly service: Service },
): ApiError | null {
  if (service === 'git-upload-pack')
    return hasRole(core, actor, { repository, role: 'read' })
      ? null
      : new ApiError(403, 'Write access to repository not granted.');
  if (actor.kind === 'anonymous') throw new ApiError(401, 'Authentication required.');
  if (repository.isArchived) return new ApiError(403, 'ERROR: This repository was archived so it is read-only.');
  const fullName = fullNameOf(core, repository);
  const login = 'account' in actor ? actor.account.login : 'app';
  if (hasRole(core, actor, { repository, role: 'write' })) return null;
  return new ApiError(403, `Permission to ${fullName}.git denied to ${login}.`);
}

async function redirect(core: Core, repository: Repository, { request, reply }: Call): Promise<FastifyReply> {
  const rest = request.url.split('/').slice(3).join('/');
  return await reply.redirect(`${core.urls.web}/${fullNameOf(core, repository)}.git/${rest}`, 301);
}

async function advertise(core: Core, repository: Repository, { service, request, reply }: Call): Promise<FastifyReply> {
  const env = service === 'git-upload-pack' ? protocolOf(request) : {};
  const args = [service.slice('git-'.length), '--stateless-rpc', '--advertise-refs', '.'];
  const { stdout } = await runGit(core.git.directoryOf(repository), args, { env });
  const isVersion2 = env['GIT_PROTOCOL']?.includes('version=2') ?? false;
  const body = isVersion2 ? stdout : Buffer.concat([packet(`# service=${service}\n`), flush, stdout]);
  return await uncached(reply).type(`application/x-${service}-advertisement`).send(body);
}

async function uploadPack(core: Core, repository: Repository, { request, reply }: Call): Promise<FastifyReply> {
  const body = await bodyOf(request);
  const child = spawnGit(
    core.git.directoryOf(repository),
    ['upload-pack', '--stateless-rpc', '.'],
    protocolOf(request),
  );
  child.stderr.resume();
  child.ended.catch((error: Error) => child.stdout.destroy(error));
  reply.raw.on('close', () => child.kill());
  child.stdin.end(body);
  return await uncached(reply).type('application/x-git-upload-pack-result').send(child.stdout);
}

async function bodyOf(request: FastifyRequest): Promise<Buffer> {
  const raw = (request.body as Readable | undefined) ?? request.raw;
  const isCompressed = ['gzip', 'x-gzip'].includes(request.headers['content-encoding'] ?? '');
  const chunks: Buffer[] = [];
  for await (const chunk of isCompressed ? raw.pipe(createGunzip()) : raw) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Closes the connection after the first bytes of the answer. Without any bytes, the client would send the push again.
 */
function cutOff(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result', 'content-length': 1000 });
  reply.raw.write('00');
  // The socket is destroyed only after the bytes were sent.
  reply.raw.socket?.end(() => reply.raw.destroy());
  return reply;
}

function protocolOf(request: FastifyRequest): Record<string, string> {
  const header = request.headers['git-protocol'];
  return typeof header === 'string' && /^[a-z0-9=:.-]{1,64}$/i.test(header) ? { GIT_PROTOCOL: header } : {};
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-cache, max-age=0, must-revalidate').header('pragma', 'no-cache');
}
