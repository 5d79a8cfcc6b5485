// GitHub's limits: requests and creations in an hour, points and creations in a minute.
import type { Actor } from '../model/actor.ts';
import type { Limits } from '../faults/controls.ts';
import { ApiError } from './errors.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const anonymousPerHour = 60;

export type Resource = 'core' | 'graphql';

export interface Spending {
  readonly resource: Resource;
  /** How much of the hourly budget the request costs. */
  readonly cost: number;
  /** 1 for reads, 5 for writes. */
  readonly points: number;
  readonly makesContent: boolean;
}

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly used: number;
  /** Seconds since 1970. */
  readonly reset: number;
  readonly resource: Resource;
}

export interface RateLimits {
  /** Counts a request. Throws GitHub's refusal if a limit is reached. A refused request costs nothing. */
  spend(actor: Actor, spending: Spending): Budget;
  /** Gives back the cost of one request, because an answer with status 304 costs nothing. */
  refund(actor: Actor): Budget;
  read(actor: Actor, resource: Resource): Budget;
}

interface Account {
  hourEndsAt: number;
  used: Record<Resource, number>;
  points: { at: number; points: number; resource: Resource }[];
  creations: number[];
}

export function createLimits(clock: () => number, limits: () => Limits): RateLimits {
  const accounts = new Map<string, Account>();
  const accountOf = (actor: Actor): Account => {
    const key = keyOf(actor);
    const now = clock();
    const account = accounts.get(key) ?? { hourEndsAt: 0, used: { core: 0, graphql: 0 }, points: [], creations: [] };
    if (account.hourEndsAt <= now) Object.assign(account, { hourEndsAt: now + hourMs, used: { core: 0, graphql: 0 } });
    account.points = account.points.filter(({ at }) => at > now - minuteMs);
    account.creations = account.creations.filter((at) => at > now - hourMs);
    accounts.set(key, account);
    return account;
  };
  const budgetOf = (actor: Actor, account: Account, resource: Resource): Budget => {
    const { restPerHour, graphqlPerHour } = limits();
    const full = resource === 'core' ? restPerHour : graphqlPerHour;
    const limit = actor.kind === 'anonymous' ? Math.min(full, anonymousPerHour) : full;
    const used = account.used[resource];
    const reset = Math.ceil(account.hourEndsAt / 1000);
    return { limit, used, remaining: Math.max(0, limit - used), reset, resource };
  };
  return {
    refund: (actor) => {
      const account = accountOf(actor);
      account.used.core = Math.max(0, account.used.core - 1);
      return budgetOf(actor, account, 'core');
    },
    read: (actor, resource) => budgetOf(actor, accountOf(actor), resource),
    spend: (actor, spending) => {
      const account = accountOf(actor);
      const budget = budgetOf(actor, account, spending.resource);
      if (budget.remaining < spending.cost) throw exhausted(budget);
      enforceSecondaryLimits(account, spending, { limits: limits(), now: clock() });
      account.used[spending.resource] += spending.cost;
      account.points.push({ at: clock(), points: spending.points, resource: spending.resource });
      if (spending.makesContent) account.creations.push(clock());
      return budgetOf(actor, account, spending.resource);
    },
  };
}

export function budgetHeaders(budget: Budget): Record<string, string> {
  return {
    'x-ratelimit-limit': String(budget.limit),
    'x-ratelimit-remaining': String(budget.remaining),
    'x-ratelimit-used': String(budget.used),
    'x-ratelimit-reset': String(budget.reset),
    'x-ratelimit-resource': budget.resource,
  };
}

function enforceSecondaryLimits(
  account: Account,
  spending: Spending,
  { limits, now }: { readonly limits: Limits; readonly now: number },
): void {
  const same = account.points.filter(({ resource }) => resource === spending.resource);
  const points = same.reduce((sum, each) => sum + each.points, 0);
  const maxPoints = spending.resource === 'core' ? limits.pointsPerMinute : limits.graphqlPointsPerMinute;
  if (points + spending.points > maxPoints) throw tooFast(now, same[0]?.at ?? now, minuteMs);
  if (!spending.makesContent) return;
  const lastMinute = account.creations.filter((at) => at > now - minuteMs);
  if (lastMinute.length >= limits.contentPerMinute) throw tooFast(now, lastMinute[0] ?? now, minuteMs);
  if (account.creations.length >= limits.contentPerHour) throw tooFast(now, account.creations[0] ?? now, hourMs);
}

function exhausted(budget: Budget): ApiError {
  return new ApiError(403, 'API rate limit exceeded for this token.', { headers: budgetHeaders(budget) });
}

function tooFast(now: number, oldestAt: number, windowMs: number): ApiError {
  const message =
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.';
  const waitSec = Math.max(1, Math.ceil((oldestAt + windowMs - now) / 1000));
  return new ApiError(403, message, { headers: { 'retry-after': String(waitSec) } });
}

function keyOf(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'app':
      return `app ${actor.app.id}`;
    case 'installation':
      return `installation ${actor.installation.id}`;
    case 'user':
      return `user ${actor.account.id}`;
    default:
      return actor satisfies never;
  }
}
