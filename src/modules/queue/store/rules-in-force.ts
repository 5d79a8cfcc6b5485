// Derives from the configuration in force the rules of the planner, the labels, and why nothing may land.
import {
  blockedLabel,
  isMergedByHost,
  toQueueRules,
  type Configuration,
  type HostDemands,
} from '../../../domain/configuration/index.ts';
import { decideHostHold } from '../../../domain/queue/landing/host-rules.ts';
import type { LabelRules } from '../../../domain/queue/requests/labels.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import { configurationOf, configurationProblem } from '../../repositories/index.ts';

export { configurationOf, configurationProblem };

export function labelRulesOf({ merge_rules }: Configuration): LabelRules {
  const { trigger, skip_line } = merge_rules.labels;
  return {
    trigger,
    skipLine: skip_line,
    blocked: blockedLabel(merge_rules.labels),
    stuck: merge_rules.merge_mode.type === 'parallel' ? merge_rules.merge_mode.parallel_mode.stuck_pr_label : '',
    marksBlocked: !merge_rules.skip_blocked_label,
  };
}

/**
 * The rules that follow from a configuration and the demands of the host. The same input gets the same object, so that
 * callers can cache their own results for this object.
 */
const keptRules = new WeakMap<Configuration, Map<string, QueueRules>>();
const maxDemands = 50;

export function rulesOf(
  repository: { readonly configurationYaml: string },
  host: HostDemands,
): { readonly configuration: Configuration; readonly rules: QueueRules } {
  const configuration = configurationOf(repository);
  const kept = keptRules.get(configuration) ?? new Map<string, QueueRules>();
  keptRules.set(configuration, kept);
  const demands = JSON.stringify([host.hostRequiredChecks, host.hostRules ?? null]);
  const rules = kept.get(demands) ?? toQueueRules(configuration, host);
  if (kept.size >= maxDemands) kept.clear();
  kept.set(demands, rules);
  return { configuration, rules };
}

/**
 * Why nothing in the queue lands: the queue is halted, or the host would refuse every landing. Null: neither is the
 * case.
 */
export function haltOf(
  repository: { readonly configurationYaml: string },
  queue: HostDemands & { readonly baseBranch: string; readonly haltedReason?: string | null | undefined },
): string | null {
  if (queue.haltedReason) return queue.haltedReason;
  if (!queue.hostRules) return null;
  const { configuration, rules } = rulesOf(repository, queue);
  const { baseBranch } = queue;
  return decideHostHold(queue.hostRules, { baseBranch, rules, isMergedByHost: isMergedByHost(configuration) });
}
