// When mirrors need upkeep, and what is removed.
import { expect, test } from 'vitest';
import { readMirrorSettings } from '../../../src/hosts/github/mirror-settings.ts';
import { isBroken } from '../../../src/hosts/github/mirror-clone.ts';
import {
  decideRemovals,
  isMaintenanceDue,
  noteFirstSeen,
  planRefRemoval,
  firstSeenAt,
} from '../../../src/hosts/github/mirror-maintenance.decision.ts';

const hour = 60 * 60_000;
const day = 24 * hour;
const now = Date.parse('2026-11-02T10:00:00Z');

test.each([
  { name: 'never kept up and idle', keptUp: Infinity, used: 1, due: true },
  { name: 'never kept up and in use', keptUp: Infinity, used: 0, due: true },
  { name: 'yesterday, and idle', keptUp: 24, used: 1, due: true },
  { name: 'yesterday, and in use', keptUp: 24, used: 0, due: false },
  { name: 'today, and idle', keptUp: 19, used: 19, due: false },
  { name: 'two days ago, and in use', keptUp: 48, used: 0, due: true },
  { name: 'in the future, by a clock that was put back', keptUp: -1, used: 0, due: true },
])('upkeep of a mirror ($name) is due: $due', ({ keptUp, used, due }) => {
  expect(isMaintenanceDue({ keptUpAt: now - keptUp * hour, usedAt: now - used * hour, now })).toBe(due);
});

test('the age of a ref counts from its first sight, a moved ref is new, and a deleted ref is dropped', () => {
  const first = { ref: 'refs/interlock/landings/1', commit: 'a' };
  const moved = { ref: 'refs/interlock/landings/2', commit: 'c' };
  const seen = noteFirstSeen(
    { 'a refs/interlock/landings/1': now - day, 'b refs/interlock/landings/2': now - day },
    [first, moved],
    now,
  );
  expect(seen).toEqual({ 'a refs/interlock/landings/1': now - day, 'c refs/interlock/landings/2': now });
  expect([firstSeenAt(seen, first, now), firstSeenAt({}, first, now)]).toEqual([now - day, now]);
});

test.each([
  ['refs/interlock/builds/7', 15, true],
  ['refs/interlock/builds/7', 13, false],
  ['refs/interlock/updates/abc', 15, true],
  ['refs/mirror/commits/abc', 15, true],
  ['refs/mirror/interlock/landings/1', 15, true],
  ['refs/interlock/landings/7', 15, false],
  ['refs/mirror/heads/main', 15, false],
  ['refs/heads/main', 15, false],
])('%s, seen first %i days ago, is removed from a mirror: %s', (ref, days, isRemoved) => {
  const kept = { ref, commit: 'a' };
  expect(planRefRemoval([kept], { [`a ${ref}`]: now - days * day }, now)).toEqual(isRemoved ? [kept] : []);
});

test.each([
  { name: 'all of them fit', maxBytes: 30, removed: [] },
  { name: 'the least recently used are removed', maxBytes: 15, removed: ['old', 'older'] },
  { name: 'a mirror that was used today stays, whatever its size', maxBytes: 1, removed: ['old', 'older'] },
])('idle mirrors: $name', ({ maxBytes, removed }) => {
  const mirrors = [
    { directory: 'used', bytes: 10, usedAt: now - hour },
    { directory: 'older', bytes: 10, usedAt: now - 9 * day },
    { directory: 'old', bytes: 10, usedAt: now - 2 * day },
  ];
  expect(
    decideRemovals(mirrors, { maxBytes, now })
      .map(({ directory }) => directory)
      .toSorted(),
  ).toEqual(removed);
});

test.each([
  ['fatal: not a git repository: .', true],
  ['error: object file objects/ab/cd is empty\nfatal: loose object abcd is corrupt', true],
  ['error: packfile ./objects/pack/pack-1.pack is truncated', true],
  ["fatal: unable to access 'https://github.com/acme/shop.git/': not a git repository", false],
  ['remote: Internal Server Error\nfatal: remote error', false],
  ['fatal: bad object abcd', false],
])('the message %j means a broken mirror: %s', (message, broken) => {
  expect(isBroken(message)).toBe(broken);
});

test.each([
  [{}, { keepsAtGitHub: false, maxBytes: null }],
  [
    { GITHUB_MIRRORS: 'own', GITHUB_MIRROR_MAX_GB: '0.5' },
    { keepsAtGitHub: true, maxBytes: 500_000_000 },
  ],
])('settings of mirrors: %j', (env, settings) => {
  expect(readMirrorSettings(env)).toEqual(settings);
});

test.each([
  [{ GITHUB_MIRRORS: 'both' }, 'GITHUB_MIRRORS is "both". Set shared'],
  [{ GITHUB_MIRROR_MAX_GB: '5 GB' }, 'GITHUB_MIRROR_MAX_GB is "5 GB". Set a number'],
  [{ GITHUB_MIRROR_MAX_GB: '0' }, 'GITHUB_MIRROR_MAX_GB is "0". Set a number'],
])('invalid settings of mirrors are refused with the variable: %j', (env, message) => {
  expect(() => readMirrorSettings(env)).toThrow(message);
});
