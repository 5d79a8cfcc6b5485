// Tests the pure decisions of the command line as tables.
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  chooseRemote,
  readPullRequestName,
  readRepositoryName,
  repositoryOfRemote,
} from '../../cli/client/checkout.ts';
import { chooseConnection, isUnprotected, readAddress, type Sources } from '../../cli/client/connection.ts';
import { removeControls } from '../../cli/client/api.ts';
import { exitCodes, outcomeOf, outcomeOfExit } from '../../src/platform/exit-codes.ts';
import { ask, wantsColor } from '../../cli/output/io.ts';
import { documentedCodes } from './documented.ts';
import { errorCodes } from '../../src/domain/errors.ts';

const login = (token: string) => ({ token, user: 'ada' });
const nothing: Sources = {
  flag: null,
  urlVariable: null,
  tokenVariable: null,
  logins: { latest: null, byAddress: {} },
  running: null,
};
const everything: Sources = {
  flag: 'https://flag',
  urlVariable: 'https://variable',
  tokenVariable: 'token of variable',
  logins: {
    latest: 'https://latest',
    byAddress: {
      'https://flag': login('token of flag'),
      'https://variable': login('token of address'),
      'https://latest': login('token of latest'),
      'http://127.0.0.1:4000': login('stored for running'),
    },
  },
  running: { url: 'http://127.0.0.1:4000', token: 'token of running' },
};
const withoutLogins = { latest: null, byAddress: {} };

describe('the command line chooses', () => {
  test.each<[string, Partial<Sources>, string, string]>([
    [
      'the service of --url and the token of INTERLOCK_TOKEN before all others',
      {},
      'https://flag',
      'token of variable',
    ],
    ['the service of INTERLOCK_URL if there is no --url', { flag: null }, 'https://variable', 'token of variable'],
    [
      'the service of the last login if there is neither --url nor INTERLOCK_URL',
      { flag: null, urlVariable: null },
      'https://latest',
      'token of variable',
    ],
    [
      'the token that `login` stored for the address, if there is no INTERLOCK_TOKEN',
      { tokenVariable: null },
      'https://flag',
      'token of flag',
    ],
    [
      'the stored token also if the address ends with a slash',
      { flag: 'https://flag/', tokenVariable: null },
      'https://flag',
      'token of flag',
    ],
    [
      'the address and the token of the last login',
      { flag: null, urlVariable: null, tokenVariable: null },
      'https://latest',
      'token of latest',
    ],
    [
      'the running service and its token if nothing else is known',
      { flag: null, urlVariable: null, tokenVariable: null, logins: withoutLogins },
      'http://127.0.0.1:4000',
      'token of running',
    ],
    [
      'the stored token, not the token of the running service at the same address',
      { flag: 'http://127.0.0.1:4000', tokenVariable: null },
      'http://127.0.0.1:4000',
      'stored for running',
    ],
    [
      'the token of the running service if its address is the named address',
      { flag: null, urlVariable: 'http://127.0.0.1:4000', tokenVariable: null, logins: withoutLogins },
      'http://127.0.0.1:4000',
      'token of running',
    ],
  ])('%s', (_, change, url, token) => {
    expect(chooseConnection({ ...everything, ...change })).toEqual({ kind: 'connection', url, token });
  });

  test.each<[string, Partial<Sources>]>([
    ['a login elsewhere', { logins: everything.logins }],
    ['a running service elsewhere', { running: everything.running }],
    ['a running service with an unknown token', { running: { url: 'https://other', token: '' } }],
  ])('no token if only %s is known; a token is never sent to another address', (_, change) => {
    expect(chooseConnection({ ...nothing, flag: 'https://other', ...change })).toEqual({
      kind: 'no token',
      url: 'https://other',
    });
  });

  test('no service if there is only a token', () => {
    expect(chooseConnection({ ...nothing, tokenVariable: 'token' })).toEqual({ kind: 'no address' });
  });
});

test.each([
  ['https://interlock.example.com', 'https://interlock.example.com', false],
  ['https://interlock.example.com/', 'https://interlock.example.com', false],
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000', false],
  ['http://[::1]:4000', 'http://[::1]:4000', false],
  ['http://localhost:4000', 'http://localhost:4000', false],
  ['http://interlock.example.com', 'http://interlock.example.com', true],
  ['http://127.0.0.1.example.com', 'http://127.0.0.1.example.com', true],
])('%s is an address, read as %s, and unprotected: %s', (text, address, unprotected) => {
  expect([readAddress(text), isUnprotected(text)]).toEqual([address, unprotected]);
});

test.each(['', 'interlock.example.com', 'ftp://a', 'https://ada@a', 'https://a?b', 'https://a#b', 'localhost:4000'])(
  '"%s" is not an address',
  (text) => {
    expect(readAddress(text)).toBeNull();
  },
);

