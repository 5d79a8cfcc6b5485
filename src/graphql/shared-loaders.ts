// Loaders that subscriptions share. An event that concerns many sockets reaches all of them at the same time, so one
// statement can read the rows for all of them. Only sockets with the same caller and the same rights share a loader,
// because a loader reads with the rights of one caller.
import type { Context } from '../context.ts';
import type { GraphQLContext } from './context.ts';

type Loaders = GraphQLContext['loaders'];

/**
 * Returns a function that returns the loaders for the caller of a context. They are garbage-collected when no
 * subscription uses them.
 */
export function createSharedLoaders(): (ctx: Pick<Context, 'accountId' | 'actor'>) => Loaders {
  const shared = new Map<string, WeakRef<Loaders>>();
  const collected = new FinalizationRegistry<string>((key) => {
    if (shared.get(key)?.deref() === undefined) shared.delete(key);
  });
  return (ctx) => {
    const key = keyOf(ctx);
    const known = shared.get(key)?.deref();
    if (known !== undefined) return known;
    const loaders: Loaders = new Map();
    shared.set(key, new WeakRef(loaders));
    collected.register(loaders, key);
    return loaders;
  };
}

function keyOf({ accountId, actor }: Pick<Context, 'accountId' | 'actor'>): string {
  return JSON.stringify([accountId, { ...actor, scopes: [...actor.scopes].toSorted() }]);
}
