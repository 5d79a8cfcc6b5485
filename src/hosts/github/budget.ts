// What an installation may still ask of GitHub's API: a pure decision on the row that all processes share (ADR 0071).
// What is kept for later is kept for more important work: landings never wait for notifications.

/** What a call is for, the most important first. */
export const purposes = ['landing', 'hint', 'answer', 'notification', 'reconciling'] as const;
export type Purpose = (typeof purposes)[number];

/** REST and GraphQL have hourly points of their own. */
export type Resource = 'rest' | 'graphql';

export interface Allowance {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: number;
}

export interface Budget {
  /** Null: GitHub has not said. */
  readonly rest: Allowance | null;
  readonly graphql: Allowance | null;
  /** Creations in the minute and the hour that began then. */
  readonly minuteAt: number;
  readonly madeInMinute: number;
  readonly hourAt: number;
  readonly madeInHour: number;
  readonly pausedUntil: number | null;
  /** Length of the last pause; 0 when a call has succeeded since. */
  readonly pauseSec: number;
}

export interface Call {
  readonly purpose: Purpose;
  readonly resource: Resource;
  /** The call makes a comment, a pull request, a check or the like, which GitHub counts apart. */
  readonly creates: boolean;
}

export type CallDecision =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly until: number; readonly reason: string };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** GitHub permits 80 and 500. */
export const mostCreationsInMinute = 60;
export const mostCreationsInHour = 450;

/** The share of an hour's points that is left to more important purposes. */
const keptShare: Readonly<Record<Purpose, number>> = {
  landing: 0,
  hint: 0.05,
  answer: 0.05,
  notification: 0.2,
  reconciling: 0.35,
};

/**
 * Of both windows of creations: 100 landings an hour need 100 for their builds and 300 for what people read of them.
 */
const keptCreations: Readonly<Record<Purpose, number>> = {
  landing: 0,
  hint: 0,
  answer: 0.1,
  notification: 0.25,
  reconciling: 0.25,
};

export function newBudget(now: number): Budget {
  return {
    rest: null,
    graphql: null,
    minuteAt: now,
    madeInMinute: 0,
    hourAt: now,
    madeInHour: 0,
    pausedUntil: null,
    pauseSec: 0,
  };
}

export function decideCall(budget: Budget, call: Call, now: number): CallDecision {
  if (budget.pausedUntil !== null && budget.pausedUntil > now)
    return { kind: 'wait', until: budget.pausedUntil, reason: 'GitHub asked this App to pause' };
  const allowance = budget[call.resource];
  if (allowance !== null && allowance.resetsAt > now) {
    const kept = Math.floor(allowance.limit * keptShare[call.purpose]);
    if (allowance.left <= kept)
      return {
        kind: 'wait',
        until: allowance.resetsAt,
        reason: `${allowance.left} of ${allowance.limit} ${call.resource === 'rest' ? 'REST' : 'GraphQL'} points are left this hour${kept === 0 ? '' : ', kept for more important calls'}`,
      };
  }
  return call.creates ? decideCreation(countedAt(budget, now), call.purpose) : { kind: 'go' };
}

function decideCreation(budget: Budget, purpose: Purpose): CallDecision {
  const share = 1 - keptCreations[purpose];
  const inHour = Math.floor(mostCreationsInHour * share);
  const inMinute = Math.floor(mostCreationsInMinute * share);
  const kept = share === 1 ? '' : ', the rest is kept for more important calls';
  if (budget.madeInHour >= inHour)
    return { kind: 'wait', until: budget.hourAt + hourMs, reason: `${inHour} creations in an hour${kept}` };
  if (budget.madeInMinute >= inMinute)
    return { kind: 'wait', until: budget.minuteAt + minuteMs, reason: `${inMinute} creations in a minute${kept}` };
  return { kind: 'go' };
}

/** The same budget, with new windows of creations in place of ended ones. */
function countedAt(budget: Budget, now: number): Budget {
  const minuteIsOver = now >= budget.minuteAt + minuteMs;
  const hourIsOver = now >= budget.hourAt + hourMs;
  return {
    ...budget,
    ...(minuteIsOver ? { minuteAt: now, madeInMinute: 0 } : {}),
    ...(hourIsOver ? { hourAt: now, madeInHour: 0 } : {}),
  };
}

/** Counted before the call: one whose answer is lost may have created something. */
export function countCreation(budget: Budget, now: number): Budget {
  const counted = countedAt(budget, now);
  return { ...counted, madeInMinute: counted.madeInMinute + 1, madeInHour: counted.madeInHour + 1 };
}

/** The hours of two answers are the same if their ends differ by less than that. */
const sameHourMs = minuteMs;

/** What an answer said. Answers overtake one another: within an hour the points left only decrease. */
export function noteAllowance(budget: Budget, resource: Resource, said: Allowance): Budget {
  const known = budget[resource];
  if (known === null || said.resetsAt > known.resetsAt + sameHourMs) return { ...budget, [resource]: said };
  if (said.resetsAt < known.resetsAt - sameHourMs) return budget;
  return { ...budget, [resource]: { ...said, left: Math.min(said.left, known.left) } };
}

const firstPauseSec = 60;
const longestPauseSec = 3600;

/** GitHub answered that it is asked too much. `until` is null when the answer did not say when to come back. */
export function notePause(budget: Budget, until: number | null, now: number): Budget {
  // Another process met the same refusal: one pause is enough.
  if (until === null && budget.pausedUntil !== null && budget.pausedUntil > now) return budget;
  const pauseSec = Math.min(longestPauseSec, Math.max(firstPauseSec, budget.pauseSec * 2));
  return {
    ...budget,
    pausedUntil: Math.max(budget.pausedUntil ?? 0, until ?? now + pauseSec * 1000),
    pauseSec: until === null ? pauseSec : budget.pauseSec,
  };
}

export function noteSuccess(budget: Budget, now: number): Budget {
  const isPaused = budget.pausedUntil !== null && budget.pausedUntil > now;
  return isPaused || budget.pauseSec === 0 ? budget : { ...budget, pausedUntil: null, pauseSec: 0 };
}