test.each([
  ['https://github.com/acme/shop.git', 'acme/shop'],
  ['https://github.com/acme/shop', 'acme/shop'],
  ['https://github.com/acme/shop/', 'acme/shop'],
  ['https://token:secret@github.com/acme/shop.git', 'acme/shop'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['github.com:acme/shop', 'acme/shop'],
  ['ssh://git@ssh.github.com:443/acme/shop.git', 'acme/shop'],
  ['http://127.0.0.1:4000/git/acme/shop.git', 'acme/shop'],
  ['https://interlock.example.com/git/acme/my%20shop.git', 'acme/my shop'],
  ['file:///home/git/acme/shop.git', null],
  ['/home/git/acme/shop.git', null],
  ['../shop', null],
  ['https://github.com/shop.git', null],
  ['', null],
])('the remote "%s" is the repository %s', (remote, repository) => {
  const found = repositoryOfRemote(remote);
  expect(found === null ? null : `${found.owner}/${found.name}`).toBe(repository);
});

test.each<[string, string[], string | null, string | null]>([
  ['the tracked remote', ['origin', 'fork'], 'fork', 'fork'],
  ['origin if no remote is tracked', ['fork', 'origin'], null, 'origin'],
  ['origin if the tracked remote does not exist', ['fork', 'origin'], 'gone', 'origin'],
  ['the only remote', ['upstream'], null, 'upstream'],
  ['no remote if neither of two is tracked or named origin', ['upstream', 'fork'], null, null],
  ['no remote if there is none', [], null, null],
])('chooseRemote takes %s', (_, names, tracked, chosen) => {
  const remotes = names.map((name) => ({ name, url: name }));
  expect(chooseRemote(remotes, tracked)?.name ?? null).toBe(chosen);
});

const shopName = { owner: 'acme', name: 'shop' };

test.each([
  ['12', { number: 12, repository: null }],
  ['#12', { number: 12, repository: null }],
  ['https://github.com/acme/shop/pull/12', { number: 12, repository: shopName }],
  ['https://github.com/acme/shop/pull/12/files', { number: 12, repository: shopName }],
  ['https://interlock.example.com/acme/shop/pull/12?w=1', { number: 12, repository: shopName }],
  ['https://example.com/interlock/acme/shop/pull/12#top', { number: 12, repository: shopName }],
  ['https://example.com/acme/my%20shop/pull/12', { number: 12, repository: { owner: 'acme', name: 'my shop' } }],
  ['github.com/acme/shop/pull/12', { number: 12, repository: shopName }],
  ['acme/shop/pull/12', { number: 12, repository: shopName }],
  ['https://example.com/pull/12', { number: 12, repository: null }],
  ['0', null],
  ['-1', null],
  ['topic', null],
  ['12345678901', null],
])('the text "%s" is read as the pull request %j', (text, named) => {
  expect(readPullRequestName(text)).toEqual(named);
});

test.each([
  ['acme/shop', { owner: 'acme', name: 'shop' }],
  ['acme', null],
  ['acme/shop/tea', null],
  ['acme/', null],
  ['a b/c', null],
])('the text "%s" is read as the repository %j', (text, repository) => {
  expect(readRepositoryName(text)).toEqual(repository);
});

test.each<[string, Parameters<typeof wantsColor>[0], boolean]>([
  ['colours are used on a terminal', { isRefused: false, isTTY: true, env: {} }, true],
  ['colours are used with an empty NO_COLOR', { isRefused: false, isTTY: true, env: { NO_COLOR: '' } }, true],
  ['no colours are used with NO_COLOR', { isRefused: false, isTTY: true, env: { NO_COLOR: '1' } }, false],
  ['no colours are used with --no-color', { isRefused: true, isTTY: true, env: {} }, false],
  ['no colours are used without a terminal', { isRefused: false, isTTY: false, env: {} }, false],
  ['no colours are used on a dumb terminal', { isRefused: false, isTTY: true, env: { TERM: 'dumb' } }, false],
])('%s', (_, choice, wanted) => {
  expect(wantsColor(choice)).toBe(wanted);
});

test.each([
  ['y\n', true],
  ['Yes\n', true],
  [' y \n', true],
  ['n\n', false],
  ['yesterday\n', false],
  ['\n', false],
  ['', false],
])('the answer %j means yes: %s', async (typed, isYes) => {
  const stdin = new PassThrough();
  stdin.end(typed);
  const stderr = { write: () => true };
  expect(await ask({ stdin, stderr, signal: new AbortController().signal }, 'Do it?')).toBe(isYes);
});

test('every error code of the API has an outcome, and every outcome an exit code of its own', () => {
  const byOutcome = Object.groupBy(Object.keys(errorCodes), outcomeOf);
  expect(byOutcome).toEqual({
    usage: ['BAD_INPUT', 'SKIP_LINE_REASON_REQUIRED'],
    unauthorised: ['UNAUTHENTICATED', 'FORBIDDEN'],
    unreachable: ['RATE_LIMITED', 'HOST_UNAVAILABLE', 'UNAVAILABLE'],
    failed: ['INTERNAL'],
    refused: expect.arrayContaining(['NOT_QUEUEABLE', 'NOT_FOUND', 'CONFLICT', 'LANDING_IN_PROGRESS']),
  });
  expect(new Set(Object.values(exitCodes)).size).toBe(Object.keys(exitCodes).length);
});

test('the outcome of a program is that of its exit code', () => {
  for (const [outcome, code] of Object.entries(exitCodes)) expect(outcomeOfExit(code)).toBe(outcome);
  expect(outcomeOfExit(137)).toBe('failed');
});

test('docs/command-line.md lists all exit codes', () => {
  expect(Object.fromEntries(documentedCodes)).toEqual(exitCodes);
});

test('control characters are removed from text of the API before output', () => {
  expect(removeControls('a\u001B[31mred\u001B[0m\u001B]0;title\u0007 b\r\n\tc\u0000\u009Bd')).toBe('ared b\n\tcd');
});
