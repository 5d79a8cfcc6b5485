// What the viewer may do, as the API says. A control that the viewer may not use is disabled and shows the reason.

import { useQuery } from 'urql';
import { ViewerCanDocument } from '../generated/app.ts';

export interface Permission {
  readonly action: string;
  readonly allowed: boolean;
  readonly sentence?: string | null;
}

/** Why the viewer may not run the action. Undefined: no reason is known, and the server decides at the request. */
export function refusalOf(permissions: readonly Permission[], action: string): string | undefined {
  const found = permissions.find((one) => one.action === action);
  return found && !found.allowed ? (found.sentence ?? 'You do not have the permission for this action.') : undefined;
}

/** Why nobody or not the viewer can open or queue a pull request in the repository. Undefined: as in `refusalOf`. */
export function queueRefusalOf(repository: {
  readonly active: boolean;
  readonly viewerCan: readonly Permission[];
}): string | undefined {
  return repository.active
    ? refusalOf(repository.viewerCan, 'QUEUE')
    : 'The repository is inactive: an admin activates it.';
}

/**
 * Why the viewer may do the action nowhere in the account. Undefined: the viewer may do it, or the answer is not there
 * yet.
 */
export function useAccountRefusal(action: 'ADMINISTER' | 'START_RUNBOOK'): string | undefined {
  const [{ data }] = useQuery({ query: ViewerCanDocument });
  return refusalOf(data?.viewer.viewerCan ?? [], action);
}
