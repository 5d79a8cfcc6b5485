import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { composeCommit, createGit, readCommits, type Git } from '../../src/hosts/git/index.ts';
import { type Composition, type CompositionMember, type CompositionResult, HostRefused } from '../../src/hosts/port.ts';
import { commit, filesOf, git, messageOf, parentsOf } from './commits.ts';

let folder: string;
let directory: string;
let plumbing: Git;
let base: string;
let number = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-compose-'));
  plumbing = createGit(join(folder, 'gitconfig'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  directory = join(folder, `${++number}.git`);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', directory);
  base = commit(directory, { branch: 'main', files: { 'a.txt': 'a\n', 'shared.txt': '1\n2\n3\n' } });
});

const branch = (name: string, files: Record<string, string | null>, from: string = base): string =>
  commit(directory, { branch: name, from, files });
const member = (
  head: string,
  strategy: CompositionMember['strategy'],
  message = `Land ${head.slice(0, 7)}`,
): CompositionMember => ({
  head,
  strategy,
  message,
  authorName: 'Grace Hopper',
  authorEmail: 'grace@example.org',
});
const compose = async (
  members: readonly CompositionMember[],
  changes: Partial<Composition> = {},
): Promise<CompositionResult> =>
  await composeCommit(plumbing, directory, {
    parent: base,
    members,
    batchCommit: 'group',
    groupMessage: 'Land a batch',
    at: 1_750_000_000_000,
    keepRef: 'refs/interlock/builds/1',
    committer: { name: 'Interlock', email: 'interlock@example.org' },
    ...changes,
  });
async function composed(members: readonly CompositionMember[], changes: Partial<Composition> = {}) {
  const result = await compose(members, changes);
  if (result.kind !== 'composed') throw new Error(`Conflict in ${result.paths.join(', ')}`);
  return result;
}

