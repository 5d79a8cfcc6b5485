// `schema/schema.graphql` as text: what clients and the REST facade are written against.
import { lexicographicSortSchema, printSchema } from 'graphql';
import { interlockSchema } from './schema.ts';

export function emitSchema(): string {
  return `# Emitted from the code by \`npm run generate\`: change it there.\n${printSchema(lexicographicSortSchema(interlockSchema()))}\n`;
}
