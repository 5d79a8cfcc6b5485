// Settings from environment variables that servers, workers and `npm start` share. Each function throws StartError,
// whose message names the variable and says how to correct it. An empty variable counts as one that is not set.
import { StartError } from './start-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The address with which links begin, without a slash at its end, because paths are appended to it. */
export function publicUrlFrom(env: Environment, otherwise: string): string {
  const given = env['INTERLOCK_PUBLIC_URL'];
  return given ? readAddress('INTERLOCK_PUBLIC_URL', given, 'https://interlock.example.com') : otherwise;
}

/** A server of GitHub Enterprise. Null: the operator names none. */
export function githubServerFrom(env: Environment): string | null {
  const given = env['GITHUB_SERVER'];
  return given ? readGitHubServer(given) : null;
}

export function readGitHubServer(text: string): string {
  return readAddress('--github (GITHUB_SERVER)', text, 'https://github.example.com');
}

function readAddress(name: string, text: string, example: string): string {
  const address = text.replace(/\/+$/, '');
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol) || /[?#]/.test(address))
    throw new StartError(`${name} must be an http or https address, such as ${example}, not ${text}.`);
  return address;
}

/** The levels of pino. `npm start` and the documentation name the four that people need. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function logLevelFrom(env: Environment, otherwise: 'info' | 'warn'): string {
  const given = env['LOG_LEVEL'] || otherwise;
  if (levels.includes(given)) return given;
  throw new StartError(`LOG_LEVEL must be debug, info, warn or error, not ${given}.`);
}

/** Null: the variable is not set. */
export function switchFrom(
  env: Environment,
  name: 'DEPLOYMENT_NETWORK' | 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES',
): boolean | null {
  const given = env[name];
  if (!given) return null;
  if (given !== 'true' && given !== 'false') throw new StartError(`${name} must be true or false, not ${given}.`);
  return given === 'true';
}
