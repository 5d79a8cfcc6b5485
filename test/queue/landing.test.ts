import { describe, expect, it } from 'vitest';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { parallel, serial, world } from '../support/world.ts';
import { expectLandedOnce, meanwhile, verified, wakeAll } from './stories.ts';

describe('the queue', () => {
  it('lands a pull request that is up to date and green without a bot pull request, because its tree was tested', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const number = await w.open('feature', { 'feature.txt': 'new\n' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await w.queue(number);
    await w.settled(number);
    const { status, merge_commit_sha, head_sha } = await w.status(number);
    expect(status).toBe('merged');
    expect(await w.landed()).toEqual([merge_commit_sha]);
    expect(await w.git('show', 'main:feature.txt')).toBe('new');
    const [proof] = await w.rows<{ body: { grade: string; evidence: { commit: string }[] } }>('select body from proof');
    expect(proof?.body).toMatchObject({ grade: 'same_tree', evidence: [{ commit: head_sha }] });
    expect(await w.rows('select 1 from bot_pull_request')).toEqual([]);
  });

  it('lands the commit that CI ran on, and records its events in order', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const number = await w.open('feature', { 'feature.txt': 'new\n' });
    await w.commit('main', { 'other.txt': 'other\n' });
    await w.queue(number);
    await w.settled(number);
    const { merge_commit_sha } = await w.status(number);
    expect(await w.landed()).toContain(merge_commit_sha);
    const [proof] = await w.rows<{ body: { grade: string; evidence: { commit: string }[] } }>('select body from proof');
    expect(proof?.body).toMatchObject({ grade: 'exact', evidence: [{ commit: merge_commit_sha }] });
    const actions = (await w.events()).filter(([, numbers]) => numbers.includes(number)).map(([action]) => action);
    expect(actions).toEqual([
      'opened',
      'queued',
      'batch_started',
      'added_to_batch',
      'top_of_queue',
      'merged',
      'batch_merged',
    ]);
    const ofBatch = await w.rows<{ action: string }>('select action from event where batch_id is not null order by id');
    expect(ofBatch.map(({ action }) => action)).toEqual(['batch_started', 'build_started', 'batch_merged']);
  });

  it('records in the event and in the proof that a landing changed nothing', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const [first, same] = [
      await w.open('first', { 'feature.txt': 'new\n' }),
      await w.open('same', { 'feature.txt': 'new\n' }),
    ];
    await w.queue(first, same);
    await w.settled(first, same);
    const said = await w.rows(
      `select e.payload->>'number' as number, e.payload->>'isEmpty' as event, p.body->>'isEmpty' as proof from event e
       join landed_member m on m.pull_request_id = e.pull_request_id join proof p on p.landing_id = m.landing_id
       where e.action = 'merged' order by e.id`,
    );
    expect(said).toEqual([
      { number: String(first), event: null, proof: null },
      { number: String(same), event: 'true', proof: 'true' },
    ]);
    const verification = await verified(w);
    expect(verification).toMatchObject({ failures: [] });
    await w.rows(
      `update proof set body = body || '{"isEmpty": true}' where landing_id = (select min(landing_id) from proof)`,
    );
    expect((await verified(w))?.failures).toContainEqual(
      expect.stringMatching(/says that it changed nothing, but it changed the tree/),
    );
    expect(await w.rows('select proofs_failed > 0 as failed, proofs_verified_at is null as never from queue')).toEqual([
      { failed: true, never: false },
    ]);
  });

  it('lands a batch as one group commit on the first-parent line', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 3 }) });
    const numbers = [
      await w.open('a', { 'a.txt': 'a\n' }),
      await w.open('b', { 'b.txt': 'b\n' }),
      await w.open('c', { 'c.txt': 'c\n' }),
    ];
    await w.queue(...numbers);
    await w.settled(...numbers);
    const landed = await w.landed();
    for (const number of numbers) expect(landed).toContain((await w.status(number)).merge_commit_sha);
    for (const file of ['a', 'b', 'c']) expect(await w.git('show', `main:${file}.txt`)).toBe(file);
  });

  it('bisects a red batch, blocks the pull request that fails, and lands the others', async () => {
    await using w = await world({
      configuration: parallel({ builds: 3, batch: 4 }),
      ci: "checks:\n  test:\n    run: 'test ! -e x || test ! -e y'\n",
    });
    await w.pause(true);
    const numbers = [
      await w.open('a', { 'a.txt': 'a\n' }),
      await w.open('x', { x: 'x\n' }),
      await w.open('y', { y: 'y\n' }),
      await w.open('d', { 'd.txt': 'd\n' }),
    ];
    await w.queue(...numbers);
    await w.pause(false);
    await w.settled(...numbers);
    expect(await Promise.all(numbers.map(async (number) => (await w.status(number)).status))).toEqual([
      'merged',
      'merged',
      'blocked',
      'merged',
    ]);
    expect((await w.status(numbers[2] ?? 0)).status_text).toContain('test');
    expect((await w.events()).map(([action]) => action)).toContain('batch_bisected');
  });

  it('blocks a pull request that conflicts with 106, and lands the pull request behind it', async () => {
    await using w = await world({ configuration: parallel({ builds: 3, batch: 2 }) });
    const numbers = [
      await w.open('one', { 'same.txt': 'one\n' }),
      await w.open('two', { 'same.txt': 'two\n' }),
      await w.open('three', { 'three.txt': '3\n' }),
    ];
    await w.queue(...numbers);
    await w.settled(...numbers);
    expect((await w.status(numbers[0] ?? 0)).status).toBe('merged');
    expect(await w.status(numbers[1] ?? 0)).toMatchObject({ status: 'blocked', status_code: 106 });
    expect((await w.status(numbers[2] ?? 0)).status).toBe('merged');
  });

  it('brings the base into the head in serial mode, tests that head, and lands its tree', async () => {
    await using w = await world({ configuration: serial() });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    await w.settled(...numbers);
    expect(await Promise.all(numbers.map(async (number) => (await w.status(number)).status))).toEqual([
      'merged',
      'merged',
    ]);
    expect(await w.landed()).toHaveLength(2);
    const grades = await w.rows<{ grade: string }>('select grade from landing order by id');
    expect(grades.map((row) => row.grade)).toEqual(['same_tree', 'same_tree']);
  });
});

describe('a landing that goes on after it has halted its queue', () => {
  it('leaves no halt behind if the host fails again after the landing is recorded', async () => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    const halts = async () => await w.rows('select halted_reason from queue where halted_reason is not null');
    const away = async () => {
      // After so many attempts, the next failure halts the queue.
      await w.rows("update intent set attempt = 20 where kind = 'land'");
      throw new HostUnavailable('The host is away.');
    };
    await expect(meanwhile('landing:before_move', away, () => w.settled(number))).rejects.toThrow('away');
    expect(await halts()).toEqual([{ halted_reason: expect.stringContaining('Landing batch 1 failed') }]);

    let failures = 0;
    let isRecorded = false;
    const disarm = onFailpoint('landing:after_conclude', async () => {
      await Promise.resolve((isRecorded = true));
    });
    replaceHostMethod(w, 'readRef', (original) => async (...of) => {
      if (!isRecorded) return await original(...of);
      failures += 1;
      throw new HostUnavailable('The base branch cannot be read.');
    });
    await wakeAll(w);
    await expect(w.settled(number)).rejects.toThrow('The base branch cannot be read.');
    disarm();
    isRecorded = false;
    expect(failures).toBeGreaterThan(0);
    expect(await halts()).toEqual([]);
    await wakeAll(w);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });
});
