// Whether the page is as narrow as a telephone.
import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 760px)');

export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => query.matches,
  );
}
