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
let preferences = stored(initial);

/** The fallback counts while the browser forbids storage. */
function stored(fallback: Preferences): Preferences {
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>) };
  } catch {
    // The browser may forbid storage, or the storage may contain text that is not JSON.
    return fallback;
  }
}

function show({ theme }: Preferences): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function adopt(changed: Preferences): void {
  preferences = changed;
  show(preferences);
  for (const listener of listeners) listener();
}

export function changePreferences(change: Partial<Preferences>): void {
  // Another tab may have changed other preferences meanwhile.
  adopt({ ...stored(preferences), ...change });
  try {
    localStorage.setItem(storageKey, JSON.stringify(preferences));
  } catch {
    // Without storage the preference is lost when the page is left.
  }
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
// Another tab has changed a preference. Each tab has a last visited queue of its own.
window.addEventListener('storage', ({ key }) => {
  if (key === storageKey) adopt({ ...stored(preferences), lastQueue: preferences.lastQueue });
});
