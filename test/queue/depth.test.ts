// The depth is two counters on the queue's row. Whatever happens, in whatever order, they are what a count would say.
import { expect, it } from 'vitest';
import { seeded } from '../support/random.ts';
import { parallel, world, type World } from '../support/world.ts';
import { dequeueAnswer, expectLandedOnce, skipLine, statuses } from './stories.ts';

async function expectCounted(w: World, story: readonly string[]): Promise<void> {
  const [depth] = await w.rows<{ waiting: number; tagged: number; queued: number; intagged: number }>(
    `select q.waiting, q.tagged,
            (select count(*)::int from pull_request p where p.queue_id = q.id and p.status = 'queued') as queued,
            (select count(*)::int from pull_request p where p.queue_id = q.id and p.status = 'tagged') as intagged
     from queue q`,
  );
  expect({ waiting: depth?.waiting, tagged: depth?.tagged }, story.join('\n')).toEqual({
    waiting: depth?.queued,
    tagged: depth?.intagged,
  });
}

it('counts what stands in line after every step of a random run', { timeout: 240_000 }, async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 2, more: 'on_commit_added: requeue\n' }) });
  const seed = Number(process.env['DEPTH_SEED'] ?? 20261121);
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const numbers: number[] = [];
  const open = async () => {
    const name = `p${numbers.length}`;
    numbers.push(await w.open(name, { [random() < 0.2 ? 'bad' : `${name}.txt`]: `${name}\n` }));
  };
  for (let count = 0; count < 5; count += 1) await open();
  let pushes = 0;
  const steps: Record<string, { weight: number; take: () => Promise<unknown> }> = {
    queue: { weight: 30, take: async () => await queueIfOpen(w, pick(numbers)) },
    dequeue: { weight: 22, take: async () => await dequeueAnswer(w, pick(numbers)) },
    turns: { weight: 30, take: async () => await w.loop.run(w.service.ports) },
    pause: { weight: 4, take: async () => await w.pause(true) },
    unpause: { weight: 6, take: async () => await w.pause(false) },
    'skip line': { weight: 3, take: async () => await skipIfOpen(w, pick(numbers)) },
    push: {
      weight: 3,
      take: async () => await w.commit(`p${numbers.indexOf(pick(numbers))}`, { [`push${(pushes += 1)}`]: 'x\n' }),
    },
    open: { weight: 2, take: open },
  };
  const lots = Object.entries(steps).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
  const story = [`seed ${seed}`];
  for (let step = 0; step < 200; step += 1) {
    const name = pick(lots);
    story.push(name);
    await steps[name]?.take();
    await expectCounted(w, story);
  }
  await w.pause(false);
  await w.settled(...numbers);
  await expectCounted(w, story);
  const ended = await statuses(w, ...numbers);
  const merged = numbers.filter((_, index) => ended[index] === 'merged');
  expect(merged.length, story.join('\n')).toBeGreaterThan(0);
  await expectLandedOnce(w, ...merged);
  expect(await w.git('ls-tree', '--name-only', 'main')).not.toMatch(/^bad$/m);
});

async function isOpen(w: World, number: number): Promise<boolean> {
  return !['merged', 'closed'].includes((await w.status(number)).status);
}

async function queueIfOpen(w: World, number: number): Promise<void> {
  if (await isOpen(w, number)) await w.queue(number);
}

async function skipIfOpen(w: World, number: number): Promise<void> {
  if (await isOpen(w, number)) await skipLine(w, number);
}
