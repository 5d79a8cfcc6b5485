// What a pull request's title and body must say (preconditions.validations). Judging costs a search per expression, so
// that callers keep the outcome beside the digest of the validations and judge again only when one of the two changed.
import { createHash } from 'node:crypto';
import type { Configuration } from './keys.ts';
import { findsIn } from './regex.ts';

type Validation = Configuration['merge_rules']['preconditions']['validations'][number];

/** Names of those that do not hold. Every expression of one has to be found; where in the text does not matter. */
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

/** Names the validations in force; '' while there are none. */
export function validationsDigest(validations: readonly Validation[]): string {
  return validations.length === 0 ? '' : createHash('sha256').update(JSON.stringify(validations)).digest('hex');
}
