import { expect, it } from 'vitest';
import { exemptPaths, previewEntries, problemText } from '../../../src/domain/configuration/index.ts';
import { accepted, problemsOf } from './support.ts';

const entriesOf = (yaml: string) => previewEntries(accepted(`verify:\n  preview:\n${yaml}`));

it('a sandbox with only the required keys has all defaults', () => {
  expect(entriesOf('    - {image: web, port: 3000}')).toEqual([
    {
      method: 'sandbox',
      name: 'default',
      image: 'web',
      port: 3000,
      setup: '.service/scripts/preview-setup.sh',
      teardown: null,
      secrets: [],
      verifySkill: '.service/verify/skills/default.md',
    },
  ]);
});

it('an endpoint with only the required keys has all defaults', () => {
  expect(entriesOf('    - {method: endpoint}')).toEqual([
    {
      method: 'endpoint',
      name: 'default',
      waitTimeoutSec: 1800,
      expiresDefaultSec: 7200,
      verifySkill: '.service/verify/skills/default.md',
    },
  ]);
});

it('previews have the written values, in the written order', () => {
  const entries = entriesOf(`
    - {name: web, image: web, port: 80, setup: up.sh, teardown: down.sh, secrets: [A, B, A]}
    - {name: staging, method: endpoint, wait_timeout_sec: 60, expires_default_sec: 300, verify_skill: skills/s.md}`);
  expect(entries).toEqual([
    {
      method: 'sandbox',
      name: 'web',
      image: 'web',
      port: 80,
      setup: 'up.sh',
      teardown: 'down.sh',
      secrets: ['A', 'B'],
      verifySkill: '.service/verify/skills/web.md',
    },
    {
      method: 'endpoint',
      name: 'staging',
      waitTimeoutSec: 60,
      expiresDefaultSec: 300,
      verifySkill: 'skills/s.md',
    },
  ]);
});

it('without the key verify, a repository verifies nothing', () => {
  expect([previewEntries(accepted('{}')), exemptPaths(accepted('{}'))]).toEqual([[], []]);
  expect(exemptPaths(accepted('verify: {exempt_paths: ["docs/**"]}'))).toEqual(['docs/**']);
});

it('all faults are reported at once, each with its place', () => {
  const yaml = `
verify:
  preview:
    - {name: a, method: endpoint, image: web, port: 1, setup: s, teardown: t, secrets: [A]}
    - {image: web, wait_timeout_sec: 600}
    - {name: a, method: endpoint}
preview:
  - {image: web, port: 1}
`;
  expect(problemsOf(yaml).map(problemText)).toEqual([
    'verify -> preview -> 0 -> image: is not a key of the method endpoint',
    'verify -> preview -> 0 -> port: is not a key of the method endpoint',
    'verify -> preview -> 0 -> setup: is not a key of the method endpoint',
    'verify -> preview -> 0 -> teardown: is not a key of the method endpoint',
    'verify -> preview -> 0 -> secrets: is not a key of the method endpoint',
    'verify -> preview -> 1 -> port: is required',
    'verify -> preview -> 1 -> name: is required when there are several previews',
    'verify -> preview -> 1 -> waitTimeoutSec: is not a key of the method sandbox',
    'verify -> preview -> 2 -> name: must be unique',
    'preview: is not a known key; the nearest known key is verify.preview',
  ]);
});
