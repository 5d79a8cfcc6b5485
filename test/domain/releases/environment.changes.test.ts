import { expect, it } from 'vitest';
import { changesOfEnvironment, type EnvironmentSettings } from '../../../src/domain/releases/environment.changes.ts';

const before: EnvironmentSettings = {
  tier: 'staging',
  position: 2,
  provider: { kind: 'http', url: 'https://deploy.acme.test', statusUrl: null },
  reportTimeoutSec: 3600,
  freezeAfterRollback: false,
  freezeAfterRollbackSec: null,
};

const cases: readonly [Partial<EnvironmentSettings>, string[]][] = [
  [{}, []],
  [{ tier: 'production' }, ['The tier is production instead of staging.']],
  [{ position: 1 }, ['The position is 1 instead of 2.']],
  [{ provider: { ...before.provider } }, []],
  [{ provider: { kind: 'none' } }, ['Deployments are made by an outside pipeline instead of an HTTP endpoint.']],
  [
    { provider: { kind: 'http', url: 'https://other.acme.test', statusUrl: null } },
    ['Deployments are made by an HTTP endpoint with other settings.'],
  ],
  [{ reportTimeoutSec: 60 }, ['A deployment without a report is unknown after 60 s instead of 3600 s.']],
  [
    { freezeAfterRollback: true, freezeAfterRollbackSec: 600 },
    [
      'The environment is frozen after a rollback.',
      'The freeze after a rollback lasts 600 s instead of until somebody ends it.',
    ],
  ],
];

it.each(cases)('the change %j is described as %j', (change, sentences) => {
  expect(changesOfEnvironment(before, { ...before, ...change }).map(({ sentence }) => sentence)).toEqual(sentences);
});
