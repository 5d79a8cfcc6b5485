// The knobs of a running program: `POST /_emulator/knobs` with `{ "<knob>": [arguments] }`.
import type { FastifyInstance } from 'fastify';
import type { Knobs } from './knobs.ts';

export function registerKnobs(fastify: FastifyInstance, knobs: Knobs): void {
  fastify.post<{ Body: Record<string, unknown[]> }>('/_emulator/knobs', async (request, reply) => {
    for (const [name, given] of Object.entries(request.body)) {
      if (!Object.hasOwn(knobs, name) || name === 'checks')
        return await reply.status(400).send({ message: `There is no knob ${name}. Use one of ${namesOf(knobs)}.` });
      const turn = knobs[name as keyof Knobs] as (...all: unknown[]) => unknown;
      await turn(...(Array.isArray(given) ? given : [given]));
    }
    return await reply.status(204).send();
  });
}

function namesOf(knobs: Knobs): string {
  return Object.keys(knobs)
    .filter((name) => name !== 'checks')
    .join(', ');
}
