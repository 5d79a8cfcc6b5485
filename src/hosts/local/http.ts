// git over HTTP: `/git/<owner>/<name>.git/…` serves clone, fetch and push, with a token as the password and any user
// name. The same prefix has the output of checks. A repository of another account is reported as not found. `git
// http-backend` was rejected: it starts one more process for each request, and does not limit the size of a body.
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { removeAbandonedFolders, withProcessFolder } from '../../platform/sandbox/index.ts';
import { isOutage } from '../../platform/outage.ts';
import { branchOf, type Git } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import {
  admitGit,
  admitReader,
  Refusal,
  type AdmittedRequest,
  type GitHttpOptions,
  type Place,
  type Service,
  type Exchange,
} from './http.admission.ts';
import { readDefaultBranch } from './installation.ts';
import { flushPacket, packet, ProtocolError } from './pkt-line.ts';
import { createPushRoom, type PushFolders, type PushRoom } from './push-room.ts';
import { receivePush } from './receive-pack.ts';

const longestFetchRequest = 64 * 1024 * 1024;
/**
 * The most bytes that a compressed body may have after decompression. git compresses its requests for objects, but
 * never a pack.
 */
const longestInflated = 64 * 1024 * 1024;

export async function registerGitHttp(fastify: FastifyInstance, options: GitHttpOptions): Promise<void> {
  const room = createPushRoom(() => options.bounds.freeBytes);
  // Removes the folders of pushes during which a process was killed.
  await removeAbandonedFolders(tmpdir());
  await fastify.register(async (scope) => {
    // git's bodies are streams of any size. No body is parsed before the request is authorised.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.setErrorHandler(async (error, request, reply) => await sendError(error, request, reply));

    scope.get<Place & { Querystring: { service?: string } }>(
      '/git/:owner/:repository/info/refs',
      async (request, reply) => {
        const { service } = request.query;
        if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
          throw new Refusal(403, 'Please upgrade your git client: only the smart HTTP protocol is served');
        const { repository } = await admitGit(options, { request, reply }, service);
        // git shows the text of a refusal here, and only the number of a refusal of the push itself.
        if (service === 'git-receive-pack' && !(await room.hasRoomForNext(foldersOf(options, repository))))
          throw tooFull();
        return await advertise(options, repository, { service, request, reply });
      },
    );
    scope.post<Place>('/git/:owner/:repository/git-upload-pack', async (request, reply) => {
      const { repository } = await admitGit(options, { request, reply }, 'git-upload-pack');
      mustBeType(request, 'git-upload-pack');
      return await uploadPack(options, repository, { request, reply });
    });
    scope.post<Place>('/git/:owner/:repository/git-receive-pack', async (request, reply) => {
      const admitted = await admitGit(options, { request, reply }, 'git-receive-pack');
      mustBeType(request, 'git-receive-pack');
      return await receivePack({ ...options, room }, admitted, { request, reply });
    });
    scope.get<{ Params: Place['Params'] & { id: string } }>(
      '/git/:owner/:repository/checks/:id/log',
      async (request, reply) => {
        const admitted = await admitReader(options, { request, reply });
        // Pages and comments contain links to checks. A browser that is not signed in is redirected to sign in, and
        // then back to this URL.
        if (admitted === 'sign in')
          return await uncached(reply).redirect(`/session?next=${encodeURIComponent(request.url)}`, 303);
        const log = await options.host.readCheckLog(admitted.repository, request.params.id);
        if (log === null) throw new Refusal(404, 'Check not found');
        return await uncached(reply)
          .type('text/plain; charset=utf-8')
          .header('x-content-type-options', 'nosniff')
          .send(log.text);
      },
    );
  });
}

async function advertise(
  options: GitHttpOptions,
  repository: HostRepository,
  { service, request, reply }: Exchange & { readonly service: Service },
): Promise<FastifyReply> {
  const { git, directoryOf } = options.host.installation;
  const env = service === 'git-upload-pack' ? protocolOf(request) : {};
  const run = async (): Promise<Buffer> =>
    (
      await git.run(
        directoryOf(repository),
        [service.slice('git-'.length), '--stateless-rpc', '--advertise-refs', '.'],
        { env },
      )
    ).stdout;
  // An answer in protocol version 2 has no line with the name of the service.
  const isVersion2 = env['GIT_PROTOCOL']?.includes('version=2') ?? false;
  const body = isVersion2
    ? await capabilitiesOf(git, env['GIT_PROTOCOL'] ?? '', run)
    : Buffer.concat([packet(`# service=${service}\n`), flushPacket, await run()]);
  return await uncached(reply).type(`application/x-${service}-advertisement`).send(body);
}

const knownCapabilities = new WeakMap<Git, Buffer>();

/**
 * The first answer of protocol version 2 lists the capabilities of the git version. It is the same for every
 * repository, so it is cached.
 */
async function capabilitiesOf(git: Git, protocol: string, run: () => Promise<Buffer>): Promise<Buffer> {
  // With further protocol parameters, the answer may differ.
  if (protocol !== 'version=2') return await run();
  const known = knownCapabilities.get(git) ?? (await run());
  knownCapabilities.set(git, known);
  return known;
}

