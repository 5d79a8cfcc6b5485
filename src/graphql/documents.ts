// Parses and validates the documents of sockets. While a text is remembered, it gives the same object each time. So
// many sockets with the same document hold it in memory once, and share its compiled form.
import { parse, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { maxTokens } from './limits.ts';
import { refuseDeepNesting } from './nesting.ts';

export interface Documents {
  /**
   * Returns the document, or the errors of its validation. Throws a GraphQLError if the text cannot be parsed, and
   * BAD_INPUT if the text is nested too deeply.
   */
  read(text: string): DocumentNode | readonly GraphQLError[];
}

const maxCharacters = 1_000_000;

/** Remembers something about texts of documents. All remembered texts together have at most `maxCharacters`. */
export function createCacheByText<Value extends object>(): LRUCache<string, Value> {
  return new LRUCache<string, Value>({
    maxSize: maxCharacters,
    sizeCalculation: (_value, text) => Math.max(text.length, 1),
  });
}

export function createDocuments(schema: GraphQLSchema): Documents {
  const valid = createCacheByText<DocumentNode>();
  return {
    read: (text) => {
      const known = valid.get(text);
      if (known !== undefined) return known;
      refuseDeepNesting(text);
      const document = parse(text, { maxTokens });
      const errors = validate(schema, document);
      if (errors.length > 0) return errors;
      valid.set(text, document);
      return document;
    },
  };
}
