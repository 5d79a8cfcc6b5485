import { describe, expect, it } from 'vitest';
import { slackFailureOf, slackRetryMs } from '../../../src/domain/slack/attempt.ts';
import { decideSlackMessage, type PullRequestNews, type SlackNews } from '../../../src/domain/slack/message.ts';
import { channelsOf, readSlackSettings, SlackSettingsRefused } from '../../../src/domain/slack/settings.ts';

const pullRequest: PullRequestNews = {
  kind: 'pull_request',
  repository: 'acme/shop',
  number: 7,
  title: 'Sell <tea> & more',
  author: 'ada',
  url: 'https://queue.test/acme/shop/pull/7',
  status: 'blocked',
  sentence: 'The check test failed.',
  commit: null,
};
const deployment = {
  kind: 'deployment',
  project: 'shop',
  environment: 'production',
  version: '1.2.3-rc.4',
  isRollback: false,
  status: 'success',
  problem: null,
  actor: 'ada',
} as const;

describe('a message about', () => {
  it.each<[string, SlackNews, string[]]>([
    [
      'a blocked pull request',
      pullRequest,
      [
        ':red_circle: *Blocked*: <https://queue.test/acme/shop/pull/7|acme/shop#7> Sell &lt;tea&gt; &amp; more',
        'The check test failed.',
        'by ada',
      ],
    ],
    [
      'a landed pull request',
      { ...pullRequest, status: 'merged', commit: 'c'.repeat(40), title: 'Tea' },
      [
        ':white_check_mark: *Landed* as `cccccccccccc`: <https://queue.test/acme/shop/pull/7|acme/shop#7> Tea',
        'by ada',
      ],
    ],
    ['a deployment', deployment, [':white_check_mark: shop 1.2.3-rc.4 is deployed in production', 'by ada']],
    [
      'a failed rollback',
      { ...deployment, isRollback: true, status: 'failure', problem: 'exit 1' },
      [':red_circle: shop 1.2.3-rc.4 (rollback) failed to deploy in production', 'exit 1', 'by ada'],
    ],
    [
      'a freeze',
      { kind: 'freeze', frozen: 'production', of: 'shop', reason: null, hasEnded: false },
      [':snowflake: production of shop is frozen'],
    ],
  ])('%s', (_of, news, expected) => {
    const { blocks = [] } = decideSlackMessage(news, false) ?? {};
    expect(blocks.map((block) => (block.type === 'section' ? block.text.text : block.elements[0]?.text))).toEqual(
      expected,
    );
  });

  it('a long title cuts the title without cutting a character in two', () => {
    const title = `${'&'.repeat(248)}👩${'x'.repeat(1_000)}\n<!channel>`;
    const message = decideSlackMessage({ ...pullRequest, title, sentence: 'x '.repeat(5_000) }, false);
    expect(message?.text).toBe(`Blocked: acme/shop#7 ${'&amp;'.repeat(248)}👩…`);
    expect(message?.blocks.every((block) => block.type !== 'section' || block.text.text.length <= 3_000)).toBe(true);
  });

  it.each([
    ['open', false, false],
    ['closed', false, false],
    ['open', true, true],
    ['pending', false, true],
    ['queued', false, true],
  ] as const)('a pull request that is %s, with an earlier message (%s), is sent: %s', (status, isKnown, isTold) => {
    expect(decideSlackMessage({ ...pullRequest, status }, isKnown) !== null).toBe(isTold);
  });
});

it.each([
  ['passing', 0, null, 2_000],
  ['passing', 30, null, 600_000],
  ['limited', 0, 30, 30_000],
  ['limited', 0, null, 60_000],
  ['misconfigured', 5, null, 600_000],
  ['gone', 0, null, 0],
] as const)(
  'a failure that is %s, after %d others, is tried again (Slack said %s s) in %d ms',
  (kind, failures, retryAfterSec, ms) => {
    expect(slackRetryMs(kind, { failures, retryAfterSec })).toBe(ms);
  },
);

it.each([
  ['invalid_auth', 'misconfigured'],
  ['channel_not_found', 'misconfigured'],
  ['ratelimited', 'limited'],
  ['message_not_found', 'gone'],
  ['no_token', 'misconfigured'],
  ['no_service', 'misconfigured'],
  ['internal_error', 'passing'],
])('the error %s of Slack is the failure %s', (error, kind) => {
  expect(slackFailureOf(error).kind).toBe(kind);
});

describe('the settings', () => {
  const env = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_CHANNELS: 'acme: acme/shop = #queue; acme:acme/*=C1' };
  it('are empty without a token, or have a channel for each repository', () => {
    expect(readSlackSettings({})).toEqual({ apiUrl: 'https://slack.com/api/', installation: null });
    const { installation } = readSlackSettings(env);
    expect(installation).toEqual({
      token: 'xoxb-1',
      channels: [
        { account: 'acme', repository: 'acme/shop', channel: 'queue' },
        { account: 'acme', repository: 'acme/*', channel: 'C1' },
      ],
    });
    const heard = (account: string, owner: string, name: string): string[] =>
      channelsOf(installation!, { account, owner, name });
    expect([heard('acme', 'Acme', 'Shop'), heard('acme', 'acme', 'till'), heard('other', 'acme', 'shop')]).toEqual([
      ['queue', 'C1'],
      ['C1'],
      [],
    ]);
  });
  it.each([
    [{ SLACK_BOT_TOKEN: '' }, 'SLACK_BOT_TOKEN is missing'],
    [{ SLACK_BOT_TOKEN: 'xoxp-1' }, 'which begins with xoxb-'],
    [{ SLACK_CHANNELS: '' }, 'SLACK_CHANNELS is missing'],
    [{ SLACK_CHANNELS: 'acme/shop=C1' }, 'not "acme/shop=C1"'],
  ])('are refused with what to do: %j', (wrong, why) => {
    expect(() => readSlackSettings({ ...env, ...wrong })).toThrow(SlackSettingsRefused);
    expect(() => readSlackSettings({ ...env, ...wrong })).toThrow(why);
  });
});
