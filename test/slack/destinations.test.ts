// Messages in the Slack workspace of an account: by its bot in channels and to people, and by incoming webhooks.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountOf, type AccountVerbs } from '../accounts/account.ts';
import { repository } from '../cli/shop.ts';
import { textOf, slackWorld, type SlackWorld } from './slack-world.ts';

const token = 'xoxb-of-acme';
const hook = 'https://hooks.slack.com/services/T0/B0/secret-of-the-hook';
const destination = 'slackDestination { id kind channel repository problem }';

interface Destination {
  readonly id: string;
  readonly kind: string;
  readonly channel: string | null;
  readonly repository: string | null;
  readonly problem: string | null;
}

let w: SlackWorld;
let account: AccountVerbs;
beforeAll(async () => {
  w = await slackWorld({ installed: false });
  account = accountOf(w.shop.s);
  w.api.bots.set(token, new Set(['users:read.email', 'im:write']));
});
afterAll(async () => await w[Symbol.asyncDispose]());
beforeEach(async () => {
  await w.forget();
  await account.run('setSlackToken', { token }, 'slack { hasToken }');
});
afterEach(async () => {
  for (const { id } of (await settings()).destinations)
    await account.run('deleteSlackDestination', { id }, 'deletedId');
});

async function settings(): Promise<{ hasToken: boolean; destinations: Destination[] }> {
  const { data } = await w.shop.s.graphql<{ slack: { hasToken: boolean; destinations: Destination[] } }>(
    '{ slack { hasToken destinations { id kind channel repository problem } } }',
  );
  return data.slack;
}

async function add(input: object): Promise<Destination> {
  const made = await account.run<{ slackDestination: Destination }>('createSlackDestination', input, destination);
  // The clock of the test stands still. So it is moved on here.
  w.later(1);
  return made.slackDestination;
}

const freeze = async (reason = 'Holiday'): Promise<void> =>
  await w.shop.mutate('freezeEnvironment', { project: 'shop', environment: 'production', reason });
const unfreeze = async (): Promise<void> =>
  await w.shop.mutate('unfreezeEnvironment', { project: 'shop', environment: 'production' });

it('nothing is sent to Slack, and nothing is kept for it, until somebody sets it up', async () => {
  await account.run('setSlackToken', { token: null }, 'slack { hasToken }');
  const everything = async (branch: string): Promise<void> => {
    const number = await w.openAndQueue(branch);
    await freeze();
    await unfreeze();
    await w.freezeBase('Audit');
    await w.unfreezeBase();
    await w.sendAll();
    await w.shop.mutate('dequeuePullRequest', { repository, number });
    await w.sendAll();
  };
  const kept = async (): Promise<number> => (await w.shop.s.rows('select from slack_message')).length;
  await everything('quiet');
  expect([w.methods(), await kept()]).toEqual([[], 0]);
  // The same changes are sent as soon as there is a destination.
  await account.run('setSlackToken', { token }, 'slack { hasToken }');
  await add({ kind: 'CHANNEL', channel: 'C0123456789' });
  await everything('loud');
  expect(w.api.posts.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('Sell loud'),
      'production of shop is open again',
      'main of acme/shop is open again',
    ]),
  );
  expect(w.api.posts).toHaveLength(3);
  await w.shop.s.rows('delete from slack_message');
});

