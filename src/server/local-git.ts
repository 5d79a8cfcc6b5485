// Serves git over HTTP for repositories of the local host. Interlock's tokens are the passwords.
import type { FastifyInstance } from 'fastify';
import { systemContext, type Context, type Ports } from '../context.ts';
import { isManagedBranch } from '../domain/configuration/managed-branch.ts';
import { defaultPushBounds, type PushBounds } from '../domain/runs/push-bounds.ts';
import { DomainError } from '../domain/errors.ts';
import type { GitServing, LocalHostFeatures } from '../hosts/port.ts';
import { hasScope, type Authenticator, type Session } from '../modules/accounts/index.ts';
import {
  configurationOf,
  configurationReadingLines,
  findRepository,
  readConfigurationFile,
  readRepositoriesById,
} from '../modules/repositories/index.ts';
import type { Callers } from './callers.ts';
import { RateLimited, type RateLimiter } from './rate-limit.ts';

export interface LocalGit {
  readonly ports: Ports;
  readonly localHost: LocalHostFeatures;
  readonly authenticator: Authenticator;
  readonly callers: Callers;
  readonly rateLimiter: RateLimiter;
  readonly bounds?: PushBounds;
}

export async function serveLocalGit(
  fastify: FastifyInstance,
  { ports, localHost, authenticator, callers, rateLimiter, bounds = defaultPushBounds }: LocalGit,
): Promise<void> {
  await localHost.serveGit(fastify, {
    bounds,
    spend: (accountId) => spend(rateLimiter, accountId),
    authenticate: async (token, scope) =>
      await gitUser(async () => await authenticator.authenticateToken(token, 'git'), scope),
    authenticateBrowser: async (request) =>
      callers.sessionOf(request.headers) === null
        ? null
        : await gitUser(async () => await callers.authenticate(request, 'git'), 'queue:read'),
    resolve: async (accountId, owner, name) => {
      const row = await findRepository(systemContext(ports, accountId), { owner, name });
      return row && row.host === 'local' ? { accountId, id: row.id, owner: row.owner, name: row.name } : null;
    },
    refusePush: async ({ accountId, id }) => {
      const [row] = await readRepositoriesById(systemContext(ports, accountId), [id]);
      return row?.active ? null : 'the repository is inactive; an admin activates it by setRepositoryActive';
    },
    isManaged: async ({ accountId, id }, branch) => {
      const [row] = await readRepositoriesById(systemContext(ports, accountId), [id]);
      return row !== undefined && isManagedBranch(configurationOf(row), branch, row.defaultBranch);
    },
    describePush: async ({ accountId, id }, refs) =>
      await takeOverConfiguration(systemContext(ports, accountId), id, refs),
  });
}

function spend(limiter: RateLimiter, accountId: string): ReturnType<GitServing['spend']> {
  try {
    return { isAllowed: true, headers: limiter.take(accountId, 1) };
  } catch (error) {
    if (error instanceof RateLimited) return { isAllowed: false, headers: error.headers };
    throw error;
  }
}

/**
 * Reads a pushed configuration at once, so that the output of the push contains the result. If reading fails, the push
 * has succeeded nevertheless.
 */
async function takeOverConfiguration(ctx: Context, repositoryId: string, refs: readonly string[]): Promise<string[]> {
  try {
    const [row] = await readRepositoriesById(ctx, [repositoryId]);
    if (row === undefined || !refs.includes(`refs/heads/${row.defaultBranch}`)) return [];
    return configurationReadingLines(await readConfigurationFile(ctx, repositoryId));
  } catch (error) {
    ctx.log.warn({ error }, 'A pushed configuration could not be read. Interlock reads it again later.');
    return [];
  }
}

async function gitUser(
  authenticate: () => Promise<Session>,
  scope: Parameters<GitServing['authenticate']>[1],
): ReturnType<GitServing['authenticate']> {
  try {
    const { ctx } = await authenticate();
    if (!hasScope(ctx, scope)) return 'forbidden';
    return {
      accountId: ctx.accountId,
      userId: ctx.actor.userId,
      handle: ctx.actor.handle,
      email: ctx.actor.email,
      mayConfigure: hasScope(ctx, 'config:write'),
    };
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
