// Which answers the normalised cache keeps. To the cache, a field with other arguments is another field, and the cache
// forgets none. So without a rule a page that asks for another window of time each minute would need more and more
// memory.
import type { CacheExchangeOpts, UpdateResolver } from '@urql/exchange-graphcache';

interface Keyed {
  readonly id?: string | null;
  readonly asOf?: string | null;
}

// An object without an id is part of the object that holds it. A queue as of a past moment is another object than the
// present queue.
const keys = new Proxy(
  {},
  {
    get:
      () =>
      ({ id, asOf }: Keyed) =>
        id === undefined || id === null ? null : asOf ? `${id} ${asOf}` : id,
  },
);

type Arguments = Readonly<Record<string, unknown>>;

/** Keeps only the newest answer of all cached fields that have this name and whose arguments match. */
function keepNewest(matches: (of: Arguments) => boolean): UpdateResolver {
  return (_answer, args, cache, { parentKey, fieldName }) => {
    if (!matches(args)) return;
    for (const field of cache.inspectFields(parentKey)) {
      const others = field.arguments ?? {};
      if (field.fieldName !== fieldName || !matches(others) || isSame(args, others)) continue;
      cache.invalidate(parentKey, fieldName, others);
    }
  };
}

function isSame(one: Arguments, other: Arguments): boolean {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => one[name] === other[name]);
}

export const cacheOptions = {
  keys,
  updates: {
    // Each answer is read once. The page itself keeps the log or the history that it shows.
    Deployment: { log: keepNewest(() => true) },
    ReleaseCandidate: { log: keepNewest(() => true) },
    Runbook: { log: keepNewest(() => true) },
    Verification: { log: keepNewest(() => true) },
    Queue: { depthHistory: keepNewest(() => true) },
    // Each past moment that the reader looks at is a whole queue with its line and its builds.
    Repository: { queue: keepNewest(({ asOf }) => asOf !== undefined && asOf !== null) },
  },
} satisfies CacheExchangeOpts;
