import { describe, expect, it } from 'vitest';
import {
  destinationsOf,
  isStillNews,
  isWorthNotice,
  readBotToken,
  readChannel,
  readSlackAddress,
  readWebhookUrl,
  webhookAddress,
  writeSlackAddress,
  type SlackAddress,
  type SlackDestinationRule,
} from '../../../src/domain/slack/destinations.ts';
import type { DeploymentNews, PullRequestNews } from '../../../src/domain/slack/message.ts';

it.each<[string, SlackAddress]>([
  ['C0123456789', { kind: 'installation', channel: 'C0123456789' }],
  ['destination:7', { kind: 'destination', destinationId: '7' }],
  ['person:7:12', { kind: 'person', destinationId: '7', userId: '12' }],
])('%s is read and written as an address', (text, address) => {
  expect([readSlackAddress(text), writeSlackAddress(address)]).toEqual([address, text]);
});

it.each([
  [' xoxb-1-a ', 'xoxb-1-a'],
  ['xoxp-1', null],
  ['xoxb-1 2', null],
  ['', null],
])('the bot token %j is read as %j', (text, token) => expect(readBotToken(text)).toBe(token));

it.each([
  ['#queue', 'queue'],
  ['C0123456789', 'C0123456789'],
  ['person:1:2', null],
  ['', null],
])('the channel %j is read as %j', (text, channel) => expect(readChannel(text)).toBe(channel));

const hook = 'https://hooks.slack.com/services/T0/B0/x';
it.each([
  [hook, hook],
  ['https://hooks.slack-gov.com/services/T0/B0/x', 'https://hooks.slack-gov.com/services/T0/B0/x'],
  ['http://hooks.slack.com/services/T0/B0/x', null],
  ['https://hooks.slack.com.evil.test/services/T0/B0/x', null],
  ['https://hooks.slack.com:8443/services/T0/B0/x', null],
  ['https://user@hooks.slack.com/services/T0', null],
  ['https://hooks.slack.com/services/../admin', null],
  ['https://169.254.169.254/services/T0', null],
])('the incoming webhook %j is read as %j', (text, url) => expect(readWebhookUrl(text)).toBe(url));

it.each([
  ['https://slack.com/api/', hook],
  ['https://slack-gov.com/api/', hook],
  ['https://proxy.acme.test/slack/api/', 'https://proxy.acme.test/services/T0/B0/x'],
  ['https://notslack.com/api/', 'https://notslack.com/services/T0/B0/x'],
])('with the Web API at %s an incoming webhook is called at %s', (apiUrl, address) =>
  expect(webhookAddress(hook, apiUrl)).toBe(address),
);

describe('a notice', () => {
  const pullRequest: Omit<PullRequestNews, 'status'> = {
    kind: 'pull_request',
    repository: 'acme/shop',
    number: 7,
    title: 'Sell tea',
    author: 'ada',
    url: 'https://queue.test/acme/shop/pull/7',
    sentence: '',
    commit: null,
  };
  it.each([
    ['open', false],
    ['pending', false],
    ['queued', false],
    ['tagged', false],
    ['closed', false],
    ['blocked', true],
    ['merged', true],
  ] as const)('of a pull request that is %s: %s', (status, isTold) =>
    expect(isWorthNotice({ ...pullRequest, status })).toBe(isTold),
  );

  const deployment: Omit<DeploymentNews, 'status'> = {
    kind: 'deployment',
    project: 'shop',
    environment: 'production',
    version: 'v1',
    isRollback: false,
    problem: null,
    actor: 'ada@acme.test',
  };
  it.each([
    ['pending', false],
    ['in_progress', false],
    ['canceling', false],
    ['success', true],
    ['failure', true],
    ['error', true],
    ['canceled', true],
    ['unknown', true],
  ])('of a deployment that is %s: %s', (status, isTold) =>
    expect(isWorthNotice({ ...deployment, status })).toBe(isTold),
  );

  it('of a freeze is always sent', () => {
    const freeze = { kind: 'freeze', frozen: 'production', of: 'shop', reason: null } as const;
    expect([true, false].map((hasEnded) => isWorthNotice({ ...freeze, hasEnded }))).toEqual([true, true]);
  });
});

describe('an event is sent', () => {
  const rule = (is: Partial<SlackDestinationRule>): SlackDestinationRule => ({
    id: '1',
    kind: 'channel',
    channel: 'C1',
    repositoryId: null,
    createdAt: new Date(1_000),
    ...is,
  });
  const heard = (...rules: SlackDestinationRule[]): string[] =>
    destinationsOf(rules, { repositoryId: '5', at: new Date(2_000) }).map(({ id }) => id);
  it.each([
    ['by the destination for all repositories', [rule({})], ['1']],
    ['by the destination for its repository', [rule({ repositoryId: '5' })], ['1']],
    ['by no destination for another repository', [rule({ repositoryId: '6' })], []],
    ['by no destination that was made later', [rule({ createdAt: new Date(2_001) })], []],
    ['once by two destinations with one channel', [rule({}), rule({ id: '2', repositoryId: '5' })], ['1']],
    ['by two destinations with two channels', [rule({}), rule({ id: '2', channel: 'C2' })], ['2', '1']],
    [
      'once by two destinations for people',
      [rule({ kind: 'people', channel: null }), rule({ id: '2', kind: 'people', channel: null })],
      ['1'],
    ],
    [
      'by each destination with an incoming webhook',
      [rule({ kind: 'webhook', channel: null }), rule({ id: '2', kind: 'webhook', channel: null })],
      ['2', '1'],
    ],
  ])('%s', (_, rules, ids) => expect(heard(...rules)).toEqual(ids));
});

it.each([
  ['at once', 0, true],
  ['after twelve hours', 12 * 3_600_000, true],
  ['after more than twelve hours', 12 * 3_600_000 + 1, false],
])('an event that is read %s may make a new message: %s', (_when, lateMs, may) => {
  expect(isStillNews({ at: new Date(1_000) }, new Date(1_000 + lateMs))).toBe(may);
});
