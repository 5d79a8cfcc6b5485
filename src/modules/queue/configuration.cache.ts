// The configuration in force, parsed once per text. Saved texts are valid: one that is not any more (a stricter
// version) falls back to the defaults rather than stopping the queue, and explain says so.
import { createHash } from 'node:crypto';
import { defaultConfigurationYaml, parseConfiguration, toQueueRules, type Configuration } from '../../domain/configuration/index.ts';
import type { QueueRules } from '../../domain/queue/snapshot.ts';

const parsed = new Map<string, Configuration>();
const mostKept = 500;

export function configurationOf(repository: { readonly configurationYaml: string }): Configuration {
  const key = createHash('sha256').update(repository.configurationYaml).digest('base64');
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const reading = parseConfiguration(repository.configurationYaml);
  const fallback = reading.ok ? reading : parseConfiguration(defaultConfigurationYaml);
  if (!fallback.ok) throw new Error('The default configuration is not valid.');
  if (parsed.size >= mostKept) parsed.clear();
  parsed.set(key, fallback.configuration);
  return fallback.configuration;
}

export function rulesOf(
  repository: { readonly configurationYaml: string }, hostRequiredChecks: readonly string[],
): { readonly configuration: Configuration; readonly rules: QueueRules } {
  const configuration = configurationOf(repository);
  return { configuration, rules: toQueueRules(configuration, { hostRequiredChecks }) };
}
