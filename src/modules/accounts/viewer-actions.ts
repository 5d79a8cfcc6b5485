// What the caller may do, by the rule that refuses the action itself.
import type { Context, Scope } from '../../context.ts';
import { refusalOfAction, scopeOfAction, type Action } from './authorisation.ts';
import { skipRefusals, type Permission } from './skipping.ts';
import type { ViewerAction } from './viewer-actions.types.ts';

/** `atHost`: what the caller lacks at the code host of a repository, for a scope. */
export function viewerActionsOf(
  ctx: Context,
  actions: readonly Action[],
  atHost: (scope: Scope) => string | null = () => null,
): ViewerAction[] {
  return actions.map((action) => toViewerAction(action, refusalOfAction(ctx, action) ?? atHost(scopeOfAction(action))));
}

/** For an action that needs a permission in the repository besides its scope. */
export function viewerActionOf(ctx: Context, permission: Permission, isPermitted: boolean): ViewerAction {
  return toViewerAction(
    permission,
    refusalOfAction(ctx, permission) ?? (isPermitted ? null : skipRefusals[permission]),
  );
}

function toViewerAction(action: Action, sentence: string | null): ViewerAction {
  return { action, allowed: sentence === null, sentence };
}
