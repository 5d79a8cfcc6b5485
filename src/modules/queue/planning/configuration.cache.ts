// The configuration in force, parsed once per text. Saved texts are valid; one that a stricter version no longer accepts
// is read as the defaults, and its queues halt with the reason: nothing is planned or landed by rules nobody chose.
import { createHash } from 'node:crypto';
import {
  defaultConfigurationYaml,
  parseConfiguration,
  problemText,
  toQueueRules,
  type Configuration,
  blockedLabel,
} from '../../../domain/configuration/index.ts';
import type { LabelRules } from '../../../domain/queue/labels.ts';
import type { QueueRules } from '../../../domain/queue/snapshot.ts';

interface Reading {
  readonly configuration: Configuration;
  readonly problem: string | null;
}

const readings = new Map<string, Reading>();
const mostKept = 500;

export function configurationOf(repository: { readonly configurationYaml: string }): Configuration {
  return read(repository).configuration;
}

/** Why the saved text is no configuration to this version; null when it is one. */
export function configurationProblem(repository: { readonly configurationYaml: string }): string | null {
  return read(repository).problem;
}

function read(repository: { readonly configurationYaml: string }): Reading {
  const key = createHash('sha256').update(repository.configurationYaml).digest('base64');
  const known = readings.get(key);
  if (known !== undefined) return known;
  const parsed = parseConfiguration(repository.configurationYaml);
  const reading = parsed.ok
    ? { configuration: parsed.configuration, problem: null }
    : { configuration: defaults(), problem: parsed.problems.map(problemText).join('; ') };
  if (readings.size >= mostKept) readings.clear();
  readings.set(key, reading);
  return reading;
}

function defaults(): Configuration {
  const parsed = parseConfiguration(defaultConfigurationYaml);
  if (!parsed.ok) throw new Error('The default configuration is not valid.');
  return parsed.configuration;
}

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

export function rulesOf(
  repository: { readonly configurationYaml: string },
  hostRequiredChecks: readonly string[],
): { readonly configuration: Configuration; readonly rules: QueueRules } {
  const configuration = configurationOf(repository);
  return { configuration, rules: toQueueRules(configuration, { hostRequiredChecks }) };
}
