// What the simulation takes for promised when acts of people overlap, and which acts are safe (docs/fault-simulation.md).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dequeue, label, open, queue, skip } from './acts.ts';
import { hold, release } from './base-acts.ts';
import { configurations, configurationsOf } from './configurations.ts';
import { drawsOf } from './draws.ts';
import { openInstallation, type Installation } from './installation.ts';
import { noPromises, type PullRequest, type Setting } from './promises.ts';
import { newTask, runTask, toTheEnd } from './tasks.ts';

const withStacks = configurations.findIndex(({ name }) => name === 'stacks');

let i: Installation;
beforeAll(async () => void (i = await openInstallation(configurationsOf(withStacks))));
afterAll(async () => await i[Symbol.asyncDispose]());

function settingOf(): Setting {
  const [by] = i.processes;
  if (by === undefined) throw new Error('There is no process.');
  return { i, promises, draw: drawsOf(1, 0), by };
}

const promises = noPromises();

/** Opens a pull request, and another one on top of it. Nobody queues them. */
async function openStack(): Promise<readonly [PullRequest, PullRequest]> {
  const setting = settingOf();
  await open(setting, { base: 'main', below: null, mayQueue: false }).work();
  const below = promises.pullRequests.at(-1) as PullRequest;
  await open(setting, { base: 'main', below, mayQueue: false }).work();
  return [below, promises.pullRequests.at(-1) as PullRequest];
}

async function isInLine({ number }: PullRequest): Promise<boolean> {
  const rows = await i.rows("select 1 from pull_request where number = $1 and status in ('queued', 'tagged')", [
    number,
  ]);
  return rows.length > 0;
}

/** Gives the hints of the host to the service, which handles them. */
async function takeHints(): Promise<void> {
  const hints = i.hints.splice(0).map(({ event }) => event);
  await i.processes[0]?.service.storeHostEvents(hints);
  await i.processes[0]?.service.drain();
}

describe('an answered dequeue', () => {
  it('promises that the pull request does not land', async () => {
    const [below] = await openStack();
    await queue(settingOf(), below, {}).work();
    await dequeue(settingOf(), below).work();
    expect(promises.dequeued).toContain(below.number);
  });

  it('promises nothing if a request for the pull request above has begun, and is carried out afterwards', async () => {
    const [below, above] = await openStack();
    await queue(settingOf(), below, {}).work();
    const request = newTask('a process', 'queue', queue(settingOf(), above, {}).work);
    await runTask(request, { boundaries: 1, ending: 'hold' });
    await dequeue(settingOf(), below).work();
    await runTask(request, toTheEnd);
    expect(await isInLine(below)).toBe(true);
    expect(promises.dequeued).not.toContain(below.number);
  });
});

it('takes no answer for a promise while a deactivation goes on', async () => {
  const [below] = await openStack();
  const deactivation = newTask('a process', 'deactivation', hold(settingOf(), 'deactivation').work);
  await runTask(deactivation, { boundaries: 1, ending: 'hold' });
  await queue(settingOf(), below, {}).work();
  expect(await isInLine(below)).toBe(true);
  await runTask(deactivation, toTheEnd);
  expect(await isInLine(below)).toBe(false);
  expect(promises.asked).not.toContain(below.number);
  await release(settingOf(), 'deactivation').work();
});

it('takes a label for a change of the pull requests below, because a label queues them too', async () => {
  const [below, above] = await openStack();
  await queue(settingOf(), below, {}).work();
  await dequeue(settingOf(), below).work();
  await label(settingOf(), above, true).work();
  await takeHints();
  expect(await isInLine(below)).toBe(true);
  expect(promises.touched).toContain(below.number);
});

it('queues no pull request without validation whose head has the red files of one below', async () => {
  const [below, above] = await openStack();
  const stack = { ...above, nature: 'good' as const, below: [{ ...below, nature: 'bad' as const }] };
  const names = Array.from({ length: 40 }, (_, seed) => skip({ ...settingOf(), draw: drawsOf(seed, 1) }, stack).name);
  expect(names).not.toContain(`queue #${above.number} without validation`);
  expect(names).toContain(`queue #${above.number} before all`);
});
