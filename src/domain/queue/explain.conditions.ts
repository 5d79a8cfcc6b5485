// Everything that has to hold before a pull request is merged, as a tree: what was observed, what is needed, who must
// act. The sentences are those of admission and of `explain`.
import type { Actor, Precondition, PreconditionKind } from './admission.ts';
import { matchesGlob } from '../glob.ts';
import {
  buildText,
  countPullRequests,
  explain,
  haltedText,
  pausedText,
  waitingText,
  gateText,
  windowText,
  type ExplainedPullRequest,
} from './explain.ts';
import type { Standing } from './explain.standing.ts';
import type { CheckConclusion, RequiredCheck } from './snapshot.ts';
import { isQueued } from './status.ts';

export type ConditionKind =
  | 'asked'
  | 'open'
  | 'preconditions'
  | PreconditionKind
  | 'validation'
  | 'check'
  | 'queue'
  | 'not_halted'
  | 'not_paused'
  | 'place'
  | 'build'
  | 'landing'
  | 'landing_checks'
  | 'merge_window'
  | 'final_gate';

/** An event of the log that brought a condition about. */
export interface Cause {
  readonly action: string;
  readonly at: number;
  readonly actor: string | null;
}

export interface Condition {
  readonly kind: ConditionKind;
  /** Of a check or a validation. */
  readonly name: string | null;
  readonly holds: boolean;
  readonly observed: string;
  readonly needed: string;
  /** Null while it holds. */
  readonly who: Actor | null;
  /** Since when it is as observed, as far back as is on record. Null: not on record. */
  readonly since: number | null;
  readonly cause: Cause | null;
  /** When the queue looks again although nothing happens. Null: when something does. */
  readonly nextCheckAt: number | null;
  readonly sentence: string;
  readonly conditions: readonly Condition[];
}

export interface CheckFact {
  readonly name: string;
  readonly conclusion: CheckConclusion;
  readonly endedAt: number | null;
}

export interface CheckFacts {
  readonly checks: readonly CheckFact[];
  /** Null: every one that ran. */
  readonly required: readonly RequiredCheck[] | null;
  readonly startedAt: number | null;
}

export interface ConditionFacts {
  readonly pullRequest: ExplainedPullRequest;
  /** Null unless it is in line. */
  readonly standing: Standing | null;
  readonly preconditions: readonly Precondition[];
  /** Names of all validations there are. */
  readonly validations: readonly string[];
  readonly own: CheckFacts;
  readonly build: CheckFacts;
  readonly since: {
    readonly status: number | null;
    readonly preconditions: Readonly<Partial<Record<PreconditionKind, number>>>;
    readonly halted: number | null;
  };
  readonly causes: {
    readonly status: Cause | null;
    readonly pause: Cause | null;
    readonly halt: Cause | null;
    readonly build: Cause | null;
    readonly stuck: Cause | null;
  };
}

type Leaf = Pick<Condition, 'kind' | 'holds' | 'observed' | 'needed' | 'sentence'> & Partial<Condition>;

function condition(leaf: Leaf): Condition {
  const { who = null } = leaf;
  return {
    name: null,
    since: null,
    cause: null,
    nextCheckAt: null,
    conditions: [],
    ...leaf,
    who: leaf.holds ? null : who,
  };
}

/** Holds when all of its parts do; otherwise it says what the first that does not says. */
function group(
  kind: ConditionKind,
  conditions: readonly Condition[],
  words: { readonly holds: string; readonly needed: string },
): Condition {
  const missing = conditions.filter(({ holds }) => !holds);
  const first = missing[0];
  const looks = missing.flatMap(({ nextCheckAt }) => nextCheckAt ?? []);
  return condition({
    kind,
    holds: first === undefined,
    observed: first?.observed ?? words.holds,
    needed: words.needed,
    who: first?.who ?? null,
    since: first?.since ?? null,
    cause: first?.cause ?? null,
    nextCheckAt: looks.length === 0 ? null : Math.min(...looks),
    sentence: first?.sentence ?? `${words.holds}.`,
    conditions,
  });
}

/** In the order in which they come to matter. None of a merged one. */
export function listConditions(facts: ConditionFacts): Condition[] {
  const { status } = facts.pullRequest;
  switch (status) {
    case 'merged':
      return [];
    case 'closed':
      return [listed('open', facts, 'closed', 'open')];
    case 'open':
    case 'pending':
    case 'blocked':
      return [asked(facts), preconditions(facts)];
    case 'queued':
    case 'tagged': {
      const { standing } = facts;
      const inLine =
        standing === null ? [] : [place(facts, standing), build(facts, standing), landing(facts, standing)];
      return [asked(facts), preconditions(facts), queue(facts), ...inLine];
    }
    default:
      return status satisfies never;
  }
}

