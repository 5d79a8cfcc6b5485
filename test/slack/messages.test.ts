// Messages in a channel of Slack. Each pull request, deployment and freeze has one message, which is edited when
// something changes.
import { afterAll, assert, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSlackRelay, type SlackRelay } from '../../src/modules/slack/index.ts';
import { repository } from '../cli/shop.ts';
import { textOf, slackWorld, type SlackWorld } from './slack-world.ts';

let w: SlackWorld;
beforeAll(async () => {
  w = await slackWorld();
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => await w.forget());

it('the message of a pull request shows its state and the sentence of explain, and is edited', async () => {
  const number = await w.openAndQueue('tea');
  await w.sendAll();
  const inLine = w.api.posts.map(textOf).join();
  expect(inLine).toMatch(new RegExp(`^:large_blue_circle: .*acme/shop#${number}> Sell tea`));
  expect(inLine).toContain(await w.sentenceOf(number));
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.sendAll();
  expect(w.api.posts).toMatchObject([{ channel: 'C0123456789', text: `Not in line: acme/shop#${number} Sell tea` }]);
  expect(w.api.posts.map(textOf).join()).toContain(await w.sentenceOf(number));
});

it('the message of a freeze shows the freeze, and later its end', async () => {
  await w.shop.mutate('freezeEnvironment', {
    project: 'shop',
    environment: 'production',
    reason: 'A <!channel> holiday',
  });
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([':snowflake: production of shop is frozen|A &lt;!channel&gt; holiday']);
  await w.shop.mutate('unfreezeEnvironment', { project: 'shop', environment: 'production' });
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([
    ':white_check_mark: production of shop is open again|A &lt;!channel&gt; holiday',
  ]);
});

it('the message of a frozen base branch shows the freeze, and later its end', async () => {
  await w.freezeBase('Stock-taking');
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([':snowflake: main of acme/shop is frozen|Stock-taking']);
  await w.unfreezeBase();
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([':white_check_mark: main of acme/shop is open again|Stock-taking']);
  // Another freeze has a message of its own.
  await w.freezeBase('Audit');
  await w.sendAll();
  await w.unfreezeBase();
  await w.sendAll();
  expect(w.api.posts.map(textOf)).toEqual([
    ':white_check_mark: main of acme/shop is open again|Stock-taking',
    ':white_check_mark: main of acme/shop is open again|Audit',
  ]);
});

/** Makes the messages about these pull requests due, as if none had been posted. */
async function makeDue(numbers: readonly number[], dueAt: Date): Promise<void> {
  await w.forget();
  await w.shop.s.rows(
    `update slack_message set told_version = 0, told_digest = null, posted_channel = null, posted_ts = null,
       next_attempt_at = $2
     where subject in (select 'pull_request:' || id from pull_request where number = any ($1))`,
    [numbers, dueAt.toISOString()],
  );
}

it('a message is posted once if Slack is slow for so long that another process looks for due messages', async () => {
  const numbers: number[] = [];
  for (let each = 1; each <= 9; each += 1) numbers.push(await w.openAndQueue(`fruit-${each}`));
  await w.sendAll();
  let posts = 0;
  w.api.beforeAnswer = async (method) => {
    if (method !== 'chat.postMessage') return;
    w.later(9);
    posts += 1;
    if (posts === 7) await w.shop.s.service.slack?.look();
  };
  await makeDue(numbers, w.shop.s.ports.clock());
  await w.shop.s.service.slack?.look();
  await w.sendAll();
  w.api.beforeAnswer = null;
  const texts = w.api.posts.map(textOf);
  expect([texts.length, new Set(texts).size]).toEqual([9, 9]);
});

/** Another process, whose clock is ahead of the clock of the service. */
function anotherProcess(aheadSec: number): SlackRelay {
  const clock = (): Date => new Date(w.shop.s.ports.clock().getTime() + aheadSec * 1_000);
  return createSlackRelay({ ...w.shop.s.ports, clock }, { ...w.settings, secrets: w.shop.s.secrets });
}

it('a process whose lease has ended does not write over what another process has written', async () => {
  const number = await w.openAndQueue('pepper');
  await w.sendAll();
  // The service itself looks for due messages every second. By its clock this message is not due yet, so the service
  // does not take the message.
  const aheadSec = 120;
  await makeDue([number], new Date(w.shop.s.ports.clock().getTime() + aheadSec * 1_000));
  w.api.next.push('lost');
  w.api.beforeAnswer = async (method) => {
    if (method !== 'chat.postMessage') return;
    w.api.beforeAnswer = null;
    await anotherProcess(aheadSec + 61).look();
  };
  await anotherProcess(aheadSec).look();
  expect(w.methods()).toEqual(['chat.postMessage', 'conversations.history', 'chat.update']);
  expect(await w.shop.s.rows('select problem from slack_message where failures > 0')).toEqual([]);
  await w.sendAll();
});

it('a message whose answer was lost is posted once, and is edited later', async () => {
  w.api.next.push('lost');
  const number = await w.openAndQueue('rice');
  await w.sendAll();
  expect(w.methods().slice(0, 2)).toEqual(['chat.postMessage', 'conversations.history']);
  await w.shop.mutate('dequeuePullRequest', { repository, number });
  await w.sendAll();
  expect(w.api.posts).toMatchObject([{ text: expect.stringContaining('Not in line') }]);
  expect(w.methods().filter((method) => method === 'chat.postMessage')).toHaveLength(1);
});

it('a message whose answer was lost is found behind many messages of other people', async () => {
  w.api.next.push('lost');
  w.api.beforeAnswer = async (method) => {
    if (method !== 'chat.postMessage') return;
    w.api.beforeAnswer = null;
    const [ours] = w.api.posts;
    assert(ours !== undefined);
    for (let n = 1; n <= 250; n += 1)
      w.api.posts.push({
        ...ours,
        text: `Lunch ${n}`,
        metadata: { event_type: 'other', event_payload: { key: `${n}` } },
      });
  };
  await w.openAndQueue('saffron');
  await w.sendAll();
  expect(w.methods().filter((method) => method === 'chat.postMessage')).toHaveLength(1);
  expect(w.methods().filter((method) => method === 'conversations.history')).toHaveLength(2);
});

it('an event that was read too late makes no new message, but edits the message that exists', async () => {
  const [old, known] = [await w.openAndQueue('nuts'), await w.openAndQueue('figs')];
  await w.sendAll();
  await w.forget();
  // As if nobody had read the events of the account for some time.
  const readAgain = async (numbers: readonly number[]): Promise<void> => {
    await w.shop.s.rows(
      `with forgotten as (delete from slack_message where subject in
         (select 'pull_request:' || id from pull_request where number = any ($1)))
       update slack_cursor set position = (select min(position) - 1 from event e join pull_request p on p.id = e.pull_request_id
         where p.number = any ($1))`,
      [numbers],
    );
    await w.sendAll();
  };
  await readAgain([old]);
  expect(w.api.posts.map(({ text }) => text)).toEqual([expect.stringContaining('Sell nuts')]);
  await w.shop.s.rows(
    `update slack_message set told_digest = null where subject = (select 'pull_request:' || id from pull_request where number = $1)`,
    [known],
  );
  await w.forget();
  w.later(13 * 3_600);
  await readAgain([old]);
  expect(w.methods()).toEqual(['chat.update: message_not_found', 'chat.postMessage']);
  expect(w.api.posts.map(({ text }) => text)).toEqual([expect.stringContaining('Sell figs')]);
});
