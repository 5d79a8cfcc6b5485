// Tests as tables what the Action reads from the inputs of a workflow and from the event.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCommon, readRequest, targetsOf, type Event, type ReadInput } from '../../action/src/inputs.ts';
import { createService, dataOf, waitAfter } from '../../action/src/service.ts';

const sha = 'a'.repeat(40);
const head = 'b'.repeat(40);
const push: Event = { name: 'push', payload: {}, sha, branch: 'main' };
const pullRequest: Event = {
  name: 'pull_request',
  payload: { pull_request: { number: 7, head: { sha: head } } },
  sha,
  branch: null,
};
const comment: Event = { ...push, name: 'issue_comment', payload: { issue: { number: 8, pull_request: {} } } };
const issue: Event = { ...push, name: 'issues', payload: { issue: { number: 9 } } };

const reading =
  (inputs: Readonly<Record<string, string>>): ReadInput =>
  (name) =>
    inputs[name] ?? (name === 'repository' ? 'acme/shop' : '');
const candidate = { project: 'shop', version: '1.0-rc1' };

describe('the request of the Action', () => {
  test.each<[string, Event, Record<string, string>, object]>([
    ['the pull request of the event', pullRequest, { command: 'queue' }, { number: 7, headCommitSha: head }],
    ['the pull request of a comment', comment, { command: 'queue' }, { number: 8, headCommitSha: null }],
    [
      'a pull request that the inputs name',
      push,
      { command: 'queue', 'pull-request': '#12' },
      { number: 12, headCommitSha: null },
    ],
    [
      'a pull request that the inputs name instead of that of the event',
      pullRequest,
      { command: 'queue', 'pull-request': '12' },
      { number: 12, headCommitSha: null },
    ],
    ['a wait', pullRequest, { command: 'queue', wait: 'true', 'timeout-minutes': '90' }, { waitMinutes: 90 }],
    ['no wait', pullRequest, { command: 'queue', wait: 'False' }, { waitMinutes: null, skipLine: false }],
    [
      'targets on lines',
      pullRequest,
      { command: 'affected-targets', targets: '//web\n\n  //api \n' },
      { targets: { list: ['//web', '//api'] } },
    ],
    ['no targets', pullRequest, { command: 'affected-targets' }, { targets: { list: [] } }],
    [
      'a preview of a branch',
      push,
      { command: 'register-preview', 'preview-url': 'https://p.example', 'preview-secrets': 'A=b=c\nD=' },
      { of: { branch: 'main' }, commitSha: sha, secrets: { A: 'b=c', D: '' }, name: null },
    ],
    [
      'the head of a pull request instead of the merge commit in GITHUB_SHA',
      pullRequest,
      { command: 'register-preview', 'preview-url': 'https://p.example' },
      { of: { number: 7 }, commitSha: head },
    ],
    ...[push, { ...push, name: 'deployment_status' }].map((event): [string, Event, Record<string, string>, object] => [
      `the commit of the event ${event.name} for a pull request that the inputs name`,
      event,
      { command: 'register-preview', 'preview-url': 'https://p.example', 'pull-request': '12' },
      { of: { number: 12 }, commitSha: sha },
    ]),
    [
      'the commit of the default branch for a preview of this branch',
      { ...push, name: 'schedule' },
      { command: 'register-preview', 'preview-url': 'https://p.example' },
      { of: { branch: 'main' }, commitSha: sha },
    ],
    ['a release candidate', push, { command: 'create-release', ...candidate }, { commit: sha, build: false }],
    [
      "a job status with GitHub's spelling",
      push,
      { command: 'report-deployment', environment: 'production', status: 'cancelled', ...candidate },
      { status: 'canceled' },
    ],
  ])('has %s', (_, event, inputs, expected) => {
    expect(readRequest(reading(inputs), event)).toMatchObject(expected);
  });

  test.each<[Event, Record<string, string>, string]>([
    [push, {}, 'command must be one of queue, affected-targets, register-preview, create-release, report-deployment'],
    [push, { command: 'queue' }, 'pull-request is needed: the event push has no pull request. Pass its number.'],
    [issue, { command: 'queue' }, 'pull-request is needed: the event issues has no pull request.'],
    [push, { command: 'queue', 'pull-request': 'main' }, 'pull-request must be a number, not main.'],
    [pullRequest, { command: 'queue', repository: 'shop' }, 'repository must be <owner>/<name>, not shop.'],
    [pullRequest, { command: 'queue', 'skip-line': 'yes' }, 'skip-line must be true or false, not yes.'],
    [pullRequest, { command: 'queue', wait: 'true', 'timeout-minutes': '0' }, 'timeout-minutes must be a number'],
    [push, { command: 'register-preview' }, 'pull-request is needed'],
    [
      pullRequest,
      { command: 'register-preview' },
      'preview-url is needed for register-preview: the address of the preview',
    ],
    [
      pullRequest,
      { command: 'register-preview', 'preview-url': 'https://p.example', 'preview-secrets': 'secret' },
      'preview-secrets must have KEY=value on each line.',
    ],
    ...[comment, { ...push, name: 'workflow_run' }, pullRequest].map(
      (event): [Event, Record<string, string>, string] => [
        event,
        { command: 'register-preview', 'preview-url': 'https://p.example', 'pull-request': '12' },
        `head-commit-sha is needed: the event ${event.name} does not have the head of #12.`,
      ],
    ),
    [push, { command: 'create-release', version: '1.0-rc1' }, 'project is needed for create-release'],
    [push, { command: 'report-deployment', environment: 'p', status: 'done', ...candidate }, 'status must be one of'],
  ])('is refused for the event %j with the inputs %j', (event, inputs, message) => {
    const at = event === push && inputs['command'] === 'register-preview' ? { ...event, branch: null } : event;
    expect(() => readRequest(reading(inputs), at)).toThrow(message);
  });

  test.each([
    [{}, 'url is needed for every command: the address of Interlock.'],
    [{ url: 'interlock.example' }, 'url must be an address such as https://interlock.example.com'],
    [{ url: 'https://i.example/' }, 'token is empty. Set it from a secret that this repository has. GitHub gives'],
  ])('is refused with the inputs %j', (inputs, message) => {
    expect(() => readCommon(reading(inputs))).toThrow(message);
  });
});

