// Secrets by file, as orchestrators mount them: `<NAME>_FILE` names the file that holds the value of `<NAME>`.
import { readFileSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** Variables that hold a secret. A file may hold the value of each of them instead. */
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
 * Sets each secret whose file is named, without the line break at the file's end. Throws StartError where a file cannot
 * be read or is empty, and where the variable is set as well.
 */
export function readSecretFiles(env: Environment): void {
  for (const name of secretVariables) {
    const file = env[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (env[name] !== undefined)
      throw new StartError(`${name} and ${name}_FILE are both set. Remove one of them: each says the same secret.`);
    env[name] = readSecret(`${name}_FILE`, file);
    // Children that inherit the environment would otherwise find the variable set twice.
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
