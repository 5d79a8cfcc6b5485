// How the host `github` treats failures of GitHub.
import { expect, test } from 'vitest';
import { asPortError, type FailedCall, type Failure, judgeFailure } from '../../../src/hosts/github/answers.ts';
import { NotFoundAtGitHub } from '../../../src/hosts/github/answers.ts';
import { HostRefused, HostUnavailable } from '../../../src/hosts/port.ts';

const now = Date.parse('2026-11-02T10:00:00Z');
const resetSec = now / 1000 + 900;

/** The call was refused by a server with this clock. */
function dated(at: number): Partial<FailedCall> {
  return { status: 401, isForToken: true, headers: { date: new Date(at).toUTCString() } };
}

interface Case {
  readonly name: string;
  readonly call: Partial<FailedCall>;
  readonly kind: Failure['kind'];
  readonly message: string;
  /** When to call again. */
  readonly at?: number | null;
}

const cases: readonly Case[] = [
  { name: 'no answer', call: { status: null, message: 'reset' }, kind: 'unavailable', message: 'GitHub: reset' },
  { name: 'a bad gateway', call: { status: 502, message: 'Bad' }, kind: 'unavailable', message: 'GitHub: Bad' },
  {
    name: 'a bad gateway that names a wait',
    call: { status: 503, message: 'Down', headers: { 'retry-after': '5' } },
    kind: 'unavailable',
    message: 'GitHub: Down',
    at: null,
  },
  {
    name: 'a secondary limit with a wait',
    call: { status: 403, message: 'You have exceeded a secondary rate limit', headers: { 'retry-after': '30' } },
    kind: 'limited',
    message: 'fewer calls',
    at: now + 30_000,
  },
  {
    name: 'a limit of 429 with a wait',
    call: { status: 429, headers: { 'retry-after': 60 } },
    kind: 'limited',
    message: 'fewer calls',
    at: now + 60_000,
  },
  {
    name: 'an hour that is spent',
    call: { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetSec) } },
    kind: 'limited',
    message: 'fewer calls',
    at: resetSec * 1000,
  },
  {
    name: 'an hour that is spent, without its end',
    call: { status: 429, headers: { 'x-ratelimit-remaining': '0' } },
    kind: 'limited',
    message: 'fewer calls',
    at: null,
  },
  {
    name: 'a secondary limit without a wait',
    call: {
      status: 403,
      message: 'You have exceeded a secondary rate limit',
      headers: { 'x-ratelimit-remaining': 12 },
    },
    kind: 'limited',
    message: 'fewer calls',
    at: null,
  },
  {
    name: 'an older form of the limit',
    call: { status: 403, message: 'You have triggered an abuse detection mechanism' },
    kind: 'limited',
    message: 'fewer calls',
    at: null,
  },
  {
    name: 'a token that has ended',
    call: { status: 401, message: 'Bad credentials' },
    kind: 'token',
    message: 'token',
  },
  {
    name: 'an App that was deleted, when it asks for a token',
    call: { status: 404, message: 'Integration not found', isForToken: true },
    kind: 'unavailable',
    message: 'The App is not installed at GitHub any more, or was deleted',
  },
  {
    name: 'a token for a suspended installation',
    call: { status: 403, message: 'This installation has been suspended', isForToken: true, writes: true },
    kind: 'unavailable',
    message: 'suspended at GitHub',
  },
  {
    name: 'a private key that is not the one of the App',
    call: { status: 401, message: 'A JSON web token could not be decoded', isForToken: true },
    kind: 'unavailable',
    message: 'GitHub refuses the private key of the App. Generate another key',
  },
  {
    name: 'a clock that is ahead',
    call: { ...dated(now - 97_000), message: "'Issued at' claim ('iat') must be an Integer" },
    kind: 'unavailable',
    message: 'The clock of this machine is 97 s ahead: set the clock, for example by NTP',
  },
  {
    name: 'a clock that is behind',
    call: { ...dated(now + 700_000), message: "'Expiration time' claim ('exp') must be a numeric value" },
    kind: 'unavailable',
    message: 'The clock of this machine is 700 s behind',
  },
  {
    name: 'a token that is refused otherwise',
    call: { status: 422, message: 'There is at least one repository that does not exist', isForToken: true },
    kind: 'unavailable',
    message: 'GitHub gives the App no token: There is at least one repository',
  },
  { name: 'nothing there', call: { status: 404, message: 'Not Found' }, kind: 'absent', message: 'Not Found' },
  { name: 'something that is gone', call: { status: 410, message: 'Gone' }, kind: 'absent', message: 'Gone' },
  {
    name: 'rules of a private repository whose plan has none',
    call: { status: 403, message: 'Upgrade to GitHub Pro or make this repository public to enable this feature.' },
    kind: 'absent',
    message: 'Upgrade to GitHub Pro',
  },
  {
    name: 'a write that the plan of a private repository does not have',
    call: {
      status: 403,
      message: 'Upgrade to GitHub Pro or make this repository public to enable this feature.',
      writes: true,
    },
    kind: 'refused',
    message: 'GitHub refuses: Upgrade to GitHub Pro',
  },
  {
    name: 'a write of a suspended installation',
    call: { status: 403, message: 'This installation has been suspended', writes: true },
    kind: 'unavailable',
    message: 'suspended at GitHub',
  },
  {
    name: 'a write without the permission',
    call: {
      status: 403,
      message: 'Resource not accessible by integration',
      headers: { 'x-accepted-github-permissions': 'checks=write' },
      writes: true,
    },
    kind: 'refused',
    message: 'The App needs the permission checks=write.',
  },
  {
    name: 'a write that an archived repository refuses',
    call: { status: 403, message: 'Repository was archived so is read-only.', writes: true },
    kind: 'refused',
    message: 'archived',
  },
  {
    name: 'a read without the permission',
    call: {
      status: 403,
      message: 'Resource not accessible by integration',
      headers: { 'x-accepted-github-permissions': 'administration=read' },
    },
    kind: 'unavailable',
    message: 'administration=read',
  },
  { name: 'a redirect', call: { status: 301, message: 'Moved' }, kind: 'unavailable', message: 'renamed or moved' },
  { name: 'a method that is refused', call: { status: 405, writes: true }, kind: 'refused', message: 'GitHub:' },
  { name: 'a conflict', call: { status: 409, writes: true }, kind: 'refused', message: 'GitHub:' },
  {
    name: 'an input that is refused',
    call: { status: 422, message: 'Validation Failed', writes: true },
    kind: 'refused',
    message: 'Validation Failed',
  },
];

