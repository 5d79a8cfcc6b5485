// Decides whether an installation may make a call of GitHub's API now. Pure, on the row that all processes share (ADR
// 0071). A part of each limit is reserved for more important calls, so that landings never wait for notifications.

/** The purposes of calls, the most important first. */
export const purposes = ['landing', 'hint', 'answer', 'notification', 'reconciling'] as const;
export type Purpose = (typeof purposes)[number];

/** REST and GraphQL have separate rate limits, in points an hour. */
export type Resource = 'rest' | 'graphql';

export interface Allowance {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: number;
}

export interface Budget {
  /** Null: no answer of GitHub has contained the limit yet. */
  readonly rest: Allowance | null;
  readonly graphql: Allowance | null;
  /** How many objects were created in the minute that began at `minuteAt`, and in the hour that began at `hourAt`. */
  readonly minuteAt: number;
  readonly madeInMinute: number;
  readonly hourAt: number;
  readonly madeInHour: number;
  readonly pausedUntil: number | null;
  /** The length of the last pause whose end Interlock chose. 0: a call has succeeded since. */
  readonly pauseSec: number;
}

export interface Call {
  readonly purpose: Purpose;
  readonly resource: Resource;
  /**
   * Whether the call creates an object, such as a comment, a pull request or a check. GitHub has a separate limit for
   * these calls.
   */
  readonly creates: boolean;
}

export type CallDecision =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly until: number; readonly reason: string };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** GitHub's own limits are 80 a minute and 500 an hour. */
export const maxCreationsInMinute = 60;
export const maxCreationsInHour = 450;

/** The share of an hour's points that calls of this purpose must leave to more important calls. */
const keptShare: Readonly<Record<Purpose, number>> = {
  landing: 0,
  hint: 0.05,
  answer: 0.05,
  notification: 0.2,
  reconciling: 0.35,
};

/**
 * The share of both limits of creations that calls of this purpose must leave. 100 landings an hour need 100 creations
 * for their builds, and 300 for their comments and checks.
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
  const inHour = Math.floor(maxCreationsInHour * share);
  const inMinute = Math.floor(maxCreationsInMinute * share);
  const kept = share === 1 ? '' : ', the rest is kept for more important calls';
  if (budget.madeInHour >= inHour)
    return { kind: 'wait', until: budget.hourAt + hourMs, reason: `${inHour} creations in an hour${kept}` };
  if (budget.madeInMinute >= inMinute)
    return { kind: 'wait', until: budget.minuteAt + minuteMs, reason: `${inMinute} creations in a minute${kept}` };
  return { kind: 'go' };
}

/** The same budget, with a new minute or hour of creations if the old one has ended. */
function countedAt(budget: Budget, now: number): Budget {
  const minuteIsOver = now >= budget.minuteAt + minuteMs;
  const hourIsOver = now >= budget.hourAt + hourMs;
  return {
    ...budget,
    ...(minuteIsOver ? { minuteAt: now, madeInMinute: 0 } : {}),
    ...(hourIsOver ? { hourAt: now, madeInHour: 0 } : {}),
  };
}

/** Counts one creation. Called before the call, because a call whose answer is lost may have created the object. */
export function countCreation(budget: Budget, now: number): Budget {
  const counted = countedAt(budget, now);
  return { ...counted, madeInMinute: counted.madeInMinute + 1, madeInHour: counted.madeInHour + 1 };
}

/** Two answers are about the same hour if their `resetsAt` differ by at most this time. */
const sameHourMs = minuteMs;

/**
 * Stores the allowance of an answer. Answers may arrive out of order, so within an hour the points left only decrease.
 */
export function noteAllowance(budget: Budget, resource: Resource, reported: Allowance): Budget {
  const known = budget[resource];
  if (known === null || reported.resetsAt > known.resetsAt + sameHourMs) return { ...budget, [resource]: reported };
  if (reported.resetsAt < known.resetsAt - sameHourMs) return budget;
  return { ...budget, [resource]: { ...reported, left: Math.min(reported.left, known.left) } };
}

const firstPauseSec = 60;
const longestPauseSec = 3600;

/**
 * Stores a refusal by GitHub's rate limit. `until` is when GitHub accepts calls again. Null: GitHub did not say, and
 * each pause is twice as long as the last one.
 */
export function notePause(budget: Budget, until: number | null, now: number): Budget {
  // Another process has already stored a pause for the same refusal.
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
