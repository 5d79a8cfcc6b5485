// What the reader prefers, kept in this browser: the theme, single keys, the queue looked at last.
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  readonly theme: Theme;
  /** Whether single keys act. Keys with a modifier always do. */
  readonly singleKeys: boolean;
  /** Path of the queue looked at last. */
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
    // Storage may be forbidden, or hold what somebody else wrote.
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
    // It holds only for this page.
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
