// GitHub's own GraphQL schema, read once per process.
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';

let known: GraphQLSchema | null = null;

export function readSchema(): GraphQLSchema {
  if (known !== null) return known;
  const file = new URL('./schema.graphql', import.meta.resolve('@octokit/graphql-schema'));
  known = buildSchema(readFileSync(file, 'utf8'), { assumeValid: true, assumeValidSDL: true, noLocation: true });
  return known;
}
