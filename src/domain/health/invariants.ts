// What always holds in an installation: the rules that no crash, race or lost message may break. `npm run doctor` and
// the service compare the rows with them.
import { judgeBuild, type CheckList } from '../queue/evidence/evidence.ts';
import { provingResults } from '../queue/evidence/recorded-checks.ts';
import type { RequiredCheck } from '../queue/model/rules.ts';
import type { CheckState } from '../queue/model/snapshot.ts';
import { problemsOfEvents, type LoggedEvent } from '../events/event-grammar.ts';
import { findRuleInForce, type PatternRule } from '../queue/requests/pause.ts';
import { isFrozenWithin, type Freeze } from '../releases/freeze.ts';

interface Invariant {
  /** `safety`: nothing wrong happens. `liveness`: work makes progress, and ends in time. */
  readonly kind: 'safety' | 'liveness';
  /** The doctor prints the sentence, and the table in docs/operations.md contains it. */
  readonly sentence: string;
}

export const invariants = {
  green_base: {
    kind: 'safety',
    sentence: 'Each landing has recorded green results for its tree, unless its grade is unvalidated or external.',
  },
  landed_tree: {
    kind: 'safety',
    sentence: 'Each landing is on the first-parent line of its base branch, with the commit and tree of its proof.',
  },
  landed_once: { kind: 'safety', sentence: 'Each pull request that a queue merged has exactly one landing.' },
  pinned_heads: { kind: 'safety', sentence: 'Each pull request landed with the head that its batch pinned.' },
  line_order: { kind: 'safety', sentence: 'Batches whose pull requests overlap are in the order of the line.' },
  bounded_builds: { kind: 'safety', sentence: 'No more builds run than the configuration allows.' },
  absolute_pause: { kind: 'safety', sentence: 'No landing begins while its base branch is paused.' },
  blamed_culprits: { kind: 'safety', sentence: 'No pull request is blocked by a check that always succeeded for it.' },
  terminal_states: {
    kind: 'safety',
    sentence:
      'A batch, a pull request or an intent has the instant of its end exactly if its status says that it ended.',
  },
  clean_dequeue: { kind: 'safety', sentence: 'No batch in line has a pull request that left the line.' },
  exact_depth: {
    kind: 'safety',
    sentence: 'The depth of each queue is the number of its pull requests in line.',
  },
  event_grammar: { kind: 'safety', sentence: 'The events of a pull request come in a possible order, each once.' },
  authorised_skips: { kind: 'safety', sentence: 'Each skipped validation names the user who skipped it.' },
  separate_tenants: {
    kind: 'safety',
    sentence: 'Row-level security guards the tables of accounts, and no row refers to another account.',
  },
  single_slot: {
    kind: 'safety',
    sentence:
      'One deployment at a time changes an environment, and a rollback goes back to a candidate that succeeded there.',
  },
  line_moves: {
    kind: 'liveness',
    sentence:
      'When the checks of the first batch in line have ended, the batch lands or leaves the line within minutes.',
  },
  no_orphans: {
    kind: 'liveness',
    sentence: 'Branches of ended batches, expired previews and expired leases are gone after ten minutes.',
  },
  convergence: {
    kind: 'liveness',
    sentence: 'Interlock acts on each change within minutes, even if the message about it was lost.',
  },
  no_starvation: {
    kind: 'liveness',
    sentence: 'No pull request is passed by others in line more often than the planner allows.',
  },
  delivered_events: {
    kind: 'liveness',
    sentence: 'Each event becomes webhook deliveries within a minute, and no attempt of a delivery is overdue.',
  },
} as const satisfies Readonly<Record<string, Invariant>>;

export type InvariantName = keyof typeof invariants;
export const invariantNames = Object.keys(invariants) as readonly InvariantName[];

export interface Violation {
  readonly invariant: InvariantName;
  readonly account: string;
  /** A text about what is wrong, with the names and ids of the rows. */
  readonly sentence: string;
}

/** What a comparison of the installation with its invariants found. */
export interface Findings {
  readonly violations: readonly Violation[];
  /** Invariants and repositories that could not be compared, and why. It is not known whether the invariant holds. */
  readonly uncompared: readonly Violation[];
}

/** The newest comparison. */
export interface InvariantReport extends Findings {
  readonly endedAt: Date;
  /** Whether the comparison ended so long ago that later ones must have failed. */
  readonly isOutdated: boolean;
}

/** The facts about a landing that the rows have. */
export interface LandingRow {
  readonly account: string;
  readonly landing: string;
  readonly commit: string;
  readonly tree: string;
  readonly grade: string;
  /** Null: the landing has no proof. */
  readonly gate: readonly RequiredCheck[] | null;
  readonly evidence:
    | readonly {
        readonly commit: string;
        readonly tree: string;
        readonly base?: string;
        readonly checks: readonly CheckState[];
      }[]
    | null;
  /** The results of the proof that are not on record. */
  readonly unrecorded: readonly CheckState[];
}

