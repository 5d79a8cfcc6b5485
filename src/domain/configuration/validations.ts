// What the title and body of a pull request must contain (preconditions.validations). A judgement costs a search for
// each expression. So callers store the result with the digest of the validations, and judge again only when the text
// or the digest has changed.
import { createHash } from 'node:crypto';
import type { Configuration } from './keys.ts';
import { findsIn } from './regex.ts';

type Validation = Configuration['merge_rules']['preconditions']['validations'][number];

/** Names of the failed validations. Each expression of a validation must match somewhere in the text. */
export function failedValidations(
  validations: readonly Validation[],
  text: { readonly title: string; readonly body: string },
): string[] {
  return validations.filter((validation) => !holds(validation, text)).map(({ name }) => name);
}

function holds({ match }: Validation, text: { readonly title: string; readonly body: string }): boolean {
  const patterns = typeof match.regex === 'string' ? [match.regex] : match.regex;
  return patterns.every((pattern) => findsIn(pattern, text[match.type]));
}

/** A digest of the validations in force; '' if there are none. */
export function validationsDigest(validations: readonly Validation[]): string {
  return validations.length === 0 ? '' : createHash('sha256').update(JSON.stringify(validations)).digest('hex');
}
