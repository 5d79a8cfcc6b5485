// Reads secrets from files, which orchestrators mount. `<NAME>_FILE` is the path of a file with the value of `<NAME>`.
import { readFileSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** The environment variables that contain secrets and can be read from files. */
export const secretVariables = [
  'DATABASE_URL',
  'INTERLOCK_SECRET',
  'INTERLOCK_METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'RUNBOOK_MODEL_API_KEY',
  'SLACK_BOT_TOKEN',
  'TEMPORAL_API_KEY',
] as const;

type Environment = Record<string, string | undefined>;

/**
 * Sets each variable whose file is named, to the file's content without the final line break. Throws StartError if a
 * file cannot be read or is empty, or if the variable is set too.
 */
export function readSecretFiles(env: Environment): void {
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (env[name] !== undefined)
      throw new StartError(`${name} and ${name}_FILE are both set. Remove one of them: both name the same secret.`);
    env[name] = readSecret(`${name}_FILE`, file);
    // Child processes inherit the environment, and would otherwise find both variables set.
    delete env[`${name}_FILE`];
  }
}

function readSecret(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartError(`${variable} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (text === '') throw new StartError(`${variable} names ${file}, which is empty. Write the secret into the file.`);
  return text;
}
