// Generates files from the documents, the schema and the examples.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, type GraphQLSchema } from 'graphql';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { stringify } from 'yaml';
import { projectRoot } from '../src/platform/project-root.ts';
import { compileFacade } from './compile.ts';
import { facadeDirectory, loadDocuments, type DocumentSource } from './documents.ts';
import { openApiDocument } from './openapi/document.ts';
import { loadExamples, type Examples } from './openapi/examples.ts';

export const openApiFile = path.join(projectRoot, 'schema', 'openapi.yaml');
export const typesFile = path.join(facadeDirectory, 'generated', 'openapi.d.ts');
const schemaFile = path.join(projectRoot, 'schema', 'schema.graphql');

export interface GeneratedFacade {
  readonly openApi: string;
  readonly types: string;
}

/**
 * Generates the OpenAPI document and its types. `sdl` is the schema as SDL. Default: the committed
 * schema/schema.graphql.
 */
export async function generateFacade(sdl: string = readFileSync(schemaFile, 'utf8')): Promise<GeneratedFacade> {
  const openApi = emitOpenApi(buildSchema(sdl));
  return { openApi, types: `${COMMENT_HEADER}${astToString(await openapiTS(openApi, { silent: true }))}` };
}

interface Sources {
  readonly documents: readonly DocumentSource[];
  readonly examples: Examples;
}

/**
 * Returns the OpenAPI document as YAML. The text depends only on the SDL of the schema, so that the running schema and
 * schema/schema.graphql give the same text.
 */
export function emitOpenApi(
  schema: GraphQLSchema,
  { documents, examples }: Sources = { documents: loadDocuments(), examples: loadExamples() },
): string {
  const document = openApiDocument(compileFacade({ schema, documents }), examples);
  // A YAML 1.1 parser would read a time without quotes as a date.
  const text = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  return `# Emitted from rest-facade/operations and schema.graphql by \`npm run generate\`.\n${text}`;
}
