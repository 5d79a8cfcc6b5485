// The rules about which answers stay in the normalised cache. For the cache, a field with other arguments is another
// field, and the cache never deletes fields by itself. So without a rule, a page that asks for another window of time
// each minute would need more and more memory.
import type { CacheExchangeOpts, UpdateResolver } from '@urql/exchange-graphcache';

interface Keyed {
  readonly id?: string | null;
  readonly asOf?: string | null;
}

// An object without an id is stored in the object that contains it. A queue as of a past moment is another object than
// the present queue.
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

/** Deletes all answers but the newest of the cached fields that have this name and whose arguments match. */
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
    // The cache need not have more than one answer of these fields. The page itself stores the log or the history that
    // it shows.
    Deployment: { log: keepNewest(() => true) },
    ReleaseCandidate: { log: keepNewest(() => true) },
    Runbook: { log: keepNewest(() => true) },
    Verification: { log: keepNewest(() => true) },
    Queue: { depthHistory: keepNewest(() => true) },
    // Each past moment that the reader looks at would add a whole queue with its line and its builds.
    Repository: { queue: keepNewest(({ asOf }) => asOf !== undefined && asOf !== null) },
  },
} satisfies CacheExchangeOpts;
