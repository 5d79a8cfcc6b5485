// Loaders that subscriptions share. An event reaches all subscriptions at the same time, so one statement can read the
// rows for many of them. Only subscriptions with the same caller and the same rights share loaders, because a loader
// reads with the rights of one caller.
import type { Context } from '../context.ts';
import type { GraphQLContext } from './context.ts';

type Loaders = GraphQLContext['loaders'];

/**
 * The returned function finds or makes the loaders of a caller. Loaders that no subscription uses are
 * garbage-collected.
 */
export function createSharedLoaders(): (ctx: Pick<Context, 'accountId' | 'actor'>) => Loaders {
  const shared = new Map<string, WeakRef<Loaders>>();
  const cleanup = new FinalizationRegistry<string>((key) => {
    if (shared.get(key)?.deref() === undefined) shared.delete(key);
  });
  return (ctx) => {
    const key = keyOf(ctx);
    const existing = shared.get(key)?.deref();
    if (existing !== undefined) return existing;
    const loaders: Loaders = new Map();
    shared.set(key, new WeakRef(loaders));
    cleanup.register(loaders, key);
    return loaders;
  };
}

function keyOf({ accountId, actor }: Pick<Context, 'accountId' | 'actor'>): string {
  return JSON.stringify([accountId, { ...actor, scopes: [...actor.scopes].toSorted() }]);
}
