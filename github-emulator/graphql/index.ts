// GraphQL over GitHub's own schema.
import type { MakePart } from '../part.ts';
import { executeGraphql } from './execute.ts';
import { viewMutation } from './mutations.ts';
import { viewQuery } from './query.ts';
import { lookAs } from './views.ts';

export const graphqlPart: MakePart = (core) => ({
  graphql: async (request) => {
    const sight = lookAs(core, request.actor);
    return await executeGraphql(core, request, (cost) => ({ ...viewQuery(sight, cost), ...viewMutation(sight) }));
  },
});