async function uploadPack(
  options: GitHttpOptions,
  repository: HostRepository,
  { request, reply }: Exchange,
): Promise<FastifyReply> {
  const { git, directoryOf } = options.host.installation;
  const body = bodyOf(request);
  const child = git.upload(directoryOf(repository), protocolOf(request));
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout) throw new Error('git was started without its streams');
  stderr?.resume();
  child.on('error', (error) => stdout.destroy(error));
  // If the client disconnects, its git processes are killed. git pack-objects would outlive git upload-pack.
  reply.raw.on('close', () => child.killGroup('SIGKILL'));
  pipeline([...body, limited(longestFetchRequest), stdin]).catch(() => void stdin.destroy());
  return await uncached(reply).type('application/x-git-upload-pack-result').send(stdout);
}

async function receivePack(
  { room, ...options }: GitHttpOptions & { readonly room: PushRoom },
  { repository, user }: AdmittedRequest,
  { request, reply }: Exchange,
): Promise<FastifyReply> {
  const { bounds, host } = options;
  const { installation } = host;
  return await withProcessFolder(tmpdir(), async (folder) => {
    const receiving = room.receiving({ ...foldersOf(options, repository), received: folder }, tooFull);
    try {
      const body = join(folder, 'body');
      await pipeline([
        ...bodyOf(request),
        limited(isCompressed(request) ? Math.min(bounds.maxPushBytes, longestInflated) : bounds.maxPushBytes),
        receiving.stream,
        createWriteStream(body, { mode: 0o600 }),
      ]);
      const answer = await receivePush(installation, repository, {
        body,
        bounds,
        refusal: await options.refusePush(repository),
        pusher: { by: user.handle ?? user.email ?? 'unknown', mayConfigure: user.mayConfigure },
        isManaged: async (ref) => await isManagedRef(options, repository, ref),
        describe: async (changes) =>
          await options.describePush(
            repository,
            changes.map(({ ref }) => ref),
          ),
        log: request.log,
        onError: (error) =>
          request.log.warn(
            { err: error },
            'A push succeeded, but something that follows it failed. The reconciler carries it out, or only the errors of the file of checks are missing in the answer.',
          ),
      });
      return await uncached(reply).type('application/x-git-receive-pack-result').send(answer);
    } finally {
      receiving.end();
    }
  });
}

function foldersOf({ host }: Pick<GitHttpOptions, 'host'>, repository: HostRepository): PushFolders {
  return { received: tmpdir(), unpacked: host.installation.directoryOf(repository) };
}

function tooFull(): Refusal {
  return new Refusal(
    507,
    'There is too little room on the disk for this push: ask the operator of this service to make room',
  );
}

async function isManagedRef(options: GitHttpOptions, repository: HostRepository, ref: string): Promise<boolean> {
  const branch = branchOf(ref);
  if (branch === null) return false;
  return (
    branch === (await readDefaultBranch(options.host.installation, repository)) ||
    (await options.isManaged(repository, branch))
  );
}

function isCompressed(request: FastifyRequest): boolean {
  return ['gzip', 'x-gzip'].includes(request.headers['content-encoding'] ?? '');
}

/** The body of the request, and a decompressor if the body is compressed. */
function bodyOf(request: FastifyRequest): [Readable, ...Transform[]] {
  const body = (request.body as Readable | undefined) ?? request.raw;
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (isCompressed(request)) return [body, createGunzip()];
  if (encoding !== 'identity')
    throw new Refusal(415, `Content-Encoding ${encoding} is not supported; use gzip or none`);
  return [body];
}

function limited(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      if (size > maxBytes) done(new Refusal(413, `The request is larger than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
}

function protocolOf(request: FastifyRequest): Record<string, string> {
  const header = request.headers['git-protocol'];
  return typeof header === 'string' && /^[a-z0-9=:.-]{1,64}$/i.test(header) ? { GIT_PROTOCOL: header } : {};
}

function mustBeType(request: FastifyRequest, service: Service): void {
  if (request.headers['content-type'] !== `application/x-${service}-request`)
    throw new Refusal(415, `Content-Type must be application/x-${service}-request`);
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-cache, max-age=0, must-revalidate')
    .header('pragma', 'no-cache')
    .header('expires', 'Fri, 01 Jan 1980 00:00:00 GMT');
}

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const refusal = refusalOf(error);
  if (refusal === null || refusal.status === 503) request.log.error(error);
  if (refusal?.status === 503) reply.header('retry-after', '2');
  const status = refusal?.status ?? 500;
  if (status === 401) reply.header('www-authenticate', 'Basic realm="Interlock", charset="UTF-8"');
  // The body may not have been read to its end. The connection is closed, so that the rest of the body is not read as
  // the next request.
  if (request.method === 'POST') reply.header('connection', 'close');
  return await reply
    .status(status)
    .type('text/plain; charset=utf-8')
    .send(`${refusal?.message ?? 'Internal error'}\n`);
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (isMalformed(error)) return new Refusal(400, error.message);
  return isOutage(error) ? new Refusal(503, 'Interlock is unavailable for a moment. Try again.') : null;
}

function isMalformed(error: unknown): error is Error {
  const isBadGzip = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
  return error instanceof ProtocolError || isBadGzip;
}
