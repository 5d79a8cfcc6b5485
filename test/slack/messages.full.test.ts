// Messages in a channel of Slack about deployments, and while Slack refuses, is away or forgets.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { repository } from '../cli/shop.ts';
import { shown, slackWorld, type SlackWorld } from './slack-world.ts';

let w: SlackWorld;
beforeAll(async () => {
  w = await slackWorld();
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => await w.forget());

it('says nothing about a pull request that nobody has asked to merge', async () => {
  await w.shop.propose('milk');
  await w.looked();
  expect(w.methods()).toEqual([]);
});

it('tells a deployment as it goes', async () => {
  const version = '1.2.3-rc1';
  const commit = await w.shop.git('rev-parse', 'main');
  await w.shop.mutate('createRelease', { project: 'shop', repository: 'acme/shop', commit, version });
  await w.shop.mutate('createDeployment', { project: 'shop', environment: 'production', version });
  const report = { project: 'shop', environment: 'production', version };
  await w.shop.mutate('reportDeployment', { ...report, status: 'IN_PROGRESS' });
  await w.looked();
  expect(w.api.posts.map(shown)).toEqual([
    expect.stringMatching(/^:rocket: shop \S+ is being deployed in production\|.*by /),
  ]);
  await w.shop.mutate('reportDeployment', { ...report, status: 'SUCCESS' });
  await w.looked();
  expect(w.api.posts.map(shown)).toEqual([
    expect.stringMatching(/^:white_check_mark: shop \S+ is deployed in production/),
  ]);
});

it('posts a second time where the bot may not read the channel', async () => {
  w.api.mayRead = false;
  w.api.next.push('lost');
  await w.asked('salt');
  await w.looked();
  w.api.mayRead = true;
  expect(w.methods().slice(0, 3)).toEqual([
    'chat.postMessage',
    'conversations.history: missing_scope',
    'chat.postMessage',
  ]);
});

it('waits as long as Slack asks, and goes on after Slack was down', async () => {
  w.api.next.push('ratelimited', 'down');
  await w.asked('flour');
  await w.shop.s.drain();
  const began = w.skippedMs();
  await w.looked();
  expect(w.skippedMs() - began).toBeGreaterThan(30_000);
  expect(w.api.posts).toHaveLength(1);
});

it.each([
  ['not_in_channel', { hasBot: false, isArchived: false }, 'Type /invite'],
  ['is_archived', { hasBot: true, isArchived: true }, 'Name another channel'],
])('says what to do about %s, and goes on when it was done', async (error, state, cure) => {
  w.api.channels.set('C0123456789', state);
  await w.asked(`spice-${error.replaceAll('_', '-')}`);
  await w.shop.s.drain();
  await expect
    .poll(async () => {
      await w.shop.s.service.slack?.look();
      return await w.shop.s.rows('select problem from slack_message where told_version < version');
    })
    .toEqual([{ problem: expect.stringContaining(cure) }]);
  expect(w.methods()).toEqual([`chat.postMessage: ${error}`]);
  w.api.channels.set('C0123456789', { hasBot: true, isArchived: false });
  w.later(600);
  await w.looked();
  expect(w.api.posts).toHaveLength(1);
});

it('tells that a pull request was closed after it had left the line', async () => {
  const number = await w.asked('bread');
  await w.looked();
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.looked();
  const close = `mutation ($input: PullRequestRefInput!) { closePullRequest(input: $input) { pullRequest { number } } }`;
  expect((await w.shop.s.graphql(close, { input: { repository, number } })).errors).toEqual([]);
  w.later(60);
  await w.looked();
  expect(w.api.posts).toMatchObject([{ text: `Closed: acme/shop#${number} Sell bread` }]);
});

it('posts again when somebody has deleted the message', async () => {
  const number = await w.asked('sugar');
  await w.looked();
  w.api.posts.length = 0;
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.looked();
  expect(w.methods().at(-1)).toBe('chat.update: message_not_found');
  await w.shop.mutate('queuePullRequest', { repository, number });
  await w.looked();
  expect(w.api.posts).toMatchObject([{ text: expect.stringContaining(`acme/shop#${number}`) }]);
});
