// The configuration in force, parsed once for each text. A text was valid when it was saved. If a newer version of
// Interlock no longer accepts the text, the queues halt with the reason, so that nothing is built or landed by rules
// that no user chose. Other readers of the configuration then get the defaults.
import { createHash } from 'node:crypto';
import {
  defaultConfigurationYaml,
  parseConfiguration,
  problemText,
  type Configuration,
} from '../../domain/configuration/index.ts';

interface Reading {
  readonly configuration: Configuration;
  readonly problem: string | null;
}

const readings = new Map<string, Reading>();
const maxKept = 500;

export function configurationOf(repository: { readonly configurationYaml: string }): Configuration {
  return read(repository).configuration;
}

/** Why this version of Interlock does not accept the saved text. Null: this version accepts it. */
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
  if (readings.size >= maxKept) readings.clear();
  readings.set(key, reading);
  return reading;
}

function defaults(): Configuration {
  const parsed = parseConfiguration(defaultConfigurationYaml);
  if (!parsed.ok) throw new Error('The default configuration is not valid.');
  return parsed.configuration;
}
