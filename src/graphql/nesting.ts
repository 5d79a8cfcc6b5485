// Refuses documents whose brackets are nested so deeply that the parser of graphql-js, which is recursive, would exceed
// the stack. The text is searched for brackets first, and is read by the lexer only if it has many of them.
import { Lexer, Source, TokenKind } from 'graphql';
import { DomainError } from '../domain/errors.ts';
import { maxTokens } from './limits.ts';

/** A selection has at most 20 levels, and no input of the schema has more than ten. */
const deepest = 200;
const opening: ReadonlySet<string> = new Set([TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R]);

/**
 * Throws BAD_INPUT if brackets are nested too deeply. The parser reports everything else that is wrong with the text.
 */
export function refuseDeepNesting(text: string): void {
  if (!hasManyBrackets(text)) return;
  if (depthOf(text) > deepest)
    throw new DomainError('BAD_INPUT', `The query has brackets more than ${deepest} levels deep. Nest less.`);
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['(', '[', '{'])
    for (let at = text.indexOf(bracket); at !== -1 && count <= deepest; at = text.indexOf(bracket, at + 1)) count += 1;
  return count > deepest;
}

/**
 * The greatest depth of the brackets outside of texts and comments, in the part of the text that the parser would read.
 */
function depthOf(text: string): number {
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  let greatest = 0;
  try {
    for (let tokens = 0; tokens <= maxTokens; tokens += 1) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) break;
      if (opening.has(kind)) depth += 1;
      if (closing.has(kind)) depth -= 1;
      greatest = Math.max(greatest, depth);
    }
  } catch {
    // The parser reports the character that the lexer cannot read.
  }
  return greatest;
}
