// Changes at GitHub in the middle of a landing: each pull request lands once, or is blocked with a message. All tests
// use one queue of one repository.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { syncInstallations } from '../../../src/modules/github/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { git, messageOf } from '../commits.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

let w: QueueWorld;

beforeAll(async () => {
  w = await queueWorld();
});
afterEach(async () => await w.emulator.controls.clear());
afterAll(async () => await w[Symbol.asyncDispose]());

/** Calls `happens` the first time that the engine reaches the failpoint. */
function onceAt(failpoint: string, happens: () => unknown): { readonly happened: () => boolean } {
  let hasHappened = false;
  const release = onFailpoint(failpoint, async () => {
    if (hasHappened) return;
    hasHappened = true;
    release();
    await happens();
  });
  return { happened: () => hasHappened };
}

/** Wakes the queues, as the relay does after a failed turn. */
async function wakeQueues(): Promise<void> {
  for (const { id } of await w.rows<{ id: string }>('select id from queue'))
    await w.ctx.wake({ accountId: w.ctx.accountId, queueId: id });
}

async function messagesOnMain(): Promise<string[]> {
  const clone = await w.clone();
  const commits = git(clone, 'log', '--first-parent', '--format=%H', 'origin/main').split('\n');
  return commits.map((commit) => messageOf(clone, commit));
}

async function expectLandedOnce(title: string): Promise<void> {
  const subjects = (await messagesOnMain()).map((message) => message.split('\n')[0] ?? '');
  expect(subjects.filter((subject) => subject.startsWith(title))).toHaveLength(1);
}

/** Syncs the installations that webhooks named, as the service does every second. */
async function followInstallation(): Promise<void> {
  await w.emulator.core.settled();
  const { secrets } = w.engine;
  if (secrets !== undefined) await syncInstallations(w.service.ports, secrets, false);
}

const fullName = (): string => `${w.place.owner}/${w.place.repo}`;
const installation = (): number => Number(w.emulator.installationId);

test('if a token ends in the middle of a push, the landing goes through with another token', async () => {
  const number = await w.open('token', { token: '1\n' });
  const ends = onceAt('landing:before_move', () => w.emulator.controls.expireTokens());
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(ends.happened()).toBe(true);
  await expectLandedOnce('Add token');
});

test('if an installation is suspended in the middle of a landing, the pull request lands afterwards, once', async () => {
  const number = await w.open('suspended', { suspended: '1\n' });
  w.emulator.controls.webhooks({ drop: 1 });
  onceAt('landing:before_move', () => w.emulator.controls.suspend(installation(), true));
  await w.person.issues.addLabels({ ...w.place, issue_number: number, labels: ['mergequeue'] });
  await w.service.storeHostEvents([{ kind: 'pull_request', repository: w.repository, number }]);
  await expect(w.settled(number)).rejects.toThrow(/suspended/);
  w.emulator.controls.suspend(installation(), false);
  await wakeQueues();
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await expectLandedOnce('Add suspended');
});

test('if the base moves in the middle of a landing, the pull request lands on the new base', async () => {
  const number = await w.open('forced', { forced: '1\n' });
  const forced = onceAt('landing:before_move', async () => void (await w.push('main', { pushed: '1\n' })));
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(forced.happened()).toBe(true);
  await expectLandedOnce('Add forced');
  expect((await messagesOnMain())[1]).toContain('Change pushed');
});

test('the commit message of a title with control characters has none of them, and no added line', async () => {
  const number = await w.open('bell', { bell: '1\n' });
  const title = 'Ring \u0007the\u0000 bell\r\n\r\nReviewed-by: Nobody\u001b[31m';
  await w.person.pulls.update({ ...w.place, pull_number: number, title });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  const [message = ''] = await messagesOnMain();
  expect(message.trim()).toBe(`Ring the bell Reviewed-by: Nobody [31m (#${number})`);
});

test('of a check and a status with the same name, the worse one counts', async () => {
  const number = await w.open('twice', { bad: '1\n' });
  const { data } = await w.person.pulls.get({ ...w.place, pull_number: number });
  await w.person.repos.createCommitStatus({ ...w.place, sha: data.head.sha, context: 'test', state: 'success' });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
});

test('if a repository is renamed in the middle of a landing, the pull request lands under the new name', async () => {
  const number = await w.open('renamed', { renamed: '1\n' });
  const renamed = onceAt('landing:before_move', () => w.emulator.controls.rename(fullName(), 'store'));
  await w.label(number);
  await expect(w.settled(number)).rejects.toThrow(/was renamed or moved at GitHub/);
  expect(renamed.happened()).toBe(true);
  await followInstallation();
  await wakeQueues();
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await expectLandedOnce('Add renamed');
  expect(await w.rows('select name from repository')).toEqual([{ name: 'store' }]);
});

test('if a repository is transferred to a stranger in the middle of a landing, it becomes inactive, and no work is left', async () => {
  const number = await w.open('given', { given: '1\n' });
  w.emulator.addPerson('stranger');
  const [named] = await w.rows<{ name: string }>('select name from repository');
  const given = onceAt('landing:before_move', () => w.emulator.controls.transfer(`acme/${named?.name}`, 'stranger'));
  await w.label(number);
  await expect(w.settled(number)).rejects.toThrow(/that the App may see/);
  expect(given.happened()).toBe(true);
  await followInstallation();
  expect(await w.rows('select active from repository')).toEqual([{ active: false }]);
  const [row] = await w.rows<{ status: string }>('select status from pull_request where number = $1', [number]);
  expect(row?.status).not.toBe('merged');
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(w.emulator.core.mistakes).toEqual([]);
});
