// Landing refs of earlier days move to a ledger. After kills, races and deletions, no landing is lost or made twice.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { compactLandingRefs } from '../../../src/hosts/github/mirror-maintenance.ts';
import { HostUnavailable, RefMoved } from '../../../src/hosts/port.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { github, type GitHub, type GitHubWorld } from './github-world.ts';
import { type Machine, machineOf } from './mirror-parts.ts';

const landings = 'refs/interlock/landings/';
const ledger = 'refs/interlock/ledger';

let g: GitHub;
let w: GitHubWorld;
let first: Machine;
let second: Machine;
let main: string;

beforeAll(async () => {
  g = await github();
  first = machineOf(g);
  second = machineOf(g);
});
beforeEach(async () => {
  w = await g.world();
  main = await w.push({ branch: 'main', files: { a: '1\n' } });
  await first.pushes.updateRefs(
    w.repository,
    [1, 2].map((batch) => ({ ref: `${landings}${batch}`, from: null, to: main })),
  );
});
afterEach(async () => await g.emulator.controls.clear());
afterAll(async () => {
  await first.stop();
  await second.stop();
  await g.close();
});

async function compact(machine = first): Promise<number> {
  return await compactLandingRefs(machine, w.repository, () => true);
}

/** The names of the refs that exist at GitHub. */
async function actual(): Promise<string[]> {
  const refs = await first.mirrors.readActualRefs(w.repository, ['refs/interlock/']);
  return refs.map(({ ref }) => ref);
}

async function listed(): Promise<string[]> {
  return (await w.host.listRefs(w.repository, landings)).map(({ ref, commit }) => `${ref} ${commit}`);
}

const both = (): string[] => [1, 2].map((batch) => `${landings}${batch} ${main}`);

test('compacted landing refs can be read as before, and cannot be made again', async () => {
  expect([await compact(), await actual(), await listed()]).toEqual([2, [ledger], both()]);
  expect((await w.host.readRef(w.repository, `${landings}1`))?.commit).toBe(main);
  const again = w.host.updateRefs(w.repository, [{ ref: `${landings}1`, from: null, to: main }]);
  await expect(again).rejects.toThrow(RefMoved);
  expect(await compact()).toBe(0);
});

test('a later compaction extends the ledger, which keeps the commits of its list at GitHub without other refs', async () => {
  await compact();
  const tombstone = await w.push({ branch: 'gone', from: main, files: { b: '1\n' } });
  await first.pushes.updateRefs(w.repository, [{ ref: `${landings}3`, from: null, to: tombstone }]);
  await first.pushes.updateRefs(w.repository, [{ ref: 'refs/heads/gone', from: tombstone, to: null }]);
  expect(await compact(second)).toBe(1);
  expect(await listed()).toEqual([...both(), `${landings}3 ${tombstone}`]);
  expect(await second.mirrors.tryFetchMissing(w.repository, [tombstone])).toBe(true);
});

test('after a kill before the push nothing is compacted, and the next compaction does all of it', async () => {
  const release = onFailpoint('github:before_push', async () => await Promise.reject(new Error('killed')));
  await expect(compact()).rejects.toThrow('killed');
  release();
  expect([await actual(), await listed()]).toEqual([[`${landings}1`, `${landings}2`], both()]);
  expect([await compact(), await listed()]).toEqual([2, both()]);
});

test('after a kill after the push the compaction is complete', async () => {
  const release = onFailpoint('github:after_push', async () => await Promise.reject(new Error('killed')));
  await expect(compact()).rejects.toThrow('killed');
  release();
  expect([await actual(), await compact(second), await listed()]).toEqual([[ledger], 0, both()]);
});

test('a compaction whose answer is lost is complete', async () => {
  g.emulator.controls.fail({ operation: 'git-receive-pack', when: 'after', times: 1 });
  expect([await compact(), await actual(), await listed()]).toEqual([2, [ledger], both()]);
});

test('two machines that compact at once leave one complete ledger', async () => {
  const ends = await Promise.allSettled([compact(first), compact(second)]);
  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  for (const error of failed) expect([RefMoved, HostUnavailable].some((known) => error instanceof known)).toBe(true);
  expect(failed.length).toBeLessThan(2);
  await compact();
  expect([await actual(), await listed()]).toEqual([[ledger], both()]);
});

test('after a ledger was deleted or moved back, fewer landings are listed, and the next compaction goes on from there', async () => {
  await compact();
  const [before] = await first.mirrors.readActualRefs(w.repository, [ledger]);
  await first.pushes.updateRefs(w.repository, [{ ref: `${landings}3`, from: null, to: main }]);
  await compact();
  const [after] = await first.mirrors.readActualRefs(w.repository, [ledger]);
  const move = async (from: string | null, to: string | null): Promise<void> =>
    await second.pushes.updateActualRefs(w.repository, [{ ref: ledger, from, to }]);
  await move(after?.commit ?? null, before?.commit ?? null);
  expect(await listed()).toEqual(both());
  await move(before?.commit ?? null, null);
  expect(await listed()).toEqual([]);
  await first.pushes.updateRefs(w.repository, [{ ref: `${landings}4`, from: null, to: main }]);
  expect([await compact(), await listed()]).toEqual([1, [`${landings}4 ${main}`]]);
});

test('landings continue if the ref of the ledger names a commit that is not a ledger', async () => {
  await first.pushes.updateActualRefs(w.repository, [{ ref: ledger, from: null, to: main }]);
  expect(await listed()).toEqual(both());
  expect([await compact(), await actual(), await listed()]).toEqual([2, [ledger], both()]);
});
