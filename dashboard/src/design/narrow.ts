// Hooks that say whether the window is too narrow to show parts of a page side by side.
import { useSyncExternalStore } from 'react';

function mediaHook(text: string): () => boolean {
  const query = matchMedia(text);
  const subscribe = (listener: () => void): (() => void) => {
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  };
  return () => useSyncExternalStore(subscribe, () => query.matches);
}

/** Whether the window is as narrow as a telephone. */
export const useIsNarrow = mediaHook('(max-width: 760px)');

/** Whether the window is too narrow for two columns beside the side bar. */
export const useHasOneColumn = mediaHook('(max-width: 1180px)');