/** A condition that says no more than the reason does. */
function listed(kind: ConditionKind, facts: ConditionFacts, observed: string, needed: string): Condition {
  const { who, sentence } = explain(facts.pullRequest);
  return condition({
    kind,
    holds: false,
    observed,
    needed,
    who,
    sentence,
    since: facts.since.status,
    cause: facts.causes.status,
  });
}

function asked(facts: ConditionFacts): Condition {
  const { status } = facts.pullRequest;
  if (status === 'open') return listed('asked', facts, 'not asked for', 'asked for');
  // A blocked one left the line: what blocked it is what keeps it out, until somebody asks again.
  if (status === 'blocked') return listed('asked', facts, 'blocked', 'asked for again');
  return condition({
    kind: 'asked',
    holds: true,
    observed: 'asked for',
    needed: 'asked for',
    sentence: 'Somebody asked to merge it.',
    since: facts.since.status,
    cause: facts.causes.status,
  });
}

function preconditions(facts: ConditionFacts): Condition {
  const conditions = facts.preconditions.map((precondition) => toCondition(precondition, facts));
  return group('preconditions', conditions, { holds: 'Its preconditions hold', needed: 'all hold' });
}

function toCondition(precondition: Precondition, facts: ConditionFacts): Condition {
  const { kind, observed, needed, who, obstacle } = precondition;
  return condition({
    kind,
    holds: obstacle === null,
    observed,
    needed,
    who,
    since: facts.since.preconditions[kind] ?? null,
    sentence: obstacle?.text ?? holdsText(precondition),
    conditions:
      kind === 'own_checks'
        ? checks(facts.own, 'author')
        : kind === 'validations'
          ? validations(facts, obstacle?.names ?? [])
          : [],
  });
}

function holdsText({ kind, observed }: Precondition): string {
  return `${preconditionWords[kind]}: ${observed}.`;
}

const preconditionWords = {
  base_branch: 'Its base branch',
  draft: 'Its state',
  labels: 'Its labels',
  review: 'Its reviews',
  validations: 'Its validations',
  verified_commits: 'Signatures of its commits',
  mergeable: 'Merging it',
  approvals: 'Its approvals',
  owner_review: 'The review of an owner',
  conversations: 'Its conversations',
  stack: 'What it stands on',
  own_checks: 'Its own required checks',
} as const satisfies Record<PreconditionKind, string>;

function validations(facts: ConditionFacts, failed: readonly string[]): Condition[] {
  return facts.validations.map((name) => {
    const holds = !failed.includes(name);
    return condition({
      kind: 'validation',
      name,
      holds,
      observed: holds ? 'met' : 'not met',
      needed: 'met',
      who: 'author',
      since: facts.since.preconditions.validations ?? null,
      sentence: holds ? `The validation ${name} is met.` : `The validation ${name} is not met.`,
    });
  });
}

/** Each check by name, the required ones that were not seen among them. */
function checks({ checks: seen, required, startedAt }: CheckFacts, who: Actor): Condition[] {
  const isAsked = (name: string): boolean =>
    required === null || required.some((requirement) => matchesGlob(requirement.name, name));
  const unseen = (required ?? []).filter(
    (requirement) => !seen.some((check) => matchesGlob(requirement.name, check.name)),
  );
  return [
    ...seen.filter((check) => isAsked(check.name)).map((check) => checkCondition(check, { required, startedAt, who })),
    ...unseen.map(({ name }) =>
      condition({
        kind: 'check',
        name,
        holds: false,
        observed: 'not seen',
        needed: 'success',
        who: 'ci',
        sentence: `The check ${name} has not been seen.`,
      }),
    ),
  ];
}

const passing: readonly CheckConclusion[] = ['success', 'skipped', 'neutral'];

function checkCondition(
  { name, conclusion, endedAt }: CheckFact,
  of: { readonly required: CheckFacts['required']; readonly startedAt: number | null; readonly who: Actor },
): Condition {
  const requirement = of.required?.find((candidate) => matchesGlob(candidate.name, name));
  const accepted = requirement?.acceptableStatuses ?? passing;
  const isRunning = conclusion === 'pending';
  return condition({
    kind: 'check',
    name,
    holds: accepted.includes(conclusion),
    observed: isRunning ? 'running' : conclusion,
    needed: accepted.join(' or '),
    who: isRunning ? 'ci' : of.who,
    since: isRunning ? of.startedAt : endedAt,
    sentence: isRunning ? `The check ${name} is running.` : `The check ${name} ended: ${conclusion}.`,
  });
}

