import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  completeAbandonedUpdates,
  createGit,
  type Git,
  listRefs,
  removeStaleLocks,
  updateRefs,
} from '../../src/hosts/git/index.ts';
import { HostRefused, HostUnavailable, RefMoved, type RefUpdate } from '../../src/hosts/port.ts';
import { commit, git, tip } from './commits.ts';

const landingRef = 'refs/interlock/landings/7';
let folder: string;
let directory: string;
let plumbing: Git;
let base: string;
let landing: string;
let number = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-refs-'));
  plumbing = createGit(join(folder, 'gitconfig'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  directory = join(folder, `${++number}.git`);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', directory);
  base = commit(directory, { branch: 'main', files: { 'a.txt': 'a\n' } });
  landing = commit(directory, { branch: 'work', from: base, files: { 'a.txt': 'b\n' } });
});

const ref = (name: string): string | null => {
  const found = git(directory, 'for-each-ref', '--format=%(objectname)', name);
  return found === '' ? null : found;
};
const land = (): RefUpdate[] => [
  { ref: landingRef, from: null, to: landing },
  { ref: 'refs/heads/main', from: base, to: landing },
];
const update = async (updates: readonly RefUpdate[]): Promise<void> => await updateRefs(plumbing, directory, updates);
const notes = (): string[] => readdirSync(join(directory, 'interlock-updates'));

test('a landing moves the base and writes its landing ref in one update', async () => {
  await update(land());
  expect([tip(directory, 'main'), ref(landingRef)]).toEqual([landing, landing]);
  expect(notes()).toEqual([]);
});

test('a moved base stops the whole landing, and the error names its commit', async () => {
  const pushed = commit(directory, { branch: 'main', files: { 'c.txt': 'c\n' } });
  const failure = await update(land()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(RefMoved);
  expect(failure).toMatchObject({ ref: 'refs/heads/main', expected: base, actual: pushed });
  expect([tip(directory, 'main'), ref(landingRef)]).toEqual([pushed, null]);
});

test('a batch lands once: git refuses the second landing', async () => {
  await update(land());
  await expect(update(land())).rejects.toThrow(RefMoved);
  const again = commit(directory, { branch: 'work', files: { 'd.txt': 'd\n' } });
  const failure = await update([
    { ref: landingRef, from: null, to: again },
    { ref: 'refs/heads/main', from: landing, to: again },
  ]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ ref: landingRef, expected: null, actual: landing });
  expect(tip(directory, 'main')).toBe(landing);
});

