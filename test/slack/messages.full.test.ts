// Messages in a channel of Slack about deployments, and while Slack refuses, is down or has lost a message.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { repository } from '../cli/shop.ts';
import { textOf, slackWorld, type SlackWorld } from './slack-world.ts';

let w: SlackWorld;
beforeAll(async () => {
  w = await slackWorld();
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => await w.forget());

it('a pull request without a request to merge gets no message', async () => {
  await w.shop.propose('milk');
  await w.sendAll();
  expect(w.methods()).toEqual([]);
});

it('the message of a deployment follows its state', async () => {
  const version = '1.2.3-rc1';
  const commit = await w.shop.git('rev-parse', 'main');
  await w.shop.mutate('createRelease', { project: 'shop', repository: 'acme/shop', commit, version });
  await w.shop.mutate('createDeployment', { project: 'shop', environment: 'production', version });
  const report = { project: 'shop', environment: 'production', version };
  await w.shop.mutate('reportDeployment', { ...report, status: 'IN_PROGRESS' });
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([
    expect.stringMatching(/^:rocket: shop \S+ is being deployed in production\|.*by /),
  ]);
  await w.shop.mutate('reportDeployment', { ...report, status: 'SUCCESS' });
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([
    expect.stringMatching(/^:white_check_mark: shop \S+ is deployed in production/),
  ]);
});

it('if the bot may not read the channel, a message whose answer was lost is posted a second time', async () => {
  w.api.mayRead = false;
  w.api.next.push('lost');
  await w.openAndQueue('salt');
  await w.sendAll();
  w.api.mayRead = true;
  expect(w.methods().slice(0, 3)).toEqual([
    'chat.postMessage',
    'conversations.history: missing_scope',
    'chat.postMessage',
  ]);
});

it('a message whose answer was lost is posted once, also if Slack refuses the first search for it', async () => {
  w.api.next.push('lost', 'ratelimited');
  await w.openAndQueue('pepper');
  await w.sendAll();
  expect(w.api.posts).toHaveLength(1);
  expect(w.methods().slice(0, 2)).toEqual(['chat.postMessage', 'conversations.history']);
});

it('the service waits as long as Slack asks, and continues after Slack was down', async () => {
  w.api.next.push('ratelimited', 'down');
  await w.openAndQueue('flour');
  await w.shop.s.drain();
  const began = w.skippedMs();
  await w.sendAll();
  expect(w.skippedMs() - began).toBeGreaterThan(30_000);
  expect(w.api.posts).toHaveLength(1);
});

it.each([
  ['not_in_channel', { hasBot: false, isArchived: false }, 'Type /invite'],
  ['is_archived', { hasBot: true, isArchived: true }, 'Name another channel'],
])('on %s the problem says what to do, and messages continue when this is done', async (error, state, cure) => {
  w.api.channels.set('C0123456789', state);
  await w.openAndQueue(`spice-${error.replaceAll('_', '-')}`);
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
  await w.sendAll();
  expect(w.api.posts).toHaveLength(1);
});

it('the message says that a pull request was closed after it had left the line', async () => {
  const number = await w.openAndQueue('bread');
  await w.sendAll();
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.sendAll();
  const close = `mutation ($input: PullRequestRefInput!) { closePullRequest(input: $input) { pullRequest { number } } }`;
  expect((await w.shop.s.graphql(close, { input: { repository, number } })).errors).toEqual([]);
  w.later(60);
  await w.sendAll();
  expect(w.api.posts).toMatchObject([{ text: `Closed: acme/shop#${number} Sell bread` }]);
});

it('a deleted message is posted again', async () => {
  const number = await w.openAndQueue('sugar');
  await w.sendAll();
  w.api.posts.length = 0;
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.sendAll();
  expect(w.methods().at(-1)).toBe('chat.update: message_not_found');
  await w.shop.mutate('queuePullRequest', { repository, number });
  await w.sendAll();
  expect(w.api.posts).toMatchObject([{ text: expect.stringContaining(`acme/shop#${number}`) }]);
});
