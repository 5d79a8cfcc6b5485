// Messages in a channel of Slack: one for each pull request, deployment and freeze, edited as things change.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { repository } from '../cli/shop.ts';
import { shown, slackWorld, type SlackWorld } from './slack-world.ts';

let w: SlackWorld;
beforeAll(async () => {
  w = await slackWorld();
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => await w.forget());

it('tells how a pull request stands, with the sentence of explain, in one message that is edited', async () => {
  const number = await w.asked('tea');
  await w.looked();
  const inLine = w.api.posts.map(shown).join();
  expect(inLine).toMatch(new RegExp(`^:large_blue_circle: .*acme/shop#${number}> Sell tea`));
  expect(inLine).toContain(await w.sentenceOf(number));
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.looked();
  expect(w.api.posts).toMatchObject([{ channel: 'C0123456789', text: `Not in line: acme/shop#${number} Sell tea` }]);
  expect(w.api.posts.map(shown).join()).toContain(await w.sentenceOf(number));
});

it('tells a freeze until it ends', async () => {
  await w.shop.mutate('freezeEnvironment', {
    project: 'shop',
    environment: 'production',
    reason: 'A <!channel> holiday',
  });
  await w.looked();
  expect(w.api.posts.map(shown)).toEqual([':snowflake: production of shop is frozen|A &lt;!channel&gt; holiday']);
  await w.shop.mutate('unfreezeEnvironment', { project: 'shop', environment: 'production' });
  await w.looked();
  expect(w.api.posts.map(shown)).toEqual([
    ':white_check_mark: production of shop is open again|A &lt;!channel&gt; holiday',
  ]);
});

it('posts once although the answer of Slack was lost, and edits that message', async () => {
  w.api.next.push('lost');
  const number = await w.asked('rice');
  await w.looked();
  expect(w.methods().slice(0, 2)).toEqual(['chat.postMessage', 'conversations.history']);
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.looked();
  expect(w.api.posts).toMatchObject([{ text: expect.stringContaining('Not in line') }]);
  expect(w.methods().filter((method) => method === 'chat.postMessage')).toHaveLength(1);
});
