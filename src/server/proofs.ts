// Serves the proofs of a repository as a file, and the script that verifies them without this service (docs/proofs.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from '../domain/errors.ts';
import type { Secrets, Session } from '../modules/accounts/index.ts';
import { exportProofs, writeProofFile } from '../modules/proofs/index.ts';
import { findRepository } from '../modules/repositories/index.ts';
import { projectRoot } from '../platform/project-root.ts';

export interface ProofRoutes {
  /** Throws DomainError, also if the account exceeds its rate limit. */
  readonly admit: (request: FastifyRequest) => Promise<Session>;
  readonly secrets: Secrets;
}

export function serveProofs(fastify: FastifyInstance, { admit, secrets }: ProofRoutes): void {
  const script = readFileSync(join(projectRoot, 'proofs', 'verify.py'));
  fastify.get(
    '/proofs/verify.py',
    async (_request, reply) =>
      await reply
        .type('text/x-python; charset=utf-8')
        .header('content-disposition', 'attachment; filename="verify.py"')
        .send(script),
  );
  fastify.get<{ Params: { owner: string; name: string } }>('/:owner/:name/proofs.json', async (request, reply) => {
    const { ctx } = await admit(request);
    const repository = await findRepository(ctx, request.params);
    if (repository === null) throw notFound('Repository');
    const proofs = await exportProofs(ctx, secrets, repository);
    return await reply
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="proofs.json"')
      .type('application/json; charset=utf-8')
      .send(Readable.from(writeProofFile(proofs)));
  });
}
