// Texts that the user has typed and not sent. The tab stores them, so that they are there again after the page was left,
// for example for the sign-in after the end of a session. Another user who signs in in this tab does not get them.
import { useSyncExternalStore } from 'react';

interface Drafts {
  readonly owner: string | null;
  readonly drafts: Readonly<Record<string, unknown>>;
}

const storageKey = 'interlock drafts';
const listeners = new Set<() => void>();
let owner: string | null = null;

function stored(): Drafts {
  try {
    const found = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Drafts | null;
    if (found !== null && found.owner === owner) return found;
  } catch {
    // The browser may forbid storage.
  }
  return { owner, drafts: {} };
}

function store(drafts: Drafts): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(drafts));
  } catch {
    // Without storage the draft is lost when the page is left.
  }
}

/** Names the user whose drafts are kept, and deletes the drafts of another user. */
export function ownDrafts(viewer: string): void {
  owner = viewer;
  store(stored());
  for (const listener of listeners) listener();
}

/** Whether the user is known. Until then there are no drafts. */
export function useHasDrafts(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => owner !== null,
  );
}

/** Null: no draft has this name. */
export function readDraft(name: string): unknown {
  return owner === null ? null : (stored().drafts[name] ?? null);
}

/** Stores a draft. Null: deletes it. */
export function keepDraft(name: string, draft: object | null): void {
  if (owner === null) return;
  const { [name]: _, ...others } = stored().drafts;
  store({ owner, drafts: draft === null ? others : { ...others, [name]: draft } });
}
