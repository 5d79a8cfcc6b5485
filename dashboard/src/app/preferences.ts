// The reader's preferences, kept in this browser: the theme, single keys, and the last visited queue.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  readonly theme: Theme;
  /** Whether single keys act. Keys with a modifier always do. */
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
    // Storage may be forbidden, or hold text that is not JSON.
    return initial;
  }
}

function show({ theme }: Preferences): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function prefer(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  show(preferences);
  try {
    localStorage.setItem(storageKey, JSON.stringify(preferences));
  } catch {
    // Without storage the preference holds until the page is left.
  }
  for (const listener of listeners) listener();
}

export function preferred(): Preferences {
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
