import { expect, test, vi } from 'vitest';
import { runProgram } from './processes.ts';

const pollOptions = { timeout: 60_000 };

test('a Ctrl-C that npm passes on a second time drains the program once', async () => {
  const { child, lines, exited } = await runProgram('drain', []);
  child.kill('SIGINT');
  await vi.waitUntil(() => lines.length === 2, pollOptions);
  child.kill('SIGINT');
  child.kill('SIGUSR2');
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(lines.slice(1)).toEqual(['{"draining":"SIGINT"}']);
});

test('a second Ctrl-C of an impatient user ends the program at once', async () => {
  const { child, lines, exited } = await runProgram('drain', []);
  child.kill('SIGINT');
  await vi.waitUntil(() => lines.length === 2, pollOptions);
  const pressing = setInterval(() => child.kill('SIGINT'), 100);
  expect(await exited).toEqual({ code: 130, signal: null });
  clearInterval(pressing);
});

test('SIGTERM drains the program', async () => {
  const { child, lines, exited } = await runProgram('drain', []);
  child.kill('SIGTERM');
  await vi.waitUntil(() => lines.length === 2, pollOptions);
  child.kill('SIGUSR2');
  expect(await exited).toEqual({ code: 0, signal: null });
});

test('a program whose npm has ended drains', async () => {
  const { child, lines, exited } = await runProgram('drain', [], { INTERLOCK_PARENT: '1' });
  await vi.waitUntil(() => lines.length === 2, pollOptions);
  child.kill('SIGUSR2');
  await exited;
  expect(lines[1]).toBe('{"draining":"npm has ended"}');
});
