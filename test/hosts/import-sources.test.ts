// Sources of an import that would make git run a program, read another file or take an option.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HostRefused } from '../../src/hosts/port.ts';
import { recordGit, type GitLog } from '../support/git-log.ts';
import { commit, git } from './commits.ts';
import { localWorld, type LocalWorld } from './local-world.ts';

let world: LocalWorld;
let folder: string;
let log: GitLog;
/** A file that exists if a source has run a command. */
let trace: string;
beforeAll(async () => {
  world = await localWorld();
  folder = mkdtempSync(join(tmpdir(), 'interlock-sources-'));
  trace = join(tmpdir(), `interlock-ran-${process.pid}`);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=trunk', 'source');
  commit(join(folder, 'source'), { branch: 'trunk', files: { 'a.txt': 'a\n' } });
  log = recordGit();
});
afterAll(async () => {
  log.end();
  await world.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => void log.take());

async function refusalOf(source: string): Promise<unknown> {
  return await world.host.importRepository(world.repository, source).catch((error: unknown) => error);
}

// TRACE stands for the file that a command would make.
describe('a source that is', () => {
  it.each([
    ['empty', ''],
    ['white space', ' \t '],
    ['a hyphen', '-'],
    ['two hyphens', '--'],
    ['the option for another program', '--upload-pack=touch TRACE'],
    ['the option after white space', ' --upload-pack=touch TRACE'],
    ['a short option', '-u touch TRACE'],
    ['an option with a file', '--output=TRACE'],
    ['a transport that runs a command', 'ext::sh -c "touch TRACE"'],
    ['this transport in capital letters', 'EXT::sh -c "touch TRACE"'],
    ['this transport after a line break', '\next::touch TRACE'],
    ['a transport over open files', 'fd::17'],
    ['a transport by its helper', 'file::/tmp'],
    ['a helper of another name', 'pwned::http://localhost/x'],
    ['a host that is an option of ssh', 'ssh://-oProxyCommand=touch${IFS}TRACE/x'],
    ['such a host with a user', 'ssh://git@-oProxyCommand=touch${IFS}TRACE/x'],
    ['such a host in the short form', '-oProxyCommand=touch${IFS}TRACE:x'],
    ['such a host with a user in the short form', 'git@-oProxyCommand=touch${IFS}TRACE:x'],
    ['such a host of the protocol of git', 'git://-oProxyCommand=x/y'],
    ['a host with a hyphen of http', 'http://-x.example.test/y'],
    ['a URL with a NUL', 'http://127.0.0.1:1/a\0b'],
    ['a path with a NUL', '/tmp/a\0b'],
    ['a URL with a line break', 'http://127.0.0.1:1/a\n--upload-pack=x'],
    ['a URL with an escape of a terminal', 'http://127.0.0.1:1/\x1b[2J'],
  ])('%s is refused, and no git is started', async (_what, source) => {
    const refusal = await refusalOf(source.replace('TRACE', trace));
    expect(refusal).toBeInstanceOf(HostRefused);
    expect(String(refusal)).toContain('is neither a URL nor a path of a git repository');
    expect(log.take()).toEqual([]);
    expect(existsSync(trace)).toBe(false);
    expect(world.git('for-each-ref')).toBe('');
  });

  // git is asked, and has nothing to run: each transport that is not allowed is refused before its program starts.
  it.each([
    ['a transport that is not allowed', 'ftp://127.0.0.1:1/x', "transport 'ftp' not allowed"],
    ['a helper that is not allowed', 'pwned://127.0.0.1/x', 'pwned'],
    ['a command in the path of a URL', 'http://127.0.0.1:1/$(touch TRACE)', 'could not be read'],
    ['a file of the machine', '/etc/passwd', 'could not be read'],
    ['a URL of a file', 'file:///etc/passwd', 'could not be read'],
    ['a path through folders above', '../../../../../../../../nowhere/at/all', 'does not exist'],
  ])('%s is refused, and runs nothing', async (_what, source, message) => {
    const refusal = await refusalOf(source.replace('TRACE', trace));
    expect(refusal).toBeInstanceOf(HostRefused);
    expect(String(refusal)).toContain(message);
    expect(existsSync(trace)).toBe(false);
    expect(world.git('for-each-ref')).toBe('');
  });

  it('a repository is imported, and its git is seen', async () => {
    const source = join(folder, 'source');
    expect(await world.host.importRepository(world.repository, source)).toMatchObject({ defaultBranch: 'trunk' });
    expect(log.take().flat()).toContain(source);
  });
});
