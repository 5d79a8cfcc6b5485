// Reads refs as the API shows them. These are the refs of git or, while the API lags behind git, their older values.
import type { Core } from '../core.ts';
import type { Repository } from '../model/types.ts';

/**
 * Refs that moved during the lag, with the values that the API still shows. Null: the API does not show the ref yet.
 */
const olderRefs = new WeakMap<Core, Map<string, string | null>>();

export function keepOlderRef(core: Core, repository: Repository, change: { ref: string; from: string | null }): void {
  const older = olderRefs.get(core) ?? new Map<string, string | null>();
  olderRefs.set(core, older);
  const key = `${repository.id} ${change.ref}`;
  if (!older.has(key)) older.set(key, change.from);
}

export function forgetOlderRefs(core: Core): void {
  olderRefs.delete(core);
}

/** Returns the refs whose names begin with `name`, as the API shows them. */
export async function readShownRefs(core: Core, repository: Repository, name: string): Promise<Map<string, string>> {
  const refs = await core.git.listRefs(repository, name);
  for (const [key, sha] of olderRefs.get(core) ?? []) {
    const [id, ref = ''] = key.split(/ (.*)/s);
    if (Number(id) !== repository.id || !ref.startsWith(name)) continue;
    if (sha === null) refs.delete(ref);
    else refs.set(ref, sha);
  }
  return refs;
}
