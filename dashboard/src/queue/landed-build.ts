// The sentence about the build by which a pull request landed.
import { labelOf, list, shortenCommit } from '../design/labels.ts';
import { passedConclusions } from './conclusions.ts';
import type { PullRequest } from './pull-request.ts';

/** `Batch 3 passed its check test.`, or `Batch 3 landed by the build of 1a2b3c4, which passed its check test.` */
export function describeBuild({ landedBatch }: Pick<PullRequest, 'landedBatch'>): string {
  if (!landedBatch) return 'The queue did not land this pull request, so it has no build and no proof here.';
  const newest = new Map<string, { readonly conclusion: string; readonly attempt: number }>();
  for (const check of landedBatch.checks)
    if (check.attempt >= (newest.get(check.name)?.attempt ?? 0)) newest.set(check.name, check);
  const green = [...newest].filter(([, { conclusion }]) => passedConclusions.has(conclusion)).map(([name]) => name);
  const others = [...newest].filter(([, { conclusion }]) => !passedConclusions.has(conclusion));
  const batch = `Batch ${landedBatch.position}`;
  if (newest.size === 0) return `${batch} has no checks on record.`;
  const ended = others.map(([name, { conclusion }]) => `${name} ended: ${labelOf(conclusion)}.`);
  const builds = otherBuildsOf(landedBatch);
  const passed = builds === null ? `${batch} passed` : `${batch} landed by ${builds}, which passed`;
  return [...(green.length === 0 ? [] : [`${passed} ${describeChecks(green)}.`]), ...ended].join(' ');
}

/** The builds that justified the landing, if they are builds of other commits than the batch's. Null: its own build. */
function otherBuildsOf({ checks, commit }: NonNullable<PullRequest['landedBatch']>): string | null {
  const commits = [...new Set(checks.map((check) => check.commit))];
  if (commits.every((each) => each === commit)) return null;
  return `the ${commits.length === 1 ? 'build' : 'builds'} of ${list(commits.map(shortenCommit))}`;
}

function describeChecks(names: readonly string[]): string {
  if (names.length === 1) return `its check ${names[0]}`;
  return names.length > 4 ? `its ${names.length} checks` : `its checks ${list(names)}`;
}
