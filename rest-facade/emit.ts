import type { GraphQLSchema } from 'graphql';
import { stringify } from 'yaml';
import { compileFacade } from './compile.ts';
import { type DocumentSource, loadDocuments } from './documents.ts';
import { openApiDocument } from './openapi/document.ts';
import { type Examples, loadExamples } from './openapi/examples.ts';

export interface Sources {
  readonly documents: readonly DocumentSource[];
  readonly examples: Examples;
}

/**
 * The OpenAPI document as YAML. It depends only on the SDL of the schema, so that the running schema and
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
