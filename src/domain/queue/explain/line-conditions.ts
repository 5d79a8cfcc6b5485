// Lists the conditions for a pull request in line: about its queue, its place, its build and its landing.
import {
  buildText,
  beforeText,
  freezeText,
  gateText,
  haltedText,
  hostWaitText,
  preparingText,
  numbersText,
  ownChecksText,
  pausedText,
  waitingText,
  whoEnds,
  windowText,
  type ExplainedBatch,
  type ExplainedPullRequest,
} from './explain.ts';
import { condition, group, type Condition, type ConditionFacts } from './condition.ts';
import { checks } from './preconditions.ts';
import type { LinePosition } from './line-position.ts';
import { isQueued } from '../model/status.ts';

export function queueCondition({
  pullRequest: { paused, haltedReason, hostWaitUntil, preparingSince },
  since,
  causes,
}: ConditionFacts): Condition {
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
    ...(preparingSince ? [isPrepared(preparingSince)] : []),
    ...(hostWaitUntil && !preparingSince ? [hostAnswers(hostWaitUntil)] : []),
  ];
  return group('queue', conditions, {
    holds: 'The queue is neither halted nor paused',
    needed: 'neither halted nor paused',
  });
}

/** This condition is listed only while it does not hold. */
function isPrepared(since: number): Condition {
  return condition({
    kind: 'host_answers',
    holds: false,
    observed: 'the repository is being copied',
    needed: 'a copy of the repository',
    who: 'queue',
    since,
    sentence: preparingText(since),
  });
}

/** This condition is listed only while it does not hold. */
function hostAnswers(until: number): Condition {
  return condition({
    kind: 'host_answers',
    holds: false,
    observed: 'the code host asks to wait',
    needed: 'the code host takes requests',
    who: 'queue',
    nextCheckAt: until,
    sentence: hostWaitText(until),
  });
}

function pausedBy({ pattern }: NonNullable<ExplainedPullRequest['paused']>): string {
  return pattern === null ? 'the repository is paused' : `paused by the rule ${pattern}`;
}

export function placeCondition(facts: ConditionFacts, { ahead, before, skippers, reordered }: LinePosition): Condition {
  const { pullRequest, since } = facts;
  const count = ahead ?? 0;
  const skipping = skippers.length === 0 ? '' : `; ${numbersText(skippers)} by skip line`;
  const nearest = before.length < count ? `, the nearest: ${numbersText(before)}` : `: ${numbersText(before)}`;
  const text = beforeText(pullRequest);
  return condition({
    kind: 'place',
    holds: count === 0,
    observed: count === 0 ? 'first in line' : `${count} before it${nearest}${skipping}`,
    needed: 'first in line',
    who: 'queue',
    since: since.status,
    sentence: `${capitalized(text)}.${reordered === '' ? '' : ` ${reordered}`}`,
  });
}

export function buildCondition(facts: ConditionFacts, position: LinePosition): Condition {
  const { batch, hold } = facts.pullRequest;
  if (batch === null)
    return condition({
      kind: 'build',
      holds: false,
      observed: 'none',
      needed: 'green',
      who: 'queue',
      nextCheckAt: hold?.kind === 'company' ? hold.until : null,
      sentence: waitingText(facts.pullRequest),
    });
  return condition({
    kind: 'build',
    holds: batch.verdict === 'green',
    observed: batch.skipsValidation ? 'none' : observedOf(batch),
    needed: batch.skipsValidation ? 'nothing: validation is skipped' : 'green',
    who: batch.verdict === 'red' ? 'queue' : 'ci',
    since: facts.build.startedAt,
    cause: facts.causes.build,
    nextCheckAt: position.buildUntil,
    sentence: buildText(batch),
    conditions: batch.skipsValidation ? [] : checks(facts.build, 'queue'),
  });
}

function observedOf({ verdict, hasCommit }: ExplainedBatch): string {
  return { green: 'green', red: 'red', pending: hasCommit ? 'running' : 'being made' }[verdict];
}

function gate(workflow: string): Condition {
  const text = gateText(workflow);
  return condition({
    kind: 'final_gate',
    holds: false,
    observed: `${workflow} is not passed`,
    needed: 'passed',
    who: 'ci',
    sentence: capitalized(text),
  });
}

/**
 * This condition always holds, because the landing is tried. Only the host knows whether it will refuse the landing.
 */
function baseRules(hostWarning: string): Condition {
  return condition({
    kind: 'base_rules',
    holds: true,
    observed: 'the code host may refuse the landing',
    needed: 'the code host takes the landing',
    sentence: hostWarning,
  });
}

export function landingCondition(facts: ConditionFacts, { ownChecksUntil }: LinePosition): Condition {
  const { landingsFrom, ownChecks, finalGate, batch, status, frozen, hostWarning } = facts.pullRequest;
  const opens = landingsFrom === null ? null : windowText(landingsFrom);
  const conditions = [
    condition({
      kind: 'landing_checks',
      holds: ownChecks === null,
      observed: ownChecks === null ? 'passed' : facts.causes.stuck === null ? 'running' : 'stuck',
      needed: 'passed',
      who: 'ci',
      since: facts.causes.stuck?.at ?? null,
      cause: facts.causes.stuck,
      nextCheckAt: ownChecksUntil,
      sentence:
        ownChecks === null ? 'Its own required checks do not hold it back.' : capitalized(ownChecksText(ownChecks)),
    }),
    notFrozen(frozen, facts),
    condition({
      kind: 'merge_window',
      holds: opens === null,
      observed: opens === null ? 'open' : 'closed',
      needed: 'open',
      who: 'queue',
      nextCheckAt: landingsFrom !== null && Number.isFinite(landingsFrom) ? landingsFrom : null,
      sentence: opens === null ? 'Landings may happen now.' : capitalized(opens),
    }),
    ...(hostWarning ? [baseRules(hostWarning)] : []),
    ...(finalGate === null ? [] : [gate(finalGate)]),
  ];
  const text = batch?.landingStarted && isQueued(status) ? 'It is being merged now' : 'Nothing else holds it back';
  return group('landing', conditions, { holds: text, needed: 'merged' });
}

function notFrozen(frozen: ExplainedPullRequest['frozen'], { causes }: ConditionFacts): Condition {
  const common = { kind: 'not_frozen', needed: 'not frozen' } as const;
  if (frozen === null)
    return condition({ ...common, holds: true, observed: 'not frozen', sentence: 'Its base branch is not frozen.' });
  return condition({
    ...common,
    holds: false,
    observed: 'frozen',
    who: whoEnds(frozen),
    // The last start of a recurring freeze is not recorded.
    since: 'startsAt' in frozen.freeze.span ? frozen.freeze.span.startsAt : null,
    cause: causes.freeze,
    nextCheckAt: frozen.until,
    sentence: capitalized(freezeText(frozen)),
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
