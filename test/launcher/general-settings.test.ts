import { expect, test } from 'vitest';
import {
  githubServerFrom,
  logLevelFrom,
  publicUrlFrom,
  readGitHubServer,
  switchFrom,
} from '../../src/launcher/general-settings.ts';
import { StartError } from '../../src/launcher/start-error.ts';

const own = 'http://127.0.0.1:4000';

test.each([
  [undefined, own],
  ['', own],
  ['https://interlock.example.com', 'https://interlock.example.com'],
  ['https://interlock.example.com/', 'https://interlock.example.com'],
  ['http://10.0.0.7:4000//', 'http://10.0.0.7:4000'],
])('links begin with the public address %j, without a slash at its end', (given, address) => {
  expect(publicUrlFrom({ INTERLOCK_PUBLIC_URL: given }, own)).toBe(address);
});

const withDefaults = {
  INTERLOCK_PUBLIC_URL: (env: Record<string, string>) => publicUrlFrom(env, own),
  GITHUB_SERVER: (env: Record<string, string>) => githubServerFrom(env),
  LOG_LEVEL: (env: Record<string, string>) => logLevelFrom(env, 'warn'),
  DEPLOYMENT_NETWORK: (env: Record<string, string>) => switchFrom(env, 'DEPLOYMENT_NETWORK'),
  WEBHOOK_ALLOW_PRIVATE_ADDRESSES: (env: Record<string, string>) => switchFrom(env, 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES'),
} as const;

test.each([
  ['INTERLOCK_PUBLIC_URL', 'interlock.example.com'],
  ['INTERLOCK_PUBLIC_URL', 'interlock.example.com:4000'],
  ['INTERLOCK_PUBLIC_URL', 'https://interlock.example.com?x=1'],
  ['GITHUB_SERVER', 'github.example.com'],
  ['LOG_LEVEL', 'verbose'],
  ['DEPLOYMENT_NETWORK', 'yes'],
  ['WEBHOOK_ALLOW_PRIVATE_ADDRESSES', '1'],
] as const)('%s=%s is refused, and the message names both', (name, value) => {
  const read = (): unknown => withDefaults[name]({ [name]: value });
  expect(read).toThrow(StartError);
  expect(read).toThrow(new RegExp(`${name}\\)? must be .*, not ${value.replaceAll('?', '[?]')}\\.$`));
});

test('settings that are not set, or empty, have their defaults', () => {
  for (const env of [{}, { LOG_LEVEL: '', GITHUB_SERVER: '', DEPLOYMENT_NETWORK: '' }] as Record<string, string>[])
    expect([logLevelFrom(env, 'info'), githubServerFrom(env), switchFrom(env, 'DEPLOYMENT_NETWORK')]).toEqual([
      'info',
      null,
      null,
    ]);
  expect(readGitHubServer('https://github.example.com/')).toBe('https://github.example.com');
});