describe('a channel', () => {
  it('gets the events of its repository from its creation until its deletion', async () => {
    await freeze();
    await unfreeze();
    await w.shop.s.graphql(
      'mutation { createRepository(input: {owner: "acme", name: "till", host: LOCAL}) { repository { id } } }',
    );
    const made = await add({ kind: 'CHANNEL', channel: '#C0123456789', repository });
    await add({ kind: 'CHANNEL', channel: 'CTILL', repository: { ...repository, name: 'till' } });
    expect(made).toMatchObject({ kind: 'CHANNEL', channel: 'C0123456789', repository: 'acme/shop', problem: null });
    await freeze('Again');
    await w.sendAll();
    await unfreeze();
    await w.sendAll();
    expect(w.api.posts.map(({ channel, edits }) => [channel, edits])).toEqual([['C0123456789', 1]]);
    await account.run('deleteSlackDestination', { id: made.id }, 'deletedId');
    await freeze('Once more');
    await unfreeze();
    await w.sendAll();
    expect(w.api.posts).toHaveLength(1);
  });

  it('gets the events between its creation and the first look of the service', async () => {
    await add({ kind: 'CHANNEL', channel: 'C0123456789' });
    await freeze();
    await w.sendAll();
    // Without these rows, the service has not looked at any event yet.
    await w.shop.s.rows('with forgotten as (delete from slack_message) delete from slack_cursor');
    w.api.posts.length = 0;
    await w.sendAll();
    expect(w.api.posts.map(({ channel }) => channel)).toEqual(['C0123456789']);
    await unfreeze();
  });

  it('can be added only once', async () => {
    const [one, again] = [
      await add({ kind: 'CHANNEL', channel: 'C0123456789' }),
      await add({ kind: 'CHANNEL', channel: 'C0123456789' }),
    ];
    expect(again).toEqual(one);
  });

  it('waits for a token, and its problem says so', async () => {
    await account.run('setSlackToken', { token: null }, 'slack { hasToken }');
    await add({ kind: 'CHANNEL', channel: 'C0123456789' });
    await freeze();
    await w.shop.s.drain();
    await expect
      .poll(async () => {
        await w.shop.s.service.slack?.look();
        return await settings();
      })
      .toMatchObject({ hasToken: false, destinations: [{ problem: expect.stringContaining('setSlackToken') }] });
    expect(w.methods()).toEqual([]);
    await account.run('setSlackToken', { token }, 'slack { hasToken }');
    await unfreeze();
    await w.sendAll();
    expect(w.api.posts.map(textOf)).toEqual([expect.stringContaining('is open again')]);
    expect(await settings()).toMatchObject({ hasToken: true, destinations: [{ problem: null }] });
  });

  it('gets a new message about a known subject if the channel of its name is another one now', async () => {
    w.api.channels.set('COLD', { hasBot: true, isArchived: false });
    w.api.names.set('deploys', 'COLD');
    await add({ kind: 'CHANNEL', channel: '#deploys' });
    await freeze('Move');
    await w.sendAll();
    w.api.channels.delete('COLD');
    w.api.channels.set('CNEW', { hasBot: true, isArchived: false });
    w.api.names.set('deploys', 'CNEW');
    await unfreeze();
    await w.sendAll();
    expect((await settings()).destinations[0]?.problem).toBeNull();
    expect(w.api.posts.filter(({ channel }) => channel === 'CNEW').map(textOf)).toEqual([
      expect.stringContaining('is open again'),
    ]);
  });

  it('that is named, and was missing for weeks, gets no message about a change of known subjects long ago', async () => {
    w.api.channels.set('CGONE', { hasBot: true, isArchived: false });
    w.api.names.set('releases', 'CGONE');
    await add({ kind: 'CHANNEL', channel: '#releases' });
    await freeze('Before');
    await w.sendAll();
    w.api.channels.delete('CGONE');
    w.api.names.delete('releases');
    await unfreeze();
    await w.shop.s.drain();
    const isTried = async (): Promise<boolean> => {
      await w.shop.s.service.slack?.look();
      return (await settings()).destinations[0]?.problem !== null;
    };
    await expect.poll(isTried).toBe(true);
    w.later(20 * 24 * 3_600);
    w.api.channels.set('CAGAIN', { hasBot: true, isArchived: false });
    w.api.names.set('releases', 'CAGAIN');
    await w.sendAll();
    const posted = (): string[] => w.api.posts.filter(({ channel }) => channel === 'CAGAIN').map(textOf);
    expect(posted()).toEqual([]);
    await freeze('Today');
    await w.sendAll();
    expect(posted()).toEqual([expect.stringContaining('Today')]);
    await unfreeze();
    await w.sendAll();
  });

  it('gets no old messages when it can be posted to again after days, and shows its problem until a message is sent', async () => {
    await add({ kind: 'CHANNEL', channel: 'C0123456789' });
    w.api.channels.set('C0123456789', { hasBot: false, isArchived: false });
    await freeze('Long ago');
    await unfreeze();
    await w.shop.s.drain();
    const problem = async (): Promise<string | null | undefined> => (await settings()).destinations[0]?.problem;
    const look = async (): Promise<void> => await w.shop.s.service.slack?.look();
    await expect
      .poll(async () => {
        await look();
        return await problem();
      })
      .toContain('/invite');
    w.later(13 * 3_600);
    await look();
    w.api.channels.set('C0123456789', { hasBot: true, isArchived: false });
    w.later(700);
    await w.sendAll();
    expect(w.api.posts).toEqual([]);
    expect(await problem()).toContain('/invite');
    await freeze('Today');
    await w.sendAll();
    expect(w.api.posts.map(textOf)).toEqual([expect.stringContaining('Today')]);
    expect(await problem()).toBeNull();
    await unfreeze();
    await w.sendAll();
  });
});

