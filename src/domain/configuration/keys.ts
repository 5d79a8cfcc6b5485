// The table of every key a configuration may have (interface 2.6, 2.13). Only `key`s are acted on; `notYet`s are
// refused by name. All else in this folder is derived from it.
import { z } from 'zod';
import { group, key, listOf, notYet, oneOf, someText } from './key.ts';
import { defaultTriggerLabel, mergeRules } from './merge-rules.keys.ts';
import { verify } from './verify.keys.ts';

const scenario = group({ name: someText(200), trigger: z.unknown(), actions: z.array(z.unknown()) });

export const configurationSchema = group({
  version: key(oneOf('1.0.0'), { default: '1.0.0', description: 'The version of this format.', mark: 'other' }),
  merge_rules: mergeRules.prefault({ labels: { trigger: defaultTriggerLabel } }),
  scenarios: notYet(listOf(scenario, { name: 'list: {name, trigger, actions}' }), {
    default: [],
    description: 'Actions that follow events of pull requests, reviews, the queue, and schedules.',
    mark: 'other',
    accepts: [[]],
  }),
  verify: verify.prefault({}),
});

/** What a document says, in the document's own spelling, with every default of what this version acts on filled in. */
export type Configuration = z.output<typeof configurationSchema>;

/** Where a repository's default branch has its configuration. */
export const configurationPath = '.service/config.yml';

/** What a repository starts with. */
export const defaultConfigurationYaml = `merge_rules:\n  labels:\n    trigger: ${defaultTriggerLabel}\n`;
