// GitHub's words for a refused change of a ref: to git, and to REST.
import type { RuleDecision } from './decide.ts';

type Refusal = Extract<RuleDecision, { kind: 'refused' }>;

const bullets = (violations: readonly string[]) =>
  violations.flatMap((violation) => [...`- ${violation}`.split('\n'), '']);

/** Lines for git's side band, without `remote: ` in front. */
export function describePushRefusal(refusal: Refusal, ref: string, repositoryUrl: string): string[] {
  if (refusal.code === 'GH006') {
    return [`error: GH006: Protected branch update failed for ${ref}.`, '', ...bullets(refusal.violations)];
  }
  return [
    `error: GH013: Repository rule violations found for ${ref}.`,
    `Review all repository rules at ${repositoryUrl}/rules?ref=${encodeURIComponent(ref)}`,
    '',
    ...bullets(refusal.violations),
  ];
}

/** What git shows in parentheses behind `[remote rejected]`. */
export function statusOfPushRefusal(refusal: Refusal): string {
  return refusal.code === 'GH006'
    ? 'protected branch hook declined'
    : 'push declined due to repository rule violations';
}

/** The `message` of REST's 405 (merge) or 422 (refs). */
export function describeApiRefusal(refusal: Refusal): string {
  const sentences = refusal.violations.map((violation) => violation.split('\n')[0]);
  return refusal.code === 'GH006'
    ? sentences.join(' ')
    : ['Repository rule violations found', ...sentences, ''].join('\n\n').trimEnd();
}