describe('people of the account', () => {
  let number = 0;
  async function landed(branch: string, as: { readonly token: string }): Promise<void> {
    number = await w.shop.propose(branch);
    await account.run(
      'queuePullRequest',
      { repository, number, skipValidation: true },
      'pullRequest { number }',
      as.token,
    );
    await w.shop.mutate('pauseRepository', { repository, paused: false });
    await w.shop.s.drain();
    await w.shop.mutate('pauseRepository', { repository, paused: true });
  }

  it('get a direct message when their pull request has landed or is blocked, and not before', async () => {
    const eve = await account.add('eve', { role: 'admin' });
    w.api.people.set('eve@acme.test', 'DEVE');
    await add({ kind: 'PEOPLE' });
    await landed('cocoa', eve);
    await w.sendAll();
    expect(w.api.posts.map(({ channel, text }) => [channel, text])).toEqual([
      ['DEVE', `Landed: acme/shop#${number} Sell cocoa`],
    ]);
    // This pull request conflicts with the one that has landed.
    await w.shop.git('checkout', '-q', '-b', 'dark', 'main');
    await writeFile(join(w.shop.checkout, 'cocoa'), 'dark\n');
    await w.shop.git('add', '.');
    await w.shop.git('commit', '-q', '-m', 'Dark');
    await w.shop.git('push', '-q', 'origin', 'dark');
    const opened = await account.run<{ pullRequest: { number: number } }>(
      'openPullRequest',
      { repository, title: 'Sell dark', headBranch: 'dark', baseBranch: 'main' },
      'pullRequest { number }',
    );
    const conflicting = { repository, number: opened.pullRequest.number };
    const ask = async (): Promise<void> => {
      await account.run(
        'queuePullRequest',
        { ...conflicting, skipValidation: true },
        'pullRequest { number }',
        eve.token,
      );
      await w.shop.mutate('pauseRepository', { repository, paused: false });
      await w.shop.s.drain();
      await w.shop.mutate('pauseRepository', { repository, paused: true });
      await w.sendAll();
    };
    await ask();
    const texts = (): string[] => w.api.posts.slice(1).map(({ text }) => text);
    expect(texts()).toEqual([`Blocked: acme/shop#${conflicting.number} Sell dark`]);
  });

  it('get one message although the answer of Slack was lost, and people who are not in Slack get none', async () => {
    const [tim, una] = [await account.add('tim', { role: 'admin' }), await account.add('una', { role: 'admin' })];
    w.api.people.set('tim@acme.test', 'DTIM');
    await add({ kind: 'PEOPLE', repository });
    await landed('coffee', una);
    await w.sendAll();
    expect(w.api.posts).toEqual([]);
    await landed('juice', tim);
    w.api.next.push('down', 'lost');
    await w.sendAll();
    expect(w.api.posts.map(({ channel }) => channel)).toEqual(['DTIM']);
  });

  it('get a message when a deployment that they requested has ended', async () => {
    const kai = await account.add('kai', { role: 'admin', scopes: ['release:write', 'deploy:write'] });
    w.api.people.set('kai@acme.test', 'DKAI');
    await add({ kind: 'PEOPLE' });
    const version = '1.0.0-rc1';
    const commit = await w.shop.git('rev-parse', 'main');
    await w.shop.mutate('createRelease', { project: 'shop', repository: 'acme/shop', commit, version });
    const named = { project: 'shop', environment: 'production', version };
    await account.run('createDeployment', named, 'deployment { id }', kai.token);
    await w.shop.mutate('reportDeployment', { ...named, status: 'IN_PROGRESS' });
    await w.sendAll();
    expect(w.api.posts).toEqual([]);
    await w.shop.mutate('reportDeployment', { ...named, status: 'FAILURE' });
    await w.sendAll();
    expect(w.api.posts.map(({ channel, text }) => [channel, text])).toEqual([
      ['DKAI', 'shop 1.0.0-rc1 failed to deploy in production'],
    ]);
  });

  it('get no message if the bot lacks a scope, and the destination says what to do', async () => {
    const zoe = await account.add('zoe', { role: 'admin' });
    w.api.people.set('zoe@acme.test', 'DZOE');
    w.api.bots.set(token, new Set(['im:write']));
    await add({ kind: 'PEOPLE' });
    await landed('water', zoe);
    await expect
      .poll(async () => {
        await w.shop.s.service.slack?.look();
        return (await settings()).destinations;
      })
      .toMatchObject([{ problem: expect.stringContaining('lacks a scope') }]);
    w.api.bots.set(token, new Set(['users:read.email', 'im:write']));
    w.later(600);
    await w.sendAll();
    expect(w.api.posts.map(({ channel }) => channel)).toEqual(['DZOE']);
  });
});

