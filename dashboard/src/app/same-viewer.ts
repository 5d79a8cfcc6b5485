// All tabs of a browser share one session. When another user signs in, a tab of the user before would mix the data of
// both, and its actions would be those of the new user. So this tab is loaded again.
import { useEffect } from 'react';
import type { ShellQuery } from '../generated/app.ts';
import { ownDrafts } from './drafts.ts';

const storageKey = 'interlock viewer';

export function useSameViewer(viewer: ShellQuery['viewer'] | undefined): void {
  const identity = viewer && JSON.stringify([viewer.account.name, viewer.email, viewer.role]);
  const draftOwner = viewer && JSON.stringify([viewer.account.name, viewer.email]);
  useEffect(() => {
    if (draftOwner !== undefined) ownDrafts(draftOwner);
  }, [draftOwner]);
  useEffect(() => {
    if (identity === undefined) return undefined;
    try {
      localStorage.setItem(storageKey, identity);
    } catch {
      // Without storage, the other tabs are not told.
    }
    const onStorage = ({ key, newValue }: StorageEvent): void => {
      if (key === storageKey && newValue !== null && newValue !== identity) location.reload();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [identity]);
}
