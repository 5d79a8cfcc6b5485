// What the viewer may do, as the API says. A control that the viewer may not use is disabled and shows the reason.

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
