// Judges by the checks of the newest bot commits whether CI validates what Interlock pushes to bot branches.
import type { CheckConclusion } from '../queue/model/rules.ts';
import { type Finding, joinNames, missing, ok, warning } from './finding.ts';

/** The checks of a commit on a bot branch. */
export interface BotCommit {
  readonly commit: string;
  readonly checks: readonly { readonly name: string; readonly conclusion: CheckConclusion }[];
}

interface Demanded {
  /** False: the queue builds no bot branches, because the checks of the head commits are its builds. */
  readonly isBuilt: boolean;
  readonly required: readonly string[];
  /** The newest first. Their checks have ended. */
  readonly commits: readonly BotCommit[];
  /** How a user makes CI run on bot branches. */
  readonly cure: string;
}

const probe = 'checks';

/** The part of a GitHub workflow that validates bot branches. docs/github.md shows the same part. */
export const botBranchSnippet = `name: Test
on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  test:
    if: \${{ !startsWith(github.head_ref, 'mq-bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sh scripts/test.sh`;

/** How a user makes CI validate bot branches, for each kind of host. */
export const botBranchCures = {
  github: `Let a workflow of .github/workflows run on pushes to bot branches:\n${botBranchSnippet}`,
  local: 'Name the check in .service/ci.yml of the base branch.',
} as const;

export function judgeBotChecks({ isBuilt, required, commits, cure }: Demanded): Finding {
  if (!isBuilt) return ok(probe, 'No bot branches are built: in this mode the checks of the head commits count.');
  if (commits.length === 0)
    return warning(
      probe,
      'No bot branch was validated yet, so it is not known which checks run there.',
      'Queue a pull request, and run the doctor again.',
    );
  const seen = commits.flatMap(({ checks }) => checks);
  if (seen.length === 0) return missing(probe, 'No check has run on the newest bot branches.', cure);
  const names = new Set(seen.map(({ name }) => name));
  const absent = required.filter((name) => !names.has(name));
  if (absent.length > 0)
    return missing(
      probe,
      absent.length === 1
        ? `The required check ${joinNames(absent)} did not run on the newest bot branches.`
        : `The required checks ${joinNames(absent)} did not run on the newest bot branches.`,
      cure,
    );
  const judged = required.length > 0 ? required : [...names];
  const skipped = judged.filter((name) => seen.every((check) => check.name !== name || check.conclusion === 'skipped'));
  if (skipped.length > 0)
    return warning(
      probe,
      `On the newest bot branches ${joinNames(skipped)} ${skipped.length === 1 ? 'was' : 'were'} only skipped, which counts as passed.`,
      cure,
    );
  return ok(
    probe,
    `${required.length === 0 ? 'Checks run' : 'Every required check runs'} on bot branches: ${joinNames(judged)}.`,
  );
}