describe('an incoming webhook', () => {
  const path = new URL(hook).pathname;
  it('needs no token, and gets a message for each result', async () => {
    w.api.webhooks.set(path, { isArchived: false, posts: [] });
    await account.run('setSlackToken', { token: null }, 'slack { hasToken }');
    await add({ kind: 'WEBHOOK', url: hook });
    await freeze('A <!channel> holiday');
    await w.sendAll();
    w.api.next.push('down');
    await unfreeze();
    await w.sendAll();
    expect(w.api.webhooks.get(path)?.posts.map(({ text }) => text)).toEqual([
      'production of shop is frozen',
      'production of shop is open again',
    ]);
    expect(w.methods()).toEqual([]);
  });

  it('gets a message about an event that an earlier version of Interlock has read, however old the events before it are', async () => {
    w.api.webhooks.set(path, { isArchived: false, posts: [] });
    await add({ kind: 'WEBHOOK', url: hook });
    await freeze();
    await w.sendAll();
    w.later(13 * 3_600);
    // The earlier version counts the event, and does not write when it happened. Without the digest, the present state is
    // news.
    await w.shop.s.rows('update slack_message set version = version + 1, told_digest = null where problem is null');
    await w.sendAll();
    expect(w.api.webhooks.get(path)?.posts).toHaveLength(2);
    await unfreeze();
    await w.sendAll();
  });

  it('that Slack no longer knows is reported with advice', async () => {
    w.api.webhooks.delete(path);
    await add({ kind: 'WEBHOOK', url: hook });
    await freeze();
    await unfreeze();
    await expect
      .poll(async () => {
        await w.shop.s.service.slack?.look();
        return (await settings()).destinations;
      })
      .toMatchObject([{ kind: 'WEBHOOK', problem: expect.stringContaining('Make a new webhook') }]);
  });
});

