// What the normalised cache keeps of an answer. Each other value of a field's arguments is another field to the cache,
// and nothing forgets it: a page that asks for another window of time each minute would grow for as long as it is open.
import type { CacheExchangeOpts, UpdateResolver } from '@urql/exchange-graphcache';

interface Keyed {
  readonly id?: string | null;
  readonly asOf?: string | null;
}

// What has no id of its own is part of the object that holds it. A queue of the past is another object than that of
// now.
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

/** Of the fields of this name only the newest answer is kept, among those whose arguments match. */
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
    // Each is read once, and what it adds to is kept by the page.
    Deployment: { log: keepNewest(() => true) },
    ReleaseCandidate: { log: keepNewest(() => true) },
    Runbook: { log: keepNewest(() => true) },
    Verification: { log: keepNewest(() => true) },
    Queue: { depthHistory: keepNewest(() => true) },
    // A moment that was looked at is a queue with its whole page.
    Repository: { queue: keepNewest(({ asOf }) => asOf !== undefined && asOf !== null) },
  },
} satisfies CacheExchangeOpts;