test('of landings that race for one base, one wins, and the others get the commit of the base', async () => {
  const candidates = ['1', '2', '3', '4'].map((name) =>
    commit(directory, { branch: `r${name}`, from: base, files: { [name]: name } }),
  );
  const outcomes = await Promise.allSettled(
    candidates.map(
      async (to, index) =>
        await update([
          { ref: 'refs/heads/main', from: base, to },
          { ref: `refs/interlock/landings/${index}`, from: null, to },
        ]),
    ),
  );
  const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(
    outcomes.filter((outcome) => outcome.status === 'rejected' && outcome.reason instanceof RefMoved),
  ).toHaveLength(3);
  expect(tip(directory, 'main')).toBe(candidates[won]);
  expect(git(directory, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/interlock')).toBe(
    `refs/interlock/landings/${won} ${candidates[won]}`,
  );
});

test('a ref is deleted only if it is at the expected commit', async () => {
  await expect(update([{ ref: 'refs/heads/work', from: base, to: null }])).rejects.toThrow(RefMoved);
  await update([{ ref: 'refs/heads/work', from: landing, to: null }]);
  expect(tip(directory, 'work')).toBeNull();
  await expect(update([{ ref: 'refs/heads/work', from: landing, to: null }])).rejects.toThrow(
    'refs/heads/work is absent',
  );
});

test('a missing object is reported by its id', async () => {
  const missing = '1'.repeat(40);
  await expect(update([{ ref: 'refs/heads/x', from: null, to: missing }])).rejects.toThrow(
    `The commit ${missing} does not exist any more.`,
  );
});

test.each([
  ['a name below a branch', { ref: 'refs/heads/main/x', from: null, to: undefined }],
  ['an invalid name', { ref: 'refs/heads/a..b', from: null, to: undefined }],
  ['an option', { ref: '--stdin', from: null, to: undefined }],
])('%s is refused, and the refusal is final', async (_what, { ref: name, from, to }) => {
  await expect(update([{ ref: name, from, to: to ?? landing }])).rejects.toThrow(HostRefused);
});

interface Note {
  readonly pid: number;
  readonly machine?: string;
  /** The instant by the clock of the machine that wrote the note. */
  readonly writtenAt?: number;
  /** By the clock of the disk. */
  readonly ageMs?: number;
}

function writeNote(updates: readonly RefUpdate[], { ageMs = 0, ...by }: Note): void {
  const path = join(directory, 'interlock-updates', 'note.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ process: 'another', writtenAt: Date.now(), ...by, updates }));
  const at = (Date.now() - ageMs) / 1000;
  if (ageMs > 0) utimesSync(path, at, at);
}
const deadPid = 4_194_304 + 7;

test('a landing that was interrupted between its two refs is completed', async () => {
  git(directory, 'update-ref', 'refs/heads/main', landing);
  writeNote(land().toReversed(), { pid: deadPid });
  await completeAbandonedUpdates(plumbing, directory);
  expect([tip(directory, 'main'), ref(landingRef), notes()]).toEqual([landing, landing, []]);
});

test('an interrupted landing is completed even if the base was pushed since', async () => {
  git(directory, 'update-ref', 'refs/heads/main', landing);
  const pushed = commit(directory, { branch: 'main', files: { 'e.txt': 'e\n' } });
  writeNote(land().toReversed(), { pid: deadPid });
  await completeAbandonedUpdates(plumbing, directory);
  expect([tip(directory, 'main'), ref(landingRef)]).toEqual([pushed, landing]);
});

test('a landing that had not started is dropped', async () => {
  writeNote(land().toReversed(), { pid: deadPid });
  await completeAbandonedUpdates(plumbing, directory);
  expect([tip(directory, 'main'), ref(landingRef), notes()]).toEqual([base, null, []]);
});

test('an interrupted landing is completed once, even by several processes at once', async () => {
  git(directory, 'update-ref', 'refs/heads/main', landing);
  writeNote(land().toReversed(), { pid: deadPid });
  await Promise.all([1, 2, 3, 4].map(async () => await completeAbandonedUpdates(plumbing, directory)));
  expect([tip(directory, 'main'), ref(landingRef), notes()]).toEqual([landing, landing, []]);
});

test('the note of another machine on the same disk is not touched for a minute, whatever the id of its process', async () => {
  git(directory, 'update-ref', 'refs/heads/main', landing);
  for (const pid of [process.pid, deadPid]) {
    writeNote(land().toReversed(), { pid, machine: 'another' });
    await completeAbandonedUpdates(plumbing, directory);
    expect([ref(landingRef), notes()]).toEqual([null, ['note.json']]);
  }
  writeNote(land().toReversed(), { pid: deadPid, machine: 'another', ageMs: 61_000 });
  await completeAbandonedUpdates(plumbing, directory);
  expect([ref(landingRef), notes()]).toEqual([landing, []]);
});

test.each([
  ['behind', -5 * 60_000],
  ['ahead', 5 * 60_000],
])('the clock of the machine that wrote a note does not count: it is five minutes %s', async (_what, offMs) => {
  git(directory, 'update-ref', 'refs/heads/main', landing);
  const note = { pid: deadPid, machine: 'another', writtenAt: Date.now() + offMs };
  writeNote(land().toReversed(), note);
  await completeAbandonedUpdates(plumbing, directory);
  expect([ref(landingRef), notes()]).toEqual([null, ['note.json']]);
  writeNote(land().toReversed(), { ...note, ageMs: 61_000 });
  await completeAbandonedUpdates(plumbing, directory);
  expect([ref(landingRef), notes()]).toEqual([landing, []]);
});

test('a note that another process is writing at this moment stays', async () => {
  const path = join(directory, 'interlock-updates', 'note.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"pid":');
  await completeAbandonedUpdates(plumbing, directory);
  expect(notes()).toEqual(['note.json']);
  const old = new Date(Date.now() - 61_000);
  utimesSync(path, old, old);
  await completeAbandonedUpdates(plumbing, directory);
  expect(notes()).toEqual([]);
});

test('the note of a living process is not touched for a minute', async () => {
  git(directory, 'update-ref', 'refs/heads/main', landing);
  writeNote(land().toReversed(), { pid: process.ppid });
  await completeAbandonedUpdates(plumbing, directory);
  expect([ref(landingRef), notes()]).toEqual([null, ['note.json']]);
  writeNote(land().toReversed(), { pid: process.ppid, ageMs: 61_000 });
  await completeAbandonedUpdates(plumbing, directory);
  expect([ref(landingRef), notes()]).toEqual([landing, []]);
});

test('the lock of a killed git stops a landing with a reason, and is removed when it is old', async () => {
  const lock = join(directory, 'refs', 'heads', 'main.lock');
  writeFileSync(lock, '');
  await expect(update(land())).rejects.toThrow(HostUnavailable);
  expect(ref(landingRef)).toBeNull();
  expect(await removeStaleLocks(directory, 60_000)).toEqual([]);
  const old = new Date(Date.now() - 61_000);
  utimesSync(lock, old, old);
  expect(await removeStaleLocks(directory, 60_000)).toEqual(['refs/heads/main.lock']);
  await update(land());
  expect(tip(directory, 'main')).toBe(landing);
});

test('the lock of a running git stays although the clock of this machine is ahead of the clock of the disk', async () => {
  writeFileSync(join(directory, 'packed-refs.lock'), '');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await removeStaleLocks(directory, 60_000)).toEqual([]);
  expect(readdirSync(directory).filter((name) => name.startsWith('interlock-time'))).toEqual([]);
});

test.each([
  'refs/',
  'refs/heads/',
  'refs/heads',
  'refs/interlock/landings/',
  'refs/tags/',
  'refs/none/',
  'refs/heads/main',
])(
  'the list of %s has what git lists: refs in files, packed, moved since, tags, links, but no broken refs and no locks',
  async (prefix) => {
    const heads = join(directory, 'refs', 'heads');
    for (let n = 1; n <= 12; n += 1) git(directory, 'update-ref', `refs/interlock/landings/${n}`, base);
    git(directory, 'update-ref', 'refs/heads/a/b/c', base);
    git(directory, 'update-ref', 'refs/heads/é-z', base);
    git(directory, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'tag', '-a', '-m', 'one', 'v1', base);
    git(directory, 'pack-refs', '--all');
    git(directory, 'update-ref', 'refs/heads/a/b/c', landing);
    git(directory, 'update-ref', 'refs/heads/a-b', landing);
    git(directory, 'update-ref', 'refs/tags/v2', base);
    git(directory, 'update-ref', '-d', 'refs/interlock/landings/3');
    git(directory, 'symbolic-ref', 'refs/heads/link', 'refs/heads/main');
    writeFileSync(join(heads, 'main.lock'), landing);
    writeFileSync(join(heads, 'é-z'), '');
    const listed = git(directory, 'for-each-ref', '--format=%(refname) %(objectname)', prefix.replace(/\/$/, ''))
      .split('\n')
      .filter((line) => line.startsWith(`${prefix.replace(/\/$/, '')}/`));
    expect((await listRefs(directory, prefix)).map(({ ref, commit }) => `${ref} ${commit}`)).toEqual(listed);
    expect(listed.length).toBe({ 'refs/': 18, 'refs/heads/': 5 }[prefix] ?? listed.length);
  },
);

test('the list of refs of a repository that does not exist fails', async () => {
  await expect(listRefs(join(folder, 'none.git'), 'refs/heads/')).rejects.toThrow(HostUnavailable);
});