test.each(cases)('$name is the failure $kind', ({ call, kind, message, at }) => {
  const failure = judgeFailure(
    { status: 500, headers: {}, message: '', writes: false, isForToken: false, ...call },
    now,
  );
  expect(failure).toMatchObject({ kind, message: expect.stringContaining(message) as string });
  const asked = failure.kind === 'limited' ? failure.until : failure.kind === 'unavailable' ? failure.retryAt : null;
  expect(asked).toBe(at ?? null);
});

test.each<{ failure: Failure; error: new (...given: never[]) => Error; retryAt: number | undefined }>([
  { failure: { kind: 'unavailable', message: 'Down', retryAt: 7 }, error: HostUnavailable, retryAt: 7 },
  { failure: { kind: 'limited', until: 9, message: 'Fewer' }, error: HostUnavailable, retryAt: 9 },
  { failure: { kind: 'token', message: 'Token' }, error: HostUnavailable, retryAt: undefined },
  { failure: { kind: 'absent', message: 'Gone' }, error: NotFoundAtGitHub, retryAt: undefined },
  { failure: { kind: 'refused', message: 'No' }, error: HostRefused, retryAt: undefined },
])('the failure $failure.kind becomes an error of the code host', ({ failure, error, retryAt }) => {
  const made = asPortError(failure, new Error('cause'));
  expect(made).toBeInstanceOf(error);
  expect(made.message).toBe(failure.message);
  expect((made as Partial<HostUnavailable>).retryAt ?? undefined).toBe(retryAt);
});