describe('one pull request', () => {
  test('a squash is one commit on the parent, with the given message and author', async () => {
    const head = branch('topic', { 'b.txt': 'b\n' });
    const second = commit(directory, { branch: 'topic', files: { 'b.txt': 'bb\n' } });
    const result = await composed([member(second, 'squash', 'Add b (#1)\n\nBecause.')]);
    expect(head).not.toBe(second);
    expect(result.ownCommits).toEqual([result.commit]);
    expect(parentsOf(directory, result.commit)).toEqual([base]);
    expect(filesOf(directory, result.commit)).toEqual({ 'a.txt': 'a', 'b.txt': 'bb', 'shared.txt': '1\n2\n3' });
    expect(messageOf(directory, result.commit)).toBe('Add b (#1)\n\nBecause.');
    expect(git(directory, 'log', '-1', '--format=%an <%ae> %at %cn %ct', result.commit)).toBe(
      'Grace Hopper <grace@example.org> 1750000000 Interlock 1750000000',
    );
    expect(git(directory, 'rev-parse', `${result.commit}^{tree}`)).toBe(result.tree);
  });

  test('a merge is a merge commit of the parent and the head', async () => {
    const head = branch('topic', { 'b.txt': 'b\n' });
    const result = await composed([member(head, 'merge')]);
    expect(parentsOf(directory, result.commit)).toEqual([base, head]);
    expect(result.ownCommits).toEqual([result.commit]);
  });

  test('the commits of a rebase may have long messages, and a commit that is too large to be read is refused', async () => {
    const message = 'x'.repeat(1024 * 1024);
    const series = Array.from(
      { length: 70 },
      (_, nth) =>
        `commit refs/heads/topic\ncommitter Ada <a@x> ${1_750_000_000 + nth} +0000\ndata ${message.length}\n${message}\n`,
    );
    execFileSync('git', ['fast-import', '--quiet'], { cwd: directory, input: series.join('') });
    const ids = git(directory, 'rev-list', 'topic').split('\n');
    expect((await readCommits(plumbing, directory, ids)).map(({ commit: id }) => id)).toEqual(ids);
    const large = commit(directory, {
      branch: 'large',
      from: base,
      files: { 'b.txt': 'b\n' },
      message: 'x'.repeat(65 * 1024 * 1024),
    });
    await expect(compose([member(large, 'rebase')])).rejects.toThrow(HostRefused);
  });

  test('a rebase of one commit is that commit on the parent, with its own message and author', async () => {
    const head = commit(directory, {
      branch: 'topic',
      from: base,
      files: { 'b.txt': 'b\n' },
      message: 'Add b',
      author: 'Linus <linus@example.org>',
    });
    const onward = commit(directory, { branch: 'main', files: { 'c.txt': 'c\n' } });
    const result = await composed([member(head, 'rebase')], { parent: onward });
    expect(parentsOf(directory, result.commit)).toEqual([onward]);
    expect(git(directory, 'log', '-1', '--format=%an %s', result.commit)).toBe('Linus Add b');
    expect(filesOf(directory, result.commit)).toMatchObject({ 'b.txt': 'b', 'c.txt': 'c' });
  });

  test('a rebase of several commits is a group commit whose second parent is the series', async () => {
    branch('topic', { 'b.txt': 'b\n' });
    const head = commit(directory, { branch: 'topic', files: { 'c.txt': 'c\n' }, message: 'Add c' });
    const onward = commit(directory, { branch: 'main', files: { 'd.txt': 'd\n' } });
    const result = await composed([member(head, 'rebase')], { parent: onward });
    const [own] = result.ownCommits;
    expect(parentsOf(directory, result.commit)).toEqual([onward, own]);
    expect(messageOf(directory, result.commit)).toBe('Land a batch');
    expect(messageOf(directory, own ?? '')).toBe('Add c');
    expect(git(directory, 'rev-list', '--count', `${onward}..${own}`)).toBe('2');
    expect(git(directory, 'rev-parse', `${own}^{tree}`)).toBe(result.tree);
  });

  test('a rebase over a merge of the base keeps what was resolved by hand, and drops what the base has', async () => {
    branch('topic', { 'shared.txt': 'one\n2\n3\n' });
    const onward = commit(directory, { branch: 'main', files: { 'shared.txt': 'eins\n2\n3\n' } });
    const head = commit(directory, {
      branch: 'topic',
      merges: [onward],
      files: { 'shared.txt': 'one and eins\n2\n3\n' },
    });
    // To replay the first commit alone conflicts with the change of the base, and the result says so.
    expect(await compose([member(head, 'rebase')], { parent: onward })).toEqual({
      kind: 'conflict',
      at: 0,
      paths: ['shared.txt'],
    });

    branch('calm', { 'b.txt': 'b\n' });
    const merged = commit(directory, {
      branch: 'calm',
      merges: [onward],
      files: { 'shared.txt': 'eins\n2\n3\n', 'by-hand.txt': 'kept\n' },
    });
    const result = await composed([member(merged, 'rebase')], { parent: onward });
    expect(filesOf(directory, result.commit)).toMatchObject({
      'b.txt': 'b',
      'by-hand.txt': 'kept',
      'shared.txt': 'eins\n2\n3',
    });
    expect(git(directory, 'rev-list', '--count', '--merges', `${onward}..${result.ownCommits[0]}`)).toBe('0');
  });

  test('a rebase whose changes the base already has is one empty commit', async () => {
    const head = branch('topic', { 'b.txt': 'b\n' });
    const onward = commit(directory, { branch: 'main', files: { 'b.txt': 'b\n' } });
    const result = await composed([member(head, 'rebase')], { parent: onward });
    expect(parentsOf(directory, result.commit)).toEqual([onward]);
    expect(result.tree).toBe(git(directory, 'rev-parse', `${onward}^{tree}`));
  });

  test('a rebase keeps texts in an old encoding readable', async () => {
    const raw = Buffer.concat([
      Buffer.from(
        `tree ${git(directory, 'rev-parse', `${branch('x', { 'z.txt': 'z\n' })}^{tree}`)}\nparent ${base}\nauthor J`,
      ),
      Buffer.from([0xfc]),
      Buffer.from(
        'rgen <j@example.org> 1700000000 +0100\ncommitter J <j@example.org> 1700000000 +0100\nencoding ISO-8859-1\n\nGr',
      ),
      Buffer.from([0xfc, 0xdf]),
      Buffer.from('e\n'),
    ]);
    const { stdout } = await plumbing.run(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], { stdin: raw });
    const onward = commit(directory, { branch: 'main', files: { 'c.txt': 'c\n' } });
    const result = await composed([member(stdout.toString().trim(), 'rebase')], { parent: onward });
    expect(git(directory, 'log', '-1', '--format=%an|%B', result.commit)).toBe('Jürgen|Grüße');
  });
});

