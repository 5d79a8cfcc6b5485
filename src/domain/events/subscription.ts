// The actions to which webhooks may subscribe: documented actions by name, or all of them (interface 6).
import { batchActions, pullRequestActions } from './payloads.ts';
import { baseBranchActions, candidateActions, deploymentActions, environmentActions } from './release-payloads.ts';

export const configurationAction = 'config_change';
/** The action of a pushed configuration that was refused (interface 6.7). */
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

/** `*` means every documented action, now and in later versions. Internal actions are in no subscription. */
export function isSubscribed(actions: readonly string[], action: string): boolean {
  return actions.includes(action) || (actions.includes(everyAction) && webhookActions.includes(action));
}

/** What is wrong with a list of actions, as a text that follows the name of the field. Null: nothing is wrong. */
export function problemOfActions(actions: readonly string[]): string | null {
  if (actions.length === 0) return `must name at least one action, or ${everyAction} for all actions`;
  if (new Set(actions).size !== actions.length) return 'must name each action once';
  if (actions.includes(everyAction))
    return actions.length === 1
      ? null
      : `must name only ${everyAction}, which means every action, also of later versions`;
  const unknown = actions.find((action) => !webhookActions.includes(action));
  return unknown === undefined
    ? null
    : `must name actions that webhooks send, not ${JSON.stringify(unknown.slice(0, 50))}: ${webhookActions.join(', ')}, or ${everyAction}`;
}
