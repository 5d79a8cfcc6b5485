// Runbooks from the command line. All tests share one repository. The agent does what the lines of the prompts say.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runbookDrivingOf } from '../support/runbook-agent.ts';
import { openShop, type Shop } from './shop.ts';
import type { CommandRun } from './terminal.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ runbooks: runbookDrivingOf(null) });
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const json = ({ stdout }: CommandRun): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

/** Lets the agent work until `running` has ended. Work may begin at any time in between. */
async function workUntilEnded(running: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = (): void => void (hasEnded = true);
  running.then(end, end);
  while (!hasEnded) {
    await shop.s.drain();
    await delay(20);
  }
}

/** Runs a command, and lets the agent work from the command's first line of progress on. */
async function runWithAgent(...argv: readonly string[]): Promise<CommandRun> {
  const begun = Promise.withResolvers<void>();
  const running = shop.runWith({ onStderr: () => begun.resolve() }, ...argv);
  await Promise.race([begun.promise, running]);
  await workUntilEnded(running);
  return await running;
}

test('a runbook starts with a prompt from the standard input, and is listed, shown and canceled', async () => {
  const begun = await shop.runWith({ typed: 'Sell more tea' }, 'runbook', 'start', '-', '--title', 'Tea', '--json');
  expect(json(begun)).toMatchObject({ number: 1, title: 'Tea', status: 'generating_steps', pullRequests: [] });
  expect((await shop.run('runbook', 'list')).stdout).toBe('1  generating_steps  Tea\n');
  expect((await shop.run('runbook', 'show', '1')).stdout).toContain('Runbook 1 Tea: generating_steps, 0 of 0 steps\n');
  expect((await shop.run('runbook', 'cancel', '1')).code).toBe(2);
  expect((await shop.run('runbook', 'cancel', '1', '--yes')).code).toBe(0);
});

describe('runbook start --wait', () => {
  test('prints the log while the agent works, and ends when no work is left', async () => {
    const ran = await runWithAgent('runbook', 'start', 'write tea.txt green', '--pr-mode', 'manual', '--wait');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stderr).toMatch(/^Runbook 2: http\S+\n[\s\S]*Planned 1 step\.\n[\s\S]*I am to write tea\.txt green\.\n/);
    expect(ran.stdout).toMatch(/^Runbook 2 Plan 1: completed, 1 of 1 steps\n/);
  });

  test('ends with exit code 1 if a step fails, and says why', async () => {
    const ran = await runWithAgent('runbook', 'start', 'fail The kettle is broken.', '--wait', '--json');
    expect([ran.code, json(ran)]).toMatchObject([1, { number: 3, status: 'failed', steps: { failed: 1 } }]);
    expect(ran.stderr).toContain('The kettle is broken.');
    expect((await shop.run('runbook', 'show', '3')).stdout).toContain('The log says why: interlock runbook log 3\n');
  });

  test('is not explained by a log that is not there', async () => {
    await shop.s.ports.db.system.query(
      'delete from runbook_log where runbook_id = (select id from runbook where number = 3)',
    );
    const { stdout } = await shop.run('runbook', 'show', '3');
    expect(stdout).toContain('\nIt has no log, or its log was deleted because of its age.\n');
    expect(stdout).not.toContain('interlock runbook log');
    expect(await shop.run('runbook', 'log', '3')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Runbook 3 has no log yet, or its log was deleted because of its age.\n',
    });
  });
});

describe('runbook continue', () => {
  test('adds a prompt, and --wait waits until its steps are done too', async () => {
    const ran = await runWithAgent('runbook', 'continue', '2', 'write cup.txt white', '--wait', '--json');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(json(ran)).toMatchObject({ number: 2, status: 'completed', steps: { completed: 2, total: 2 } });
    expect(ran.stderr).toContain('{"text":');
  });

  test('without --wait ends at once, and reads the prompt from the standard input', async () => {
    const ran = await shop.runWith({ typed: 'say more' }, 'runbook', 'continue', '2', '-');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(
      /^The prompt is added, and its steps are planned next\.\nRunbook 2 .*: completed, 2 of 2 steps\n/,
    );
    const show = async (): Promise<string> => {
      await shop.s.drain();
      return (await shop.run('runbook', 'show', '2')).stdout;
    };
    await expect.poll(show, { timeout: 60_000 }).toContain('completed, 3 of 3 steps\n');
  });
});

describe('runbook log', () => {
  test('prints the whole log of a runbook that has ended', async () => {
    const { code, stdout } = await shop.run('runbook', 'log', '2');
    expect(code).toBe(0);
    for (const said of ['write tea.txt green', 'write cup.txt white', 'say more'])
      expect(stdout).toContain(`I am to ${said}.\n`);
  });

  test('with --json prints each piece of the log as a document on a line', async () => {
    const { code, stdout } = await shop.run('runbook', 'log', '2', '--json');
    const pieces = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly text: string }).text);
    expect([code, pieces.join('')]).toEqual([0, (await shop.run('runbook', 'log', '2')).stdout]);
  });

  test('ends when the work of a runbook ends that is still at work', async () => {
    expect((await shop.run('runbook', 'start', 'say cheese')).code).toBe(0);
    const running = shop.run('runbook', 'log', '4');
    await workUntilEnded(running);
    const ran = await running;
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('I am to say cheese.\n')]);
  });
});

test.each([
  ['if the runbook to show does not exist', 1, ['show', '9'], 'There is no runbook 9.'],
  ['if the runbook to continue does not exist', 1, ['continue', '9', 'more'], 'Runbook not found'],
  ['if the runbook of the log does not exist', 1, ['log', '9'], 'There is no runbook 9.'],
  ['if the argument is not a number', 2, ['log', 'tea'], 'A runbook is named by its number, not tea.'],
  ['if the mode is unknown', 2, ['start', 'Tea', '--pr-mode', 'many'], '--pr-mode must be one of manual, single_pr'],
])('a command for runbooks is refused %s', async (_, code, argv, message) => {
  expect(await shop.run('runbook', ...argv)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});
