// Labels and commands at GitHub. GitHub decides whose requests the queue follows.
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueWorld, type QueueWorld } from './queue-world.ts';

let w: QueueWorld;
let number: number;
/** The fixed time of the clock of GitHub, in milliseconds. Null: the clock runs. */
let stoppedAt: number | null = null;
const people = new Map<string, Octokit>();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

beforeAll(async () => {
  w = await queueWorld({ hostClock: () => stoppedAt ?? Date.now() });
  for (const [login, permission] of [
    ['tia', 'triage'],
    ['wim', 'push'],
    ['ada', 'admin'],
  ] as const) {
    const { token } = w.emulator.addPerson(login);
    people.set(login, new Octokit({ baseUrl: w.emulator.apiUrl, auth: token, log: silent }));
    await w.person.repos.addCollaborator({ ...w.place, username: login, permission });
  }
  // Nothing lands, so that the test can see the effects of requests.
  await w.rows("update repository set paused = true where name = 'shop'");
  number = await w.open('topic', { 'topic.txt': '1\n' });
});
afterAll(async () => await w[Symbol.asyncDispose]());

const as = (login: string): Octokit => people.get(login) ?? w.person;

async function commentTexts(of = number): Promise<string> {
  const { data } = await w.person.issues.listComments({ ...w.place, issue_number: of });
  return data.map(({ body }) => body).join('\n');
}

async function labels(of = number): Promise<string[]> {
  const { data } = await w.person.issues.listLabelsOnIssue({ ...w.place, issue_number: of });
  return data.map(({ name }) => name);
}

async function row(): Promise<{ status: string; skip_line: boolean } | undefined> {
  const [found] = await w.rows<{ status: string; skip_line: boolean }>(
    'select status, skip_line from pull_request where number = $1',
    [number],
  );
  return found;
}

async function statusOf(of: number): Promise<string | undefined> {
  const [found] = await w.rows<{ status: string }>('select status from pull_request where number = $1', [of]);
  return found?.status;
}

/** The actors of events that people caused. */
async function actors(): Promise<(string | undefined)[]> {
  const found = await w.rows<{ action: string; actor: string }>(
    `select action, actor from event where action in ('labeled', 'queued', 'dequeued') order by id`,
  );
  return found.map(({ action, actor }) => `${action} by ${actor.replace(/^\d+\+/, '').replace(/@.*/, '')}`);
}

async function users(): Promise<string[]> {
  const found = await w.rows<{ handle: string }>(
    'select handle from account_user where handle is not null order by handle',
  );
  return found.map(({ handle }) => handle);
}

const label = 'mergequeue';

test('a label of a person who cannot write is taken off, with the reason', async () => {
  // GitHub gives the time of a label in seconds. Until the next test, all changes happen in one second.
  stoppedAt = Date.now();
  await as('tia').issues.addLabels({ ...w.place, issue_number: number, labels: [label] });
  await w.until(async () => (await labels()).length === 0 && (await commentTexts()).includes('@tia'));
  expect(await commentTexts()).toContain(
    'The label `mergequeue` was taken off: Only people who can write to the repository can ask this; @tia cannot.',
  );
  expect((await row())?.status).toBe('open');
  expect([await actors(), await users()]).toEqual([[], []]);
});

test('a label of a person who can write is followed, and a person who cannot write cannot take it off', async () => {
  await as('wim').issues.addLabels({ ...w.place, issue_number: number, labels: [label] });
  await w.until(async () => ['queued', 'pending'].includes((await row())?.status ?? ''));
  await as('tia').issues.removeLabel({ ...w.place, issue_number: number, name: label });
  await w.until(async () => (await commentTexts()).includes('put back') && (await labels()).includes(label));
  stoppedAt = null;
  expect(['queued', 'pending']).toContain((await row())?.status);
  expect([(await actors())[0], await users()]).toEqual(['labeled by wim', ['wim']]);
});

test('a label of a person who cannot write is taken off, however many other labels change before it is read', async () => {
  const next = await w.open('many', { 'many.txt': '1\n' });
  await w.until(async () => (await statusOf(next)) === 'open');
  w.emulator.controls.webhooks({ drop: 1 });
  await as('tia').issues.addLabels({ ...w.place, issue_number: next, labels: [label] });
  const others = Array.from({ length: 60 }, (_each, index) => `other-${index}`);
  await as('wim').issues.addLabels({ ...w.place, issue_number: next, labels: others });
  await as('wim').issues.setLabels({ ...w.place, issue_number: next, labels: [label] });
  await w.emulator.core.settled();
  w.emulator.controls.webhooks({ drop: 0 });
  await w.person.pulls.update({ ...w.place, pull_number: next, body: 'Many labels.' });
  await w.until(async () => !['open', undefined].includes(await statusOf(next)) || (await labels(next)).length === 0);
  expect([await statusOf(next), await labels(next)]).toEqual(['open', []]);
  await w.until(async () => (await commentTexts(next)).includes('@tia cannot.'));
});

interface HiddenChange {
  /** GitHub shows the change from now on. */
  show(): void;
}

