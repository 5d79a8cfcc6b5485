// Counts the calls to this process and the git processes that it started, for measurements: `GET /_emulator/usage`.
import type { FastifyInstance } from 'fastify';

interface Usage {
  /** The number of calls by operation. A call of GraphQL counts for the name of its document. */
  readonly calls: Readonly<Record<string, number>>;
  /** The number of git processes, by subcommand. */
  readonly gits: Readonly<Record<string, number>>;
}

const calls = new Map<string, number>();
const gits = new Map<string, number>();

export function countCall(operation: string): void {
  calls.set(operation, (calls.get(operation) ?? 0) + 1);
}

export function countGit([subcommand = '']: readonly string[]): void {
  gits.set(subcommand, (gits.get(subcommand) ?? 0) + 1);
}

export function registerUsage(fastify: FastifyInstance): void {
  fastify.get('/_emulator/usage', async (_request, reply) => {
    const usage: Usage = { calls: Object.fromEntries(calls), gits: Object.fromEntries(gits) };
    return await reply.send(usage);
  });
}
