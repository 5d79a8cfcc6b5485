// The depth of a queue is two counters in its row. After every change they must equal a count of the pull requests.
import { expect, it } from 'vitest';
import { seeded } from '../support/random.ts';
import { HostRefused } from '../../src/hosts/port.ts';
import { updatePullRequest } from '../../src/modules/queue/index.ts';
import { among, examples } from '../support/tier.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import { dequeueAnswer, hostOf, retarget, setLabel, skipLine, verifyAll } from './stories.ts';

const bases = ['main', 'next'] as const;

async function expectCounted(w: World, story: readonly string[]): Promise<void> {
  const queues = await w.rows<{ depth: string; counted: string }>(
    `select q.base_branch || ': ' || q.waiting || ' + ' || q.tagged as depth, q.base_branch || ': ' ||
            (select count(*) from pull_request p where p.queue_id = q.id and p.status = 'queued') || ' + ' ||
            (select count(*) from pull_request p where p.queue_id = q.id and p.status = 'tagged') as counted
     from queue q order by q.base_branch`,
  );
  expect(
    queues.map(({ depth }) => depth),
    story.join('\n'),
  ).toEqual(queues.map(({ counted }) => counted));
}

const requeueing = 'on_commit_added: requeue\n';
const speculating = `${parallel({ builds: 4, batch: 2, more: `${requeueing}use_affected_targets: true\n` })}speculation: adaptive\n`;

const modes = [
  {
    mode: 'parallel',
    rules: parallel({ builds: 2, batch: 2, more: requeueing }),
    count: examples({ standard: 35, full: 110 }),
    isTargeted: false,
  },
  { mode: 'serial', rules: serial(), count: examples({ standard: 25, full: 70 }), isTargeted: false },
  {
    mode: 'parallel, speculating,',
    rules: speculating,
    count: examples({ standard: 35, full: 110 }),
    isTargeted: true,
  },
];

it.each(among(modes, modes.slice(2)))(
  'the counters equal a count after every step of a random run in $mode mode',
  { timeout: 240_000 },
  async ({ rules, count, isTargeted }) => {
    await using w = await world({ configuration: `${rules}base_branches: [main, next]\n` });
    await w.git('branch', 'next', 'main');
    const seed = Number(process.env['DEPTH_SEED'] ?? 20261121);
    const random = seeded(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const numbers: number[] = [];
    const open = async () => {
      const name = `p${numbers.length}`;
      numbers.push(await w.open(name, { [random() < 0.2 ? 'bad' : `${name}.txt`]: `${name}\n` }));
    };
    for (let n = 0; n < 5; n += 1) await open();
    let pushes = 0;
    const push = async (branch: string) => await w.commit(branch, { [`push${(pushes += 1)}`]: 'x\n' });
    const host = w.service.localHost;
    const atHost = async (change: Promise<unknown>) => {
      // If the host refuses a change, such as closing a merged pull request, nothing changes.
      await change.catch((error: unknown) => expect(error).toBeInstanceOf(HostRefused));
      await w.service.drain();
    };
    const steps: Record<string, { weight: number; take: () => Promise<unknown> }> = {
      queue: { weight: 30, take: async () => await queueIfOpen(w, pick(numbers)) },
      dequeue: { weight: 18, take: async () => await dequeueAnswer(w, pick(numbers)) },
      turns: { weight: 25, take: async () => await w.loop.run(w.service.ports) },
      pause: { weight: 4, take: async () => await w.pause(true) },
      unpause: { weight: 6, take: async () => await w.pause(false) },
      'skip line': { weight: 3, take: async () => await skipIfOpen(w, pick(numbers)) },
      push: { weight: 3, take: async () => await push(`p${numbers.indexOf(pick(numbers))}`) },
      'push to the base': { weight: 2, take: async () => await push(pick(bases)) },
      label: { weight: 4, take: async () => await setLabel(w, pick(numbers), 'mergequeue') },
      'take the label off': { weight: 3, take: async () => await setLabel(w, pick(numbers), 'mergequeue', false) },
      close: { weight: 3, take: async () => await atHost(host.closePullRequest(hostOf(w), pick(numbers))) },
      reopen: { weight: 3, take: async () => await atHost(host.reopenPullRequest(hostOf(w), pick(numbers))) },
      retarget: { weight: 4, take: async () => await retargetIfOpen(w, pick(numbers), pick(bases)) },
      open: { weight: 2, take: open },
      ...(isTargeted && {
        'tell targets': { weight: 8, take: async () => await tellTargets(w, pick(numbers), random) },
      }),
    };
    const lots = Object.entries(steps).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
    const story = [`seed ${seed}`];
    for (let step = 0; step < count; step += 1) {
      const name = pick(lots);
      story.push(name);
      await steps[name]?.take();
      await expectCounted(w, story);
    }
    await w.pause(false);
    const left = await w.rows<{ number: number }>("select number from pull_request where status <> 'closed'");
    await w.settled(...left.map(({ number }) => number));
    await expectCounted(w, story);
    const merged = await w.rows<{ number: number }>(
      "select number from pull_request where status = 'merged' order by number",
    );
    expect(merged.length, story.join('\n')).toBeGreaterThan(0);
    const mergedNumbers = (await w.events())
      .filter(([action]) => action === 'merged')
      .map(([, [number = 0]]) => number);
    expect(mergedNumbers.toSorted((a, b) => a - b)).toEqual(merged.map(({ number }) => number));
    const proofs = await verifyAll(w);
    expect(
      proofs.flatMap(({ failures }) => failures),
      story.join('\n'),
    ).toEqual([]);
    for (const base of bases) expect(await w.git('ls-tree', '--name-only', base)).not.toMatch(/^bad$/m);
  },
);

async function tellTargets(w: World, number: number, random: () => number): Promise<void> {
  if (!(await isOpen(w, number))) return;
  const affectedTargets = ['api', 'web', 'docs'].filter(() => random() < 0.5);
  await updatePullRequest(w.ctx, { repository: w.repository, number, affectedTargets });
}

async function isOpen(w: World, number: number): Promise<boolean> {
  return !['merged', 'closed'].includes((await w.status(number)).status);
}

async function queueIfOpen(w: World, number: number): Promise<void> {
  if (await isOpen(w, number)) await w.queue(number);
}

async function skipIfOpen(w: World, number: number): Promise<void> {
  if (await isOpen(w, number)) await skipLine(w, number);
}

async function retargetIfOpen(w: World, number: number, base: string): Promise<void> {
  if (await isOpen(w, number)) await retarget(w, number, base);
}
