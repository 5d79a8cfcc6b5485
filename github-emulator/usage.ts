// What this process has been asked and has started so far, for measurements: `GET /_emulator/usage`.
import type { FastifyInstance } from 'fastify';

interface Usage {
  /** Calls by operation; of GraphQL by the name of its document. */
  readonly calls: Readonly<Record<string, number>>;
  /** Processes of git by subcommand. */
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