describe('several pull requests', () => {
  test.each([['squash'], ['merge'], ['rebase']] as const)(
    '%s: a group commit has the parent and the chain of own commits as parents, and the tree of the chain',
    async (strategy) => {
      const heads = ['b', 'c', 'd'].map((name) => branch(name, { [`${name}.txt`]: `${name}\n` }));
      const result = await composed(heads.map((head) => member(head, strategy)));
      expect(result.ownCommits).toHaveLength(3);
      expect(parentsOf(directory, result.commit)).toEqual([base, result.ownCommits[2]]);
      expect(result.ownCommits.map((own) => parentsOf(directory, own)[0])).toEqual([
        base,
        result.ownCommits[0],
        result.ownCommits[1],
      ]);
      expect(git(directory, 'rev-parse', `${result.ownCommits[2]}^{tree}`)).toBe(result.tree);
      expect(filesOf(directory, result.commit)).toMatchObject({ 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' });
      expect(git(directory, 'rev-list', '--first-parent', '--count', `${base}..${result.commit}`)).toBe('1');
    },
  );

  test('strategies mix in one group', async () => {
    const [one, two, three] = ['b', 'c', 'd'].map((name) => branch(name, { [`${name}.txt`]: `${name}\n` })) as [
      string,
      string,
      string,
    ];
    const result = await composed([member(one, 'squash'), member(two, 'merge'), member(three, 'rebase')]);
    expect(parentsOf(directory, result.ownCommits[1] ?? '')).toEqual([result.ownCommits[0], two]);
    expect(parentsOf(directory, result.ownCommits[2] ?? '')).toEqual([result.ownCommits[1]]);
  });

  test('a linear batch puts the own commits on the first-parent line', async () => {
    const heads = ['b', 'c'].map((name) => branch(name, { [`${name}.txt`]: `${name}\n` }));
    const result = await composed(
      heads.map((head) => member(head, 'squash')),
      { batchCommit: 'linear' },
    );
    expect(result.commit).toBe(result.ownCommits[1]);
    expect(git(directory, 'rev-list', '--first-parent', `${base}..${result.commit}`).split('\n')).toEqual(
      result.ownCommits.toReversed(),
    );
  });

  test('members are merged in order, so a repair of the first member by the second is in the tree', async () => {
    const first = branch('first', { 'shared.txt': '1\ntwo\n3\n' });
    const second = commit(directory, { branch: 'second', from: first, files: { 'shared.txt': '1\nTWO\n3\n' } });
    const result = await composed([member(first, 'merge'), member(second, 'merge')]);
    expect(filesOf(directory, result.commit)['shared.txt']).toBe('1\nTWO\n3');
  });

  test.each([['squash'], ['merge'], ['rebase']] as const)(
    '%s: a conflict names the member and the paths, and no ref stays',
    async (strategy) => {
      const fine = branch('fine', { 'b.txt': 'b\n' });
      const first = branch('first', { 'shared.txt': '1\ntwo\n3\n', 'dir/x.txt': 'x\n' });
      const second = branch('second', { 'shared.txt': '1\nzwei\n3\n', 'dir/x.txt': 'y\n' });
      const result = await compose([fine, first, second].map((head) => member(head, strategy)));
      expect(result).toEqual({ kind: 'conflict', at: 2, paths: ['dir/x.txt', 'shared.txt'] });
      expect(git(directory, 'for-each-ref', 'refs/interlock')).toBe('');
    },
  );

  test('a path with odd characters is named as it is', async () => {
    const first = branch('first', { 'ü "q"\tx.txt': '1\n' });
    const second = branch('second', { 'ü "q"\tx.txt': '2\n' });
    expect(await compose([member(first, 'squash'), member(second, 'squash')])).toEqual({
      kind: 'conflict',
      at: 1,
      paths: ['ü "q"\tx.txt'],
    });
  });

  test('histories without a common commit conflict', async () => {
    const alien = commit(directory, { branch: 'alien', from: null, files: { 'z.txt': 'z\n' } });
    expect(await compose([member(alien, 'merge')])).toEqual({ kind: 'conflict', at: 0, paths: [] });
  });
});

describe('a composed commit', () => {
  test('is the same for the same composition, and another one for another instant', async () => {
    const heads = ['b', 'c'].map((name) => branch(name, { [`${name}.txt`]: `${name}\n` }));
    const members = [member(heads[0] ?? '', 'squash'), member(heads[1] ?? '', 'rebase')];
    const once = await composed(members);
    expect(await composed(members)).toEqual(once);
    const later = await composed(members, { at: 1_750_000_001_000 });
    expect(later.tree).toBe(once.tree);
    expect(later.commit).not.toBe(once.commit);
  });

  test('is kept by its ref during a garbage collection', async () => {
    const result = await composed([member(branch('b', { 'b.txt': 'b\n' }), 'squash')]);
    git(directory, 'gc', '--quiet', '--prune=now');
    expect(git(directory, 'rev-parse', 'refs/interlock/builds/1')).toBe(result.commit);
    expect(git(directory, 'cat-file', '-t', result.tree)).toBe('tree');
  });

  test('does not move a branch', async () => {
    const before = git(directory, 'for-each-ref', 'refs/heads');
    const head = git(directory, 'rev-parse', 'main');
    await compose([member(head, 'squash')]);
    expect(git(directory, 'for-each-ref', 'refs/heads')).toBe(before);
  });

  test('cannot get a forged header by the name of an author', async () => {
    const head = branch('b', { 'b.txt': 'b\n' });
    const result = await composed([
      {
        ...member(head, 'squash'),
        authorName: 'Eve\nparent 0000000000000000000000000000000000000000 <x>',
        authorEmail: 'e>@x\n',
      },
    ]);
    expect(parentsOf(directory, result.commit)).toEqual([base]);
    expect(git(directory, 'fsck', '--no-dangling')).not.toContain('error');
  });

  test.each([['--upload-pack=x'], ['main'], ['ABC'], ['0'.repeat(39)]])(
    'is refused for the head %s, which is no object id, before git sees it',
    async (head) => {
      await expect(compose([member(head, 'squash')])).rejects.toThrow(HostRefused);
    },
  );

  test('is refused for an unknown head', async () => {
    await expect(compose([member('1'.repeat(40), 'squash')])).rejects.toThrow(
      `${'1'.repeat(40)} is not a commit of this repository`,
    );
  });
});

/** A `git` that sees attributes and templates which an operator has installed on the machine. */
function gitOfMachine(): string {
  const bin = join(folder, 'bin');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const installed = `mount -t tmpfs none /etc && printf '* -merge\\n' > /etc/gitattributes
    templates=$(dirname "$(dirname "$(${real} --exec-path)")")/share/git-core/templates
    mount -t tmpfs none "$templates" && mkdir "$templates/info" && cp /etc/gitattributes "$templates/info/attributes"
    exec ${real} "$@"`;
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'installed'), installed);
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\nexec unshare --map-root-user --mount -- sh ${join(bin, 'installed')} "$@"\n`,
    { mode: 0o755 },
  );
  return bin;
}

const canMount =
  spawnSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/etc']).status === 0;

test.skipIf(!canMount)('attributes and templates of the machine, and attributes at HEAD, change no merge', async () => {
  const lines = Array.from({ length: 9 }, (_, nth) => `${nth}\n`);
  const start = branch('main', { 'long.txt': lines.join(''), '.gitattributes': '* -merge\n' });
  const onward = branch('main', { 'long.txt': ['first\n', ...lines.slice(1)].join('') }, start);
  const topic = branch('topic', { 'long.txt': [...lines.slice(0, -1), 'last\n'].join('') }, start);
  const path = process.env['PATH'];
  process.env['PATH'] = `${gitOfMachine()}:${path}`;
  try {
    const own = createGit(join(folder, 'own', 'gitconfig'));
    const result = await composeCommit(own, directory, {
      parent: onward,
      members: [member(topic, 'squash')],
      batchCommit: 'group',
      groupMessage: 'Land a batch',
      at: 1_750_000_000_000,
      keepRef: 'refs/interlock/builds/2',
      committer: { name: 'Interlock', email: 'interlock@example.org' },
    });
    expect(result).toMatchObject({ kind: 'composed' });
    const made = join(folder, 'made.git');
    await own.run(folder, ['init', '--quiet', '--bare', made]);
    expect(existsSync(join(made, 'HEAD'))).toBe(true);
    expect(existsSync(join(made, 'info', 'attributes'))).toBe(false);
    await own.processes.stop();
  } finally {
    process.env['PATH'] = path;
  }
});
