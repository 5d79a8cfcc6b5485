// The settings of the live suite, read from environment variables.
import { existsSync, readFileSync } from 'node:fs';

export interface LiveSettings {
  readonly appId: string;
  /** The private key, as PEM. */
  readonly privateKey: string;
  readonly owner: string;
  readonly repo: string;
  /** The token of a person who administers the repository. */
  readonly token: string;
  /** The token of a person who may not write to the repository. Null: tests that need such a person are left out. */
  readonly strangerToken: string | null;
  /** The default is `https://api.github.com`. */
  readonly apiUrl: string;
  readonly webUrl: string;
}

export function readSettings(env: NodeJS.ProcessEnv): LiveSettings {
  const read = (name: string): string => {
    const value = env[name];
    if (value === undefined || value === '') throw new Error(`Set ${name} (docs/live-suite.md).`);
    return value;
  };
  const key = read('GITHUB_TEST_APP_KEY');
  const [owner, repo] = read('GITHUB_TEST_REPOSITORY').split('/');
  if (!owner || !repo) throw new Error('GITHUB_TEST_REPOSITORY is <owner>/<name>.');
  const apiUrl = (env['GITHUB_TEST_API_URL'] ?? 'https://api.github.com').replace(/\/+$/, '');
  return {
    appId: read('GITHUB_TEST_APP_ID'),
    privateKey: existsSync(key) ? readFileSync(key, 'utf8') : key.replaceAll('\\n', '\n'),
    owner,
    repo,
    token: read('GITHUB_TEST_TOKEN'),
    strangerToken: env['GITHUB_TEST_STRANGER_TOKEN'] || null,
    apiUrl,
    webUrl: apiUrl === 'https://api.github.com' ? 'https://github.com' : apiUrl.replace(/\/api\/v3$/, ''),
  };
}