/** Why the landing is not justified. Null: the landing is justified. */
export function judgeLanding({ commit, tree, grade, gate, evidence, unrecorded }: LandingRow): string | null {
  // An unvalidated landing has a named exception, which `authorised_skips` is about. An external one has no proof.
  if (grade === 'unvalidated' || grade === 'external') return null;
  if (evidence === null) return `${commit} landed without a proof.`;
  if (evidence.length === 0) return `${commit} landed without evidence.`;
  const other = evidence.find((each) => each.base === undefined && each.tree !== tree);
  if (other !== undefined) return `${commit} landed on results for another tree, those of ${other.commit}.`;
  const red = evidence.find((each) => judgeBuild(buildOf(each), gate) !== 'green');
  if (red !== undefined) return `${commit} landed on results that are not green, those of ${red.commit}.`;
  return provingResults(unrecorded, gate).length === 0 ? null : `${commit} landed on results that are not on record.`;
}

/** Whether the checks that are required leave the result of a build open. Null: all checks are required. */
export function isUndecided(
  build: Pick<CheckList, 'checks' | 'complete'>,
  required: readonly RequiredCheck[] | null,
): boolean {
  const at = { startedAt: 0, finishedAt: null, lastEndAt: null };
  return judgeBuild({ commit: '', tree: '', base: '', ...at, ...build }, required) === 'pending';
}

function buildOf({
  commit,
  tree,
  checks,
}: NonNullable<LandingRow['evidence']>[number]): Parameters<typeof judgeBuild>[0] {
  const at = { startedAt: 0, finishedAt: 0, lastEndAt: 0 };
  return { commit, tree, base: '', checks, complete: true, ...at };
}

export interface StartedLanding {
  readonly baseBranch: string;
  readonly startedAt: Date;
  /** The rules of pauses that were in force about then, the newest first. `until` null: the rule is still in force. */
  readonly pauses: readonly (PatternRule & { readonly since: Date; readonly until: Date | null })[];
}

/** How far the clocks of two processes may differ, because their instants are compared. */
export const clocksDifferByMs = 5_000;

/** Whether the base branch was paused at every instant at which the landing may have begun. */
export function isBegunWhilePaused({ baseBranch, startedAt, pauses }: StartedLanding): boolean {
  const isPausedAt = (at: number): boolean => {
    const inForce = pauses.filter(({ since, until }) => since.getTime() <= at && at < (until?.getTime() ?? Infinity));
    return findRuleInForce(inForce, baseBranch)?.paused ?? false;
  };
  const [from, to] = [startedAt.getTime() - clocksDifferByMs, startedAt.getTime() + clocksDifferByMs];
  const changes = pauses
    .flatMap(({ since, until }) => [since.getTime(), until?.getTime() ?? to])
    .filter((at) => at > from && at < to);
  return [from, ...changes, to].every(isPausedAt);
}

/** As long as the rules about progress allow. So the work that waited for the end of a freeze has this time. */
export const catchUpMs = 600_000;

/**
 * Whether a base branch is paused, or was frozen a moment ago. Then its queue need not make progress. `freezes`: those
 * of the base branch, also the ones that a user has ended within `catchUpMs`.
 */
export function isHeldUp(
  { pause, freezes }: { readonly pause: object | null; readonly freezes: readonly Freeze[] },
  now: number,
): boolean {
  return pause !== null || isFrozenWithin(freezes, now - catchUpMs, now);
}

export interface EventOfRepository extends LoggedEvent {
  readonly account: string;
  readonly repository: string;
}

/** Judges only complete histories, because the later events of a pull request prove nothing if earlier ones are deleted. */
export function judgeHistories(events: readonly EventOfRepository[]): readonly Violation[] {
  const repositories = Map.groupBy(events, ({ account, repository }) => `${account} ${repository}`);
  return [...repositories.values()].flatMap((ofRepository) => {
    const begun = new Set<string>();
    const numbers = new Set<unknown>();
    const complete = ofRepository.filter(({ action, pullRequestId, payload }) => {
      const members = payload['pullRequests'] as readonly { readonly number: number }[] | null | undefined;
      if (pullRequestId === null) return (members ?? []).every(({ number }) => numbers.has(number));
      if (action === 'opened') {
        begun.add(pullRequestId);
        numbers.add(payload['number']);
      }
      return begun.has(pullRequestId);
    });
    const account = ofRepository[0]?.account ?? '';
    return problemsOfEvents(complete).map((problem) => ({
      invariant: 'event_grammar' as const,
      account,
      sentence: `${problem}.`,
    }));
  });
}

/** Findings in a few sentences, for /readyz and the log. Null: all invariants were compared, and hold. */
export function findingsText({ violations, uncompared }: Findings): string | null {
  const sentences = [
    namesText(violations, { one: 'An invariant does not hold', many: 'invariants do not hold' }),
    namesText(uncompared, { one: 'An invariant could not be compared', many: 'invariants could not be compared' }),
  ].filter((sentence) => sentence !== null);
  if (sentences.length === 0) return null;
  return `${sentences.join(' ')} Run the doctor without a repository, and report its output.`;
}

function namesText(found: readonly Violation[], text: { readonly one: string; readonly many: string }): string | null {
  const names = [...new Set(found.map(({ invariant }) => invariant))];
  if (names.length === 0) return null;
  return `${names.length === 1 ? text.one : `${names.length} ${text.many}`}: ${names.join(', ')}.`;
}

const outdatedAfterMs = 300_000;

/** Processes begin a comparison every minute. */
export function isOutdated(endedAt: Date, now: Date): boolean {
  return now.getTime() - endedAt.getTime() > outdatedAfterMs;
}