test.each([
  ['//a\n//b\n', ['//a', '//b']],
  ['["//a", "//b"]', ['//a', '//b']],
  ['', []],
])('the file %j has the targets %j', (text, targets) => {
  expect(targetsOf(text, 'targets.txt')).toEqual(targets);
});

test.each(['[1]', '["//a"', '[{}]'])('a file with %s is refused', (text) => {
  expect(() => targetsOf(text, 'targets.json')).toThrow('targets-file: targets.json must have a target on each line');
});

test.each<[string, Response | Error, number, number | null]>([
  ['an answer', new Response(null, { status: 200 }), 1, null],
  ['a refusal', new Response(null, { status: 404 }), 1, null],
  ['no answer', new Error('reset'), 1, 1_000],
  ['no answer again', new Error('reset'), 3, 4_000],
  ['a busy service', new Response(null, { status: 503, headers: { 'retry-after': '5' } }), 1, 5_000],
  [
    'a rate limit with a long retry-after',
    new Response(null, { status: 429, headers: { 'retry-after': '900' } }),
    1,
    30_000,
  ],
  ['a request in progress', new Response(null, { status: 409, headers: { 'retry-after': '2' } }), 1, 2_000],
  ['a conflict', new Response(null, { status: 409 }), 1, null],
  ['a gateway error without retry-after', new Response(null, { status: 502 }), 2, 2_000],
])('the wait after %s is right', (_, response, attempt, waitMs) => {
  expect(waitAfter(response, attempt)).toBe(waitMs);
});

test.each([502, 503, 504])('a proxy that answers %i in place of Interlock counts as an outage', async (status) => {
  const server = createServer((_request, response) => void response.writeHead(status).end('<h1>Bad Gateway</h1>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = createService({ url, token: 'itk_1', clock: { now: () => 0, delay: async () => {} } });
  const outage = { name: 'Outage', message: expect.stringContaining(`${url} does not answer (${status}).`) };
  await expect(service.query('{ viewer { id } }', {})).rejects.toMatchObject(outage);
  const answer = await service.rest.POST('/api/v1/pull_request', {
    body: {
      action: 'update',
      pull_request: { number: 1, repository: { org: 'acme', name: 'shop' }, affected_targets: [] },
    },
  });
  expect(() => dataOf(answer)).toThrow(expect.objectContaining(outage));
});
