// What may be registered as a preview, and until when.
import { describe, expect, it } from 'vitest';
import {
  decideExpiry,
  requireEndpoint,
  requirePreviewName,
  requirePreviewUrl,
  requireSecrets,
  requireSubject,
  type EndpointEntry,
} from '../../../src/domain/previews/registration.ts';
import type { PreviewEntry } from '../../../src/domain/previews/preview.ts';

const endpoint = (name: string): EndpointEntry => ({
  method: 'endpoint',
  name,
  waitTimeoutSec: 60,
  expiresDefaultSec: 300,
  verifySkill: 'skill.md',
});
const sandbox: PreviewEntry = {
  method: 'sandbox',
  name: 'box',
  image: 'web',
  port: 80,
  setup: 'up.sh',
  teardown: null,
  secrets: [],
  verifySkill: 'skill.md',
};
const now = new Date('2026-01-02T03:04:05.000Z');
const at = (sec: number): Date => new Date(now.getTime() + sec * 1000);

describe('the end of a registration', () => {
  it('follows from the lifetime in the entry, unless expires_at is given', () => {
    expect(decideExpiry(null, endpoint('a'), now)).toEqual(at(300));
    expect(decideExpiry(at(1), endpoint('a'), now)).toEqual(at(1));
    expect(decideExpiry(at(86_400), endpoint('a'), now)).toEqual(at(86_400));
  });
  it.each([
    [0, 'expires_at must be in the future'],
    [-1, 'expires_at must be in the future'],
    [86_400.001, 'expires_at must be at most 24 hours ahead'],
  ])('is refused %d s from now', (sec, message) => {
    expect(() => decideExpiry(at(sec), endpoint('a'), now)).toThrow(message);
  });
});

describe('the name of a registration', () => {
  it('is `default` if none is given and there is at most one entry, and is required if there are several', () => {
    expect(requirePreviewName([], null)).toBe('default');
    expect(requirePreviewName([endpoint('a')], null)).toBe('default');
    expect(requirePreviewName([endpoint('a'), sandbox], 'x')).toBe('x');
    expect(() => requirePreviewName([endpoint('a'), sandbox], null)).toThrow(
      'name is required when there are several previews: a, box',
    );
  });
  it.each([
    [[], 'a', 'has no endpoint preview: declare one under verify.preview'],
    [[sandbox], 'box', 'name is box, a sandbox'],
    [[sandbox], 'a', 'has no endpoint preview'],
    [[sandbox, endpoint('a'), endpoint('b')], 'c', "must be one of the repository's endpoint previews: a, b"],
  ])('of an endpoint, for the entries %j, must not be %s', (entries, name, message) => {
    expect(() => requireEndpoint(entries, name)).toThrow(message);
  });
  it('selects its entry', () => {
    expect(requireEndpoint([sandbox, endpoint('a')], 'a').name).toBe('a');
  });
});

it.each(['https://user@a.test/', 'https://:pass@a.test/', `https://a.test/${'x'.repeat(2000)}`])(
  'the URL of a registration must not be %s',
  (url) => {
    expect(() => requirePreviewUrl(url)).toThrow('preview_url must');
  },
);

it.each([
  [null, null],
  [null, ''],
  [null, 'x'.repeat(256)],
  [1, ''],
])('a registration with the pull request %j and the branch %j is refused', (number, branch) => {
  expect(() => requireSubject(number, branch)).toThrow(/branch/);
});

it('the number and the length of the secrets are limited', () => {
  const most = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`A${n}`, 'x'.repeat(8192)]));
  expect(requireSecrets(most)).toBe(most);
  expect(() => requireSecrets({ ...most, B: 'x' })).toThrow('secrets must be at most 50');
  expect(() => requireSecrets({ A: 'x'.repeat(8193) })).toThrow('8192');
});
