// A queue read later as of an instant is the queue that was read at that instant.
import { execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { graphQLContext, type RequestServices } from '../../src/graphql/context.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { statusCheckName } from '../../src/domain/queue/explain/status-comment.ts';
import { pauseBranches } from '../../src/modules/repositories/branch-pauses.service.ts';
import { isWritten } from '../support/explanation-log.ts';
import { parallel, world, type World } from '../support/world.ts';
import { startCi } from './stories.ts';

const services = { temporal: { health: () => null } } as unknown as RequestServices;

const page = `baseTip builds paused pause { message by } haltedReason haltedBy depth { queued processing waiting tagged }
  entries { number status position headCommitSha explain { kind sentence } }
  line(first: 2) { nodes { position pullRequest { number status checks { name conclusion } } explain { kind } } totalCount pageInfo { hasNextPage } }
  batches { nodes { position state role commit endedAt resetCode grade checks { name conclusion } members { pullRequest { number } } } }
  live: batches(live: true) { nodes { position } }
  landed: batches(states: [LANDED]) { nodes { position } }`;

async function ask(w: World, selection: string, at: Date | null): Promise<Record<string, unknown>> {
  const { owner, name } = w.repository;
  const args = `baseBranch: "main"${at === null ? '' : `, asOf: "${at.toISOString()}"`}`;
  const document = parse(`{ repository(owner: "${owner}", name: "${name}") { queue(${args}) { ${selection} } } }`);
  const contextValue = graphQLContext(w.ctx, services, 'graphql_api');
  const { data, errors } = await execute({ schema: interlockSchema(), document, contextValue });
  expect(errors ?? []).toEqual([]);
  return (data as { repository: { queue: Record<string, unknown> } }).repository.queue;
}

/**
 * Removes what is not known later: the forecast in a sentence, and the queue's own check. That check appears sooner or
 * later, when its effect is carried out, and it has no history.
 */
function timeless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replaceAll(/ It will probably be merged at about [^"]*/g, ''),
    (_, part: unknown) => (Array.isArray(part) ? part.filter((each) => !isOwnCheck(each)) : part),
  );
}

function isOwnCheck(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && value.name === statusCheckName;
}

async function laterThan(at: number): Promise<Date> {
  while (Date.now() <= at) await new Promise(setImmediate);
  return new Date();
}

it('a queue as of an instant equals the queue that was read at that instant: its line, batches, tip and pause', async () => {
  await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }), runsCi: false });
  const seen: { readonly at: Date; readonly queue: unknown }[] = [];
  const look = async (): Promise<void> => {
    await w.service.drain();
    for (;;) {
      const before = timeless(await ask(w, page, null));
      const at = await laterThan(Date.now());
      await laterThan(Date.now());
      const queue = timeless(await ask(w, page, null));
      // A row that is written at this moment has an earlier date, although the read did not see it. Then the test reads
      // again.
      if (!(await isWritten(w)) && JSON.stringify(before) === JSON.stringify(queue))
        return void seen.push({ at, queue });
    }
  };
  const began = new Date();
  const [a, b, c] = [
    await w.open('a', { 'a.txt': 'a\n' }),
    await w.open('b', { 'b.txt': 'b\n' }),
    await w.open('c', { 'c.txt': 'c\n' }),
  ];
  await w.queue(a, b, c);
  await w.until(async () => (await w.rows('select 1 from bot_pull_request where opened_at is not null')).length === 2);
  await look();
  await w.pause(true);
  await look();
  await w.pause(false);
  await w.dequeue(b);
  await look();
  await using _ = await startCi(w);
  await w.settled(a, c);
  await look();
  expect(new Set(seen.map(({ queue }) => JSON.stringify(queue))).size).toBe(4);
  for (const { at, queue } of seen) expect(timeless(await ask(w, page, at))).toEqual(queue);
  const history = (await ask(
    w,
    `depthHistory(from: "${began.toISOString()}", to: "${new Date(Date.now() + 1).toISOString()}", points: 500) { queued landings }`,
    null,
  )) as { depthHistory: { queued: number; landings: number }[] };
  expect(Math.max(...history.depthHistory.map(({ queued }) => queued))).toBe(3);
  expect(history.depthHistory.at(-1)?.queued).toBe(0);
  expect(history.depthHistory.reduce((sum, { landings }) => sum + landings, 0)).toBe(2);
});

it('a pause whose event has been deleted by age is known as of a later instant', async () => {
  await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }), runsCi: false });
  const shown = async (at: Date | null): Promise<unknown> => await ask(w, 'paused pause { message }', at);
  const instant = async (): Promise<Date> => {
    const at = await laterThan(Date.now());
    await laterThan(Date.now());
    return at;
  };
  await w.queue(await w.open('a', { 'a.txt': 'a\n' }));
  await pauseBranches(w.ctx, {
    repository: w.repository,
    pattern: 'ma*',
    paused: true,
    pausedMessage: 'Release day.',
  });
  await w.pause(true);
  await w.service.drain();
  await w.rows('delete from event');
  await w.queue(await w.open('b', { 'b.txt': 'b\n' }));
  await w.service.drain();
  // The sequencer gives positions.
  await w.rows('update event set position = id');

  const first = await instant();
  const ofRepository = await shown(null);
  expect(await shown(first)).toEqual(ofRepository);
  await w.pause(false);
  const second = await instant();
  const ofBranch = { paused: true, pause: { message: 'Release day.' } };
  expect([await shown(first), await shown(second), await shown(null)]).toEqual([ofRepository, ofBranch, ofBranch]);
  await pauseBranches(w.ctx, { repository: w.repository, pattern: 'release', paused: true });
  await pauseBranches(w.ctx, { repository: w.repository, pattern: '*in', paused: false });
  const third = await instant();
  const ofNobody = { paused: false, pause: null };
  expect([await shown(second), await shown(third), await shown(null)]).toEqual([ofBranch, ofNobody, ofNobody]);
});
