// Says what the caller may do. The checks are those that the actions themselves make.
import type { Context, Scope } from '../../context.ts';
import { refusalOfAction, scopeOfAction, type Action } from './authorisation.ts';
import { skipRefusals, type Permission } from './skipping.ts';
import type { ViewerAction } from './viewer-actions.types.ts';

/**
 * `atHost` returns why the code host of the repository does not let the caller use a scope. Null: the caller may use
 * it.
 */
export function viewerActionsOf(
  ctx: Context,
  actions: readonly Action[],
  atHost: (scope: Scope) => string | null = () => null,
): ViewerAction[] {
  return actions.map((action) => toViewerAction(action, refusalOfAction(ctx, action) ?? atHost(scopeOfAction(action))));
}

/** Decides about an action that needs a permission in the repository as well as a scope. */
export function viewerActionOf(ctx: Context, permission: Permission, isPermitted: boolean): ViewerAction {
  return toViewerAction(
    permission,
    refusalOfAction(ctx, permission) ?? (isPermitted ? null : skipRefusals[permission]),
  );
}

function toViewerAction(action: Action, sentence: string | null): ViewerAction {
  return { action, allowed: sentence === null, sentence };
}
