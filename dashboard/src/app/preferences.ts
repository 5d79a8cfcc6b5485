// The reader's preferences, which are stored in this browser: the theme, single keys, and the last visited queue.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  readonly theme: Theme;
  /** Whether single keys run commands. Keys with a modifier always do. */
  readonly singleKeys: boolean;
  /** The path of the last visited queue. */
  readonly lastQueue: string | null;
}

const storageKey = 'interlock';
const initial: Preferences = { theme: 'system', singleKeys: true, lastQueue: null };
const listeners = new Set<() => void>();
let preferences = stored();

function stored(): Preferences {
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>) };
  } catch {
    // The browser may forbid storage, or the storage may contain text that is not JSON.
    return initial;
  }
}

function show({ theme }: Preferences): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function changePreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  show(preferences);
  try {
    localStorage.setItem(storageKey, JSON.stringify(preferences));
  } catch {
    // Without storage the preference is lost when the page is left.
  }
  for (const listener of listeners) listener();
}

export function readPreferences(): Preferences {
  return preferences;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => preferences,
  );
}

show(preferences);
