// The configuration in force, parsed once for each text. Saved texts are valid. If a stricter version no longer accepts
// a text, the defaults are used, and its queues halt with the reason: nothing is planned or landed by rules that nobody
// chose.
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
const mostKept = 500;

export function configurationOf(repository: { readonly configurationYaml: string }): Configuration {
  return read(repository).configuration;
}

/** Why this version does not accept the saved text. Null: it does. */
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
