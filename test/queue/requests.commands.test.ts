// What each command in a comment does, who may give it, and what happens if it cannot be carried out.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { reconcileRepository } from '../../src/modules/queue/index.ts';
import { HostRefused, toHostedRepository } from '../../src/hosts/port.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { parallel, world, type World } from '../support/world.ts';
import { hostOf, statuses } from './stories.ts';

async function say(w: World, number: number, body: string, author = 'ada'): Promise<void> {
  await w.service.localHost.addComment(hostOf(w), number, { author, body });
  await w.service.drain();
}

async function answers(w: World, number: number): Promise<string[]> {
  return (await w.comments(number)).filter(({ key }) => key.startsWith('reply:')).map(({ body }) => body);
}

async function addUser(w: World, handle: string, role = 'member'): Promise<void> {
  await w.rows(
    "insert into account_user (account_id, email, handle, role) values ($1, $2 || '@example.test', $2, $3)",
    [w.ctx.accountId, handle, role],
  );
}

/** Creates the team @acme/core with this user as its only member. */
async function addTeamOf(w: World, handle: string): Promise<void> {
  await w.rows(
    `with team as (
       insert into account_team (account_id, org, slug, name, created_at) values ($1, 'acme', 'core', 'Core', now()) returning id
     )
     insert into account_team_member (account_id, team_id, user_id, created_at)
     select $1, team.id, u.id, now() from team, account_user u where u.handle = $2`,
    [w.ctx.accountId, handle],
  );
}