describe('a failure', () => {
  const path = new URL(hook).pathname;

  it('of one message does not hold up other messages, and its destination shows a problem', async () => {
    w.api.webhooks.set(path, { isArchived: false, posts: [] });
    await add({ kind: 'CHANNEL', channel: 'C0123456789' });
    await add({ kind: 'WEBHOOK', url: hook });
    // Interlock cannot decrypt this token, as if the secret of the installation had changed.
    await w.shop.s.rows(`update slack_workspace set token = '\\x00'`);
    await freeze();
    await w.shop.s.drain();
    await expect
      .poll(async () => {
        await w.shop.s.service.slack?.look().catch(() => {});
        return [w.api.webhooks.get(path)?.posts.length, (await settings()).destinations.map(({ problem }) => problem)];
      })
      .toEqual([1, [expect.stringContaining('Interlock could not make or send the message'), null]]);
    expect(w.methods()).toEqual([]);
    await account.run('setSlackToken', { token }, 'slack { hasToken }');
    await w.sendAll();
    expect(w.api.posts.map(({ text }) => text)).toEqual(['production of shop is frozen']);
    await unfreeze();
    await w.sendAll();
  });

  it('of the database shows no problem, and hides no failure to read events', async () => {
    await add({ kind: 'CHANNEL', channel: 'C0123456789' });
    await freeze();
    await w.sendAll();
    const owner = new pg.Client({ connectionString: w.shop.s.databaseUrl });
    await owner.connect();
    const failsBy = async (table: string, column: string, code: string): Promise<unknown> =>
      await owner.query(`create trigger refuse before update of ${column} on ${table}
        for each row when (new.account_id = ${w.shop.s.accountId}) execute function refuse('${code}')`);
    const look = async (): Promise<string> => {
      // Another look may have the lease of the message, which then ends.
      w.later(61);
      const failure: unknown = await w.shop.s.service.slack?.look().catch((error: unknown) => error);
      return [failure, ...(failure instanceof AggregateError ? failure.errors : [])].join('; ');
    };
    try {
      await owner.query(`create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'The table % fails.', tg_table_name using errcode = tg_argv[0]; end $$`);
      await failsBy('slack_message', 'told_version', '53300');
      await owner.query(
        'update slack_message set version = version + 1, told_digest = null where id = (select max(id) from slack_message)',
      );
      await expect.poll(look).toContain('The table slack_message fails.');
      expect((await settings()).destinations.map(({ problem }) => problem)).toEqual([null]);
      await owner.query('drop trigger refuse on slack_message');
      await failsBy('slack_message', 'leased_until', '53300');
      await failsBy('slack_cursor', 'position', 'P0001');
      await unfreeze();
      await w.shop.s.drain();
      await expect.poll(look).toMatch(/The table slack_cursor fails.*The table slack_message fails/);
    } finally {
      await owner.query('drop function refuse cascade');
      await owner.end();
    }
    w.later(61);
    await w.sendAll();
    expect(w.api.posts.map(({ text }) => text)).toEqual(['production of shop is open again']);
  });

  it('with the events of one account holds up neither other accounts nor messages that are due', async () => {
    await add({ kind: 'CHANNEL', channel: 'C0123456789' });
    await freeze();
    await w.sendAll();
    const owner = new pg.Client({ connectionString: w.shop.s.databaseUrl });
    await owner.connect();
    try {
      await owner.query(`create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'The page of this account fails.'; end $$;
        create trigger refuse before update on slack_cursor for each row
          when (new.account_id = ${w.shop.s.accountId}) execute function refuse()`);
      await unfreeze();
      await w.shop.s.drain();
      // The other account has a destination, and an event that Interlock has not read yet.
      await owner.query(`with other as (insert into account (name) values ('other of slack') returning id),
        heard as (insert into slack_destination (account_id, kind, created_by, created_at) select id, 'people', '', now() from other),
        happened as (insert into event (account_id, action, payload, at, position) select id, 'user_added', '{}', now(), 1 from other),
        ended as (insert into event_head (account_id, position) select id, 1 from other)
        insert into slack_cursor (account_id, position) select id, 0 from other`);
      await owner.query(
        'update slack_message set version = version + 1, told_digest = null where id = (select max(id) from slack_message)',
      );
      await expect
        .poll(async () => {
          w.later(4);
          await w.shop.s.service.slack?.look().catch(() => {});
          const { rows } = await owner.query(
            `select (select position::int from slack_cursor c join account a on a.id = c.account_id where a.name = 'other of slack') as read,
               (select count(*)::int from slack_message where told_version < version) as due`,
          );
          return rows as unknown;
        })
        .toEqual([{ read: 1, due: 0 }]);
    } finally {
      await owner.query('drop trigger refuse on slack_cursor; drop function refuse');
      await owner.end();
    }
    await w.sendAll();
    expect(w.api.posts.map(({ text }) => text)).toEqual(['production of shop is open again']);
  });
});

it('tokens and addresses are stored only encrypted', async () => {
  await add({ kind: 'WEBHOOK', url: hook });
  const rows = await w.shop.s.rows<{ row: string }>(
    `select encode(token, 'escape') as row from slack_workspace
     union all select encode(url, 'escape') from slack_destination where url is not null
     union all select to_jsonb(d)::text from slack_destination d
     union all select to_jsonb(a)::text from user_action a`,
  );
  const stored = rows.map(({ row }) => row).join();
  expect(stored).toContain('"kind": "webhook"');
  expect(stored).not.toMatch(/xoxb-|secret-of-the-hook/);
});

it.each([
  ['setSlackToken', { token: 'xoxp-1' }, 'must be the bot token'],
  ['setSlackToken', {}, 'must be given'],
  ['createSlackDestination', { kind: 'CHANNEL' }, 'input.channel must be'],
  ['createSlackDestination', { kind: 'PEOPLE', channel: 'C1' }, 'only for the kind CHANNEL'],
  ['createSlackDestination', { kind: 'CHANNEL', channel: 'C1', url: hook }, 'only for the kind WEBHOOK'],
  ['createSlackDestination', { kind: 'WEBHOOK', url: 'http://169.254.169.254/' }, 'must be an incoming webhook'],
])('%s refuses the input %j', async (mutation, input, why) => {
  await expect(account.run(mutation, input, '__typename')).rejects.toThrow(why);
});
