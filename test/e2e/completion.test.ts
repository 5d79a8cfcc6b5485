// The scripts that complete commands and options in a shell. The shells that this machine has load their script.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram } from '../../src/platform/sandbox/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { commandsIn } from '../cli/help-text.ts';

const run = promisify(execFile);
const bin = join(projectRoot, 'cli', 'bin.cjs');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'completion-'));
  const program = join(folder, 'interlock');
  await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`);
  await chmod(program, 0o755);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function interlock(...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [bin, ...args])).stdout;
}

/** What `interlock complete` offers after these words. The last line is for the shell. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const lines = (await interlock('complete', '--', ...words)).trim().split('\n');
  return lines.slice(0, -1).map((line) => line.split('\t')[0] ?? '');
}

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish' | 'powershell';
  readonly program: string;
  readonly args: readonly string[];
  /** A text that loads the script in the file, and prints what the shell knows of `interlock` afterwards. */
  readonly load: (file: string) => string;
  readonly printed: RegExp;
}

const shells: readonly Shell[] = [
  {
    name: 'bash',
    program: 'bash',
    args: ['--norc', '-c'],
    // Outside of a completion, `compopt` would refuse its options.
    load: (file) =>
      `source ${file}; compopt() { :; }; COMP_WORDS=(interlock runbook con); COMP_CWORD=2; COMP_LINE='interlock runbook con'; COMP_POINT=21; __interlock_complete; echo "\${COMPREPLY[@]}"`,
    printed: /^continue$/m,
  },
  {
    name: 'zsh',
    program: 'zsh',
    args: ['-f', '-c'],
    load: (file) => `autoload -Uz compinit && compinit -D && source ${file} && print $_comps[interlock]`,
    printed: /^_interlock$/m,
  },
  {
    name: 'fish',
    program: 'fish',
    args: ['--no-config', '-c'],
    load: (file) => `source ${file}; complete -C 'interlock runbook con'`,
    printed: /^continue\t/m,
  },
  {
    name: 'powershell',
    program: 'pwsh',
    args: ['-NoProfile', '-NonInteractive', '-Command'],
    load: (file) => `. ${file}; (TabExpansion2 'interlock runbook con' 21).CompletionMatches.CompletionText`,
    printed: /^continue$/m,
  },
];

test('every command and every option of a command is completed', async () => {
  const listed = commandsIn(await interlock('--help'));
  expect(listed.length).toBeGreaterThan(20);
  expect((await offered('')).toSorted()).toEqual(listed.toSorted());
  const runbook = commandsIn(await interlock('runbook', '--help'));
  expect((await offered('runbook', '')).toSorted()).toEqual(runbook.toSorted());
  expect(await offered('status', '--w')).toEqual(['--watch']);
});

test.each(shells)('the script for $name asks interlock, and $program loads it if it is installed', async (shell) => {
  const script = await interlock('completion', shell.name);
  expect(script).toMatch(/interlock complete '?--/);
  if (findProgram(shell.program) === null) return console.log(`${shell.program} is not installed: nothing was loaded.`);
  const file = join(folder, `script.${shell.name === 'powershell' ? 'ps1' : shell.name}`);
  await writeFile(file, script);
  const env = { ...process.env, HOME: folder, PATH: `${folder}${delimiter}${process.env['PATH']}` };
  const { stdout } = await run(shell.program, [...shell.args, shell.load(file)], { env, cwd: folder });
  expect(stdout).toMatch(shell.printed);
});
