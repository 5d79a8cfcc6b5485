// The help of every command of `interlock`, found as users find it: by the commands that a help text lists.
// test/e2e/help.full.test.ts has the help of the programs that are processes of their own.
import { describe, expect, test } from 'vitest';
import { isSeparateProgram } from '../../cli/commands/programs.ts';
import { commandsIn, exampleIn } from './help-text.ts';
import { runIn, type CommandRun } from './terminal.ts';

const terminal = { env: {}, cwd: '/' };
const help = async (...path: readonly string[]): Promise<CommandRun> => await runIn(terminal, ...path, '--help');

interface Page {
  readonly path: readonly string[];
  readonly below: readonly string[];
  readonly ran: CommandRun;
}

/** The help of a command and of all commands below it. Programs of their own are left out. */
async function walk(...path: readonly string[]): Promise<readonly Page[]> {
  const ran = await help(...path);
  const below = commandsIn(ran.stdout).filter((name) => name !== 'help');
  const pages: Page[] = [{ path, below, ran }];
  for (const name of below) if (path.length > 0 || !isSeparateProgram(name)) pages.push(...(await walk(...path, name)));
  return pages;
}

const pages = await walk();

test('the help leads to all commands', () => {
  const paths = pages.map(({ path }) => path.join(' '));
  expect(paths).toEqual(
    expect.arrayContaining(['status', 'queue', 'runbook continue', 'webhooks listen', 'completion']),
  );
  expect(paths.length).toBeGreaterThan(30);
});

describe('interlock', () => {
  test.each(pages.map(({ path, ...page }) => ({ call: ['interlock', ...path].join(' '), path, ...page })))(
    '$call --help says how the command is called and what it does',
    ({ call, path, below, ran }) => {
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      const [usage = '', empty, description = ''] = ran.stdout.split('\n');
      expect([usage.startsWith(`Usage: ${call} `), empty]).toEqual([true, '']);
      expect(description).toMatch(/^[A-Z].{10,}/);
      if (below.length === 0) expect(exampleIn(ran.stdout)).toMatch(new RegExp(`\\binterlock ${path.join(' ')}\\b`));
    },
  );

  test('help <command> prints the help of the command', async () => {
    expect(await runIn(terminal, 'help', 'queue')).toEqual(await help('queue'));
    expect(await runIn(terminal, 'runbook', 'help', 'start')).toEqual(await help('runbook', 'start'));
  });

  test('help <program> asks the program', async () => {
    const ran = await runIn(terminal, 'help', 'backup');
    expect(ran).toMatchObject({ code: 0, stdout: '', started: [{ name: 'backup', args: ['--help'] }] });
  });
});
