// The actions that webhooks may subscribe to: the documented ones, by name or all (interface 6).
import { batchActions, pullRequestActions } from './payloads.ts';
import { baseBranchActions, candidateActions, deploymentActions, environmentActions } from './release-payloads.ts';

export const configurationAction = 'config_change';
/** A pushed configuration was refused (interface 6.7). */
export const refusedConfigurationAction = 'configuration_refused';
export const everyAction = '*';

export const webhookActions: readonly string[] = [
  ...pullRequestActions,
  ...batchActions,
  configurationAction,
  ...candidateActions,
  ...deploymentActions,
  ...environmentActions,
  ...baseBranchActions,
  refusedConfigurationAction,
];

/** Internal actions belong to no subscription: `*` means every documented action, now or later. */
export function isSubscribed(actions: readonly string[], action: string): boolean {
  return actions.includes(action) || (actions.includes(everyAction) && webhookActions.includes(action));
}

/** What is wrong with a list of actions, as a text that follows its name. Null: nothing. */
export function problemOfActions(actions: readonly string[]): string | null {
  if (actions.length === 0) return `must name at least one action, or ${everyAction} for all`;
  if (new Set(actions).size !== actions.length) return 'must name each action once';
  if (actions.includes(everyAction))
    return actions.length === 1 ? null : `must name ${everyAction} alone: it is every action, future ones too`;
  const unknown = actions.find((action) => !webhookActions.includes(action));
  return unknown === undefined
    ? null
    : `must name actions that are sent, not ${JSON.stringify(unknown.slice(0, 50))}: ${webhookActions.join(', ')}, or ${everyAction}`;
}
