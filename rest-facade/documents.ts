import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of GraphQL. `name` is its file name without the extension. */
export interface DocumentSource {
  readonly name: string;
  readonly text: string;
}

// Compiled code lies under dist/ and the documents do not: both are found from the package's root.
export function packageRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(directory, 'package.json'))) directory = path.dirname(directory);
  return directory;
}

export const facadeDirectory = path.join(packageRoot(), 'rest-facade');

export function loadDirectives(): string {
  return readFileSync(path.join(facadeDirectory, 'directives.graphql'), 'utf8');
}

/** The shared fragments and one document per operation, in a stable order. */
export function loadDocuments(directory = path.join(facadeDirectory, 'operations')): DocumentSource[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => ({ name: path.basename(file, '.graphql'), text: readFileSync(path.join(directory, file), 'utf8') }));
}