/** Changes a label, and GitHub shows the label, but not yet who has changed it. */
async function changeUnseen(pull: number, change: () => Promise<unknown>): Promise<HiddenChange> {
  const { timeline } = w.emulator.core.state;
  w.emulator.controls.webhooks({ drop: 1 });
  const known = new Set(timeline.all().map(({ id }) => id));
  await change();
  await w.emulator.core.settled();
  const hidden = timeline.all().filter(({ id }) => !known.has(id));
  for (const { id } of hidden) timeline.remove(id);
  w.emulator.controls.webhooks({ drop: 0 });
  await w.person.pulls.update({ ...w.place, pull_number: pull, body: `After ${known.size} events.` });
  return {
    show: () => {
      for (const each of hidden) timeline.insert(each);
    },
  };
}

async function waitsForLabel(pull: number): Promise<boolean> {
  const rows = await w.rows('select 1 from pull_request where number = $1 and label_unseen_since is not null', [pull]);
  return rows.length > 0;
}

test('a label counts when GitHub shows who has added it, and not before', async () => {
  const next = await w.open('late', { 'late.txt': '1\n' });
  await w.until(async () => (await statusOf(next)) === 'open');
  const add = async (login: string): Promise<HiddenChange> =>
    await changeUnseen(next, async () => {
      await as(login).issues.addLabels({ ...w.place, issue_number: next, labels: [label] });
    });
  const byTia = await add('tia');
  await w.until(async () => (await statusOf(next)) !== 'open' || (await waitsForLabel(next)));
  expect(await statusOf(next)).toBe('open');
  byTia.show();
  await w.until(async () => (await labels(next)).length === 0 && (await commentTexts(next)).includes('@tia cannot.'));
  // The newest change that GitHub shows is the one by which the queue took the label off.
  const byWim = await add('wim');
  await w.until(async () => await waitsForLabel(next));
  expect([await statusOf(next), await labels(next)]).toEqual(['open', [label]]);
  byWim.show();
  await w.until(async () => ['queued', 'pending'].includes((await statusOf(next)) ?? ''));
  expect((await actors()).at(-1)).toBe('queued by wim');
  await as('wim').issues.removeLabel({ ...w.place, issue_number: next, name: label });
  await w.until(async () => (await statusOf(next)) === 'open');
});

test('a label is taken off if GitHub never shows who has added it', async () => {
  const next = await w.open('never', { 'never.txt': '1\n' });
  await w.until(async () => (await statusOf(next)) === 'open');
  await changeUnseen(next, async () => {
    await as('wim').issues.addLabels({ ...w.place, issue_number: next, labels: [label] });
  });
  await w.until(async () => (await statusOf(next)) !== 'open' || (await waitsForLabel(next)));
  await w.rows("update pull_request set label_unseen_since = now() - interval '1 hour' where number = $1", [next]);
  await w.until(async () => (await labels(next)).length === 0 && (await commentTexts(next)).includes('taken off'));
  expect(await commentTexts(next)).toContain(
    'The label `mergequeue` was taken off: The code host does not show who has added it. Add it again, or use a command in a comment.',
  );
  expect([await statusOf(next), await waitsForLabel(next)]).toEqual(['open', false]);
});

test('an admin at GitHub can skip the line by a command, and a person who can only write cannot', async () => {
  await as('tia').issues.createComment({ ...w.place, issue_number: number, body: '/interlock skip-line' });
  await w.until(async () => (await commentTexts()).includes('@tia Only people who can write to the repository'));
  await as('wim').issues.createComment({ ...w.place, issue_number: number, body: '/interlock skip-line' });
  await w.until(async () =>
    (await commentTexts()).includes('@wim Not authorized to skip the line in this repository.'),
  );
  expect((await row())?.skip_line).toBe(false);
  await as('ada').issues.createComment({ ...w.place, issue_number: number, body: '/interlock skip-line' });
  await w.until(async () => (await row())?.skip_line === true);
  expect(await users()).toEqual(['ada', 'wim']);
  await as('ada').issues.createComment({ ...w.place, issue_number: number, body: '/interlock dequeue' });
  await w.until(async () => (await row())?.status === 'open');
  expect((await actors()).at(-1)).toBe('dequeued by ada');
  expect(w.emulator.core.mistakes).toEqual([]);
});

/** Adds comments of a bot, or edits all its comments. */
function sayAsBot(count: number): void {
  const { accounts, comments, repositories } = w.emulator.core.state;
  const bot = accounts.find(({ type }) => type === 'Bot');
  const repository = repositories.find(({ name }) => name === w.place.repo);
  const at = w.emulator.core.now();
  for (const own of comments.filter(({ body }) => body === 'Built.')) own.updatedAt = at;
  for (let each = 0; each < count; each += 1)
    comments.insert({
      ...{ repositoryId: repository?.id ?? 0, number, authorId: bot?.id ?? 0, appId: null, body: 'Built.' },
      ...{ createdAt: at, updatedAt: at },
    });
}

test('commands are carried out after hundreds of comments of bots, and after all of these were edited', async () => {
  const say = async (body: string): Promise<void> =>
    void (await as('wim').issues.createComment({ ...w.place, issue_number: number, body }));
  const handled = async (): Promise<number> => (await w.rows('select 1 from comment_command')).length;
  const before = await handled();
  sayAsBot(250);
  await say('/interlock queue');
  await w.until(async () => ['queued', 'pending'].includes((await row())?.status ?? ''));
  sayAsBot(0);
  await say('/interlock dequeue');
  await w.until(async () => (await row())?.status === 'open');
  expect(await handled()).toBe(before + 2);
  expect(w.emulator.core.mistakes).toEqual([]);
});
