// The table of every configuration key (interface 2.6, 2.13). This version acts on every `key`, and refuses every
// `notYet` by name. Everything else in this folder is derived from this table.
import { z } from 'zod';
import { group, key, listOf, notYet, oneOf, someText } from './key.ts';
import { defaultTriggerLabel, mergeRules } from './merge-rules.keys.ts';
import { verify } from './verify.keys.ts';

const scenario = group({ name: someText(200), trigger: z.unknown(), actions: z.array(z.unknown()) });

export const configurationSchema = group({
  version: key(oneOf('1.0.0'), {
    default: '1.0.0',
    description: 'The version of this format.',
    effectOnBuilds: 'other',
  }),
  merge_rules: mergeRules.prefault({ labels: { trigger: defaultTriggerLabel } }),
  scenarios: notYet(listOf(scenario, { name: 'list: {name, trigger, actions}' }), {
    default: [],
    description: 'Actions that follow events of pull requests, reviews, the queue, and schedules.',
    effectOnBuilds: 'other',
    accepts: [[]],
  }),
  verify: verify.prefault({}),
});

/** A configuration with the names of the document. Absent keys that this version acts on have their defaults. */
export type Configuration = z.output<typeof configurationSchema>;

/** The path of the configuration on a repository's default branch. */
export const configurationPath = '.service/config.yml';

/** The configuration of a new repository. */
export const defaultConfigurationYaml = `merge_rules:\n  labels:\n    trigger: ${defaultTriggerLabel}\n`;