function queue({ pullRequest: { paused, haltedReason }, since, causes }: ConditionFacts): Condition {
  const conditions = [
    condition({
      kind: 'not_halted',
      holds: haltedReason === null,
      observed: haltedReason ?? 'not halted',
      needed: 'not halted',
      who: 'admin',
      since: since.halted,
      cause: causes.halt,
      sentence: haltedReason === null ? 'The queue is not halted.' : haltedText(haltedReason),
    }),
    condition({
      kind: 'not_paused',
      holds: paused === null,
      observed: paused === null ? 'not paused' : pausedBy(paused),
      needed: 'not paused',
      who: 'admin',
      since: causes.pause?.at ?? null,
      cause: causes.pause,
      sentence: paused === null ? 'The queue is not paused.' : pausedText(paused),
    }),
  ];
  return group('queue', conditions, { holds: 'The queue goes on', needed: 'neither halted nor paused' });
}

function pausedBy({ pattern }: NonNullable<ExplainedPullRequest['paused']>): string {
  return pattern === null ? 'the repository is paused' : `paused by the rule ${pattern}`;
}

function place({ pullRequest, since }: ConditionFacts, { ahead, before, skippers }: Standing): Condition {
  const count = ahead ?? 0;
  const skipping = skippers.length === 0 ? '' : `; ${named(skippers)} by skip line`;
  const nearest = before.length < count ? `, at last ${named(before)}` : `: ${named(before)}`;
  const words = `${countPullRequests(count)} before it`;
  return condition({
    kind: 'place',
    holds: count === 0,
    observed: count === 0 ? 'first in line' : `${count} before it${nearest}${skipping}`,
    needed: 'first in line',
    who: 'queue',
    since: since.status,
    sentence:
      pullRequest.batch === null ? waitingText(pullRequest) : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`,
  });
}

function named(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}

function build(facts: ConditionFacts, standing: Standing): Condition {
  const { batch, companyUntil } = facts.pullRequest;
  if (batch === null)
    return condition({
      kind: 'build',
      holds: false,
      observed: 'none',
      needed: 'green',
      who: 'queue',
      nextCheckAt: companyUntil,
      sentence: waitingText(facts.pullRequest),
    });
  return condition({
    kind: 'build',
    holds: batch.verdict === 'green',
    observed: { green: 'green', red: 'red', pending: batch.hasCommit ? 'running' : 'being made' }[batch.verdict],
    needed: 'green',
    who: batch.verdict === 'red' ? 'queue' : 'ci',
    since: facts.build.startedAt,
    cause: facts.causes.build,
    nextCheckAt: standing.buildUntil,
    sentence: buildText(batch),
    conditions: checks(facts.build, 'queue'),
  });
}

function gate(workflow: string): Condition {
  const words = gateText(workflow);
  return condition({
    kind: 'final_gate',
    holds: false,
    observed: `${workflow} is not passed`,
    needed: 'passed',
    who: 'ci',
    sentence: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
  });
}

function landing(facts: ConditionFacts, { ownChecksUntil }: Standing): Condition {
  const { landingsFrom, waitsForOwnChecks, finalGate, batch, status } = facts.pullRequest;
  const opens = landingsFrom === null ? null : windowText(landingsFrom);
  const conditions = [
    condition({
      kind: 'landing_checks',
      holds: !waitsForOwnChecks,
      observed: !waitsForOwnChecks ? 'passed' : facts.causes.stuck === null ? 'running' : 'stuck',
      needed: 'passed',
      who: 'ci',
      since: facts.causes.stuck?.at ?? null,
      cause: facts.causes.stuck,
      nextCheckAt: ownChecksUntil,
      sentence: waitsForOwnChecks
        ? 'It merges as soon as its own required checks have passed.'
        : 'Its own required checks do not hold it back.',
    }),
    condition({
      kind: 'merge_window',
      holds: opens === null,
      observed: opens === null ? 'open' : 'closed',
      needed: 'open',
      who: 'queue',
      nextCheckAt: landingsFrom !== null && Number.isFinite(landingsFrom) ? landingsFrom : null,
      sentence: opens === null ? 'Landings may happen now.' : `${opens.charAt(0).toUpperCase()}${opens.slice(1)}`,
    }),
    ...(finalGate === null ? [] : [gate(finalGate)]),
  ];
  const words = batch?.landingBegun && isQueued(status) ? 'It is being merged now' : 'Nothing else keeps it back';
  return group('landing', conditions, { holds: words, needed: 'merged' });
}