describe('a command', () => {
  it('restricted to a team is only for its members, who still need the permission for it', async () => {
    const restricted = (command: string): string => `  - commands: [${command}]\n    allowed_actors: ['@acme/core']\n`;
    await using w = await world({
      configuration: `${parallel()}command_restrictions:\n${restricted('dequeue')}${restricted('skip_line')}`,
    });
    await addUser(w, 'grace');
    await addUser(w, 'linus', 'admin');
    await addTeamOf(w, 'grace');
    await w.pause(true);
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await say(w, number, '/interlock queue');
    await say(w, number, '/interlock dequeue', 'linus');
    await say(w, number, '/interlock skip-line', 'linus');
    await say(w, number, '/interlock skip-line', 'grace');
    await w.until(async () => (await answers(w, number)).length === 3);
    expect((await answers(w, number)).toSorted()).toEqual([
      '@grace Not authorized to skip the line in this repository.',
      '@linus @linus is not among those who may dequeue here: @acme/core.',
      '@linus @linus is not among those who may skip the line here: @acme/core.',
    ]);
    expect(await statuses(w, number)).toEqual(['queued']);
    await say(w, number, '/interlock dequeue', 'Grace');
    expect(await statuses(w, number)).toEqual(['open']);
  });

  it('refreshes, syncs, backports, and skips validation for users who may do so', async () => {
    await using w = await world();
    await addUser(w, 'grace', 'admin');
    const number = await w.open('a', { 'a.txt': 'a\n', bad: 'bad\n' });
    await w.git('branch', 'release', 'main');
    const tip = await w.commit('main', { 'other.txt': 'other\n' });
    await say(w, number, '/interlock refresh\n/interlock sync\n/interlock backport release\n/interlock backport none');
    await w.until(async () => (await w.git('merge-base', 'main', 'a')) === tip);
    await w.until(async () => (await answers(w, number)).length === 1);
    expect(await answers(w, number)).toEqual(['@ada Target branch none not found']);
    await say(w, number, '/interlock skip-validation', 'mallory');
    await w.until(async () => (await answers(w, number)).length === 2);
    expect((await answers(w, number))[1]).toBe('@mallory Not authorized to skip validation in this repository.');
    // The check of the pull request fails, so it lands only because validation is skipped.
    await say(w, number, '/interlock skip-validation', 'grace');
    await w.until(async () => (await statuses(w, number))[0] === 'merged');
    await w.until(async () => (await w.rows("select 1 from backport where state = 'opened'")).length === 1);
    expect(
      await w.rows(
        'select command, refusal is null as followed from comment_command order by comment_id::bigint, ordinal',
      ),
    ).toEqual([
      { command: 'refresh', followed: true },
      { command: 'sync', followed: true },
      { command: 'backport', followed: true },
      { command: 'backport', followed: false },
      { command: 'skip_validation', followed: false },
      { command: 'skip_validation', followed: true },
    ]);
  });

  // Earlier such a command was tried for ever, and every later comment of the repository waited for it.
  it('that keeps failing is given up after five minutes with an answer, and later commands are carried out', async () => {
    await using w = await world();
    await w.pause(true);
    const [broken, waiting] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    const owner = new pg.Client({ connectionString: w.databaseUrl });
    await owner.connect();
    await owner.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger refuse before insert on intent for each row when (new.kind = 'sync') execute function refuse()`);
    await owner.end();
    await say(w, broken, '/interlock sync');
    await say(w, waiting, '/interlock queue');
    expect(await statuses(w, waiting)).toEqual(['open']);
    const repository = await w.ctx.db.transaction(
      w.ctx.accountId,
      async (tx) => await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId }),
    );
    const lookIn = async (minutes: number): Promise<void> => {
      const clock = (): Date => new Date(Date.now() + minutes * 60_000);
      await reconcileRepository({ ...w.ctx, clock }, toHostedRepository(repository)).catch(() => undefined);
    };
    await lookIn(4);
    expect(await statuses(w, waiting)).toEqual(['open']);
    await lookIn(6);
    expect(await statuses(w, waiting)).toEqual(['queued']);
    await w.until(async () => (await answers(w, broken)).length === 1);
    await lookIn(7);
    expect(await answers(w, broken)).toEqual([
      '@ada This could not be carried out: an error of the service, which is in its log. Ask again.',
    ]);
  });
});

describe('labels', () => {
  it('that existed when the repository was added request nothing, until somebody puts them on again', async () => {
    await using w = await world();
    const head = await w.commit('a', { 'a.txt': 'a\n' });
    await w.rows(
      `insert into local_pull_request (account_id, repository_id, number, title, body, author, head_branch, base_branch, head_sha, labels, created_at)
       values ($1, $2, 90, 'Add a', '', 'ada', 'a', 'main', $3, '{mergequeue,mergequeue-priority}', now())`,
      [w.ctx.accountId, w.repositoryId, head],
    );
    const repository = await w.ctx.db.transaction(
      w.ctx.accountId,
      async (tx) => await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId }),
    );
    await reconcileRepository(w.ctx, toHostedRepository(repository), { isNew: true });
    await reconcileRepository(w.ctx, toHostedRepository(repository));
    expect(await statuses(w, 90)).toEqual(['open']);
    expect((await w.events()).filter(([, numbers]) => numbers.includes(90))).toEqual([]);
    const label = async (present: boolean): Promise<void> => {
      await w.host.label(90, 'mergequeue', present, 'ada');
      await w.service.drain();
    };
    await label(false);
    await w.pause(true);
    await label(true);
    expect(await statuses(w, 90)).toEqual(['queued']);
  });

  // Earlier the queue had recorded the label as its own before the host took it. Then the same label of a person
  // requested nothing.
  it('that the host refused do not count as labels of the queue when a person puts them on later', async () => {
    await using w = await world();
    const number = await w.open('a', { bad: 'a\n' });
    const setLabel = w.service.localHost.setLabel.bind(w.service.localHost);
    w.service.localHost.setLabel = async (repository, at, change) => {
      if (change.label === 'blocked' && change.by === undefined) throw new HostRefused('Labels are locked.');
      return await setLabel(repository, at, change);
    };
    await w.queue(number);
    await w.until(
      async () => (await w.rows("select 1 from intent where kind = 'label' and state = 'failed'")).length > 0,
    );
    w.service.localHost.setLabel = setLabel;
    await w.host.label(number, 'blocked', true, 'grace');
    await w.service.drain();
    await w.commit('a', { bad: null, 'a.txt': 'a\n' });
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['blocked 105']);
  });
});
