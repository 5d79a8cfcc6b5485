// Generates files from the documents, the schema and the examples.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema } from 'graphql';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { projectRoot } from '../src/platform/project-root.ts';
import { facadeDirectory } from './documents.ts';
import { emitOpenApi } from './emit.ts';

export const openApiFile = path.join(projectRoot, 'schema', 'openapi.yaml');
export const typesFile = path.join(facadeDirectory, 'generated', 'openapi.d.ts');
const schemaFile = path.join(projectRoot, 'schema', 'schema.graphql');

export interface Generated {
  readonly openApi: string;
  readonly types: string;
}

/** From the text of schema/schema.graphql; by default from the committed one. */
export async function generateFacade(sdl: string = readFileSync(schemaFile, 'utf8')): Promise<Generated> {
  const openApi = emitOpenApi(buildSchema(sdl));
  return { openApi, types: `${COMMENT_HEADER}${astToString(await openapiTS(openApi, { silent: true }))}` };
}
