import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../src/platform/project-root.ts';

/** A file of GraphQL. `name` is the name of the file without its extension. */
export interface DocumentSource {
  readonly name: string;
  readonly text: string;
}

// The documents are read from the sources, because tsc does not copy them to dist/.
export const facadeDirectory = path.join(projectRoot, 'rest-facade');

export function loadDirectives(): string {
  return readFileSync(path.join(facadeDirectory, 'directives.graphql'), 'utf8');
}

/** Loads the shared fragments and the document of each operation, in a stable order. */
export function loadDocuments(directory = path.join(facadeDirectory, 'operations')): DocumentSource[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => ({ name: path.basename(file, '.graphql'), text: readFileSync(path.join(directory, file), 'utf8') }));
}
