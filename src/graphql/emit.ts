// Makes the text of `schema/schema.graphql`, from which clients and the REST facade are generated.
import { assertValidSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { interlockSchema } from './schema.ts';

export function emitSchema(): string {
  const schema = interlockSchema();
  assertValidSchema(schema);
  return `# Emitted from the code by \`npm run generate\`: change it there.\n${printSchema(lexicographicSortSchema(schema))}\n`;
}
