import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { waitForEnd, project } from './project.ts';

const stopSignals = fileURLToPath(new URL('../../src/launcher/stop-signals.ts', import.meta.url));
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

const program = `
import { stopOnSignals } from '${stopSignals}';
stopOnSignals({ stop: async (reason) => console.log('drained:', reason) });
setInterval(() => undefined, 1000);
console.log('up');`;

async function npmStart() {
  const clone = await project();
  await clone.write('package.json', JSON.stringify({ type: 'module', scripts: { start: scripts['start'] } }));
  await clone.write('src/main.ts', program);
  // Starts npm in a process group of its own, as a terminal does.
  const npm = spawn('npm', ['start'], {
    cwd: clone.folder,
    env: { ...process.env, PROJECT: clone.folder },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = npm;
  if (pid === undefined) throw new Error('npm did not start.');
  onTestFinished(() => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-pid, 'SIGKILL');
  });
  const end = waitForEnd(npm);
  let stdout = '';
  npm.stdout.on('data', (chunk) => (stdout += chunk));
  while (!stdout.includes('up\n')) await once(npm.stdout, 'data');
  return { npm, pid, end };
}

test('Ctrl-C at npm start drains the program once', async () => {
  const { pid, end } = await npmStart();
  process.kill(-pid, 'SIGINT');
  expect((await end).stdout.match(/drained: .*/g)).toEqual(['drained: SIGINT']);
});

test('SIGTERM to npm reaches the program', async () => {
  const { npm, end } = await npmStart();
  npm.kill('SIGTERM');
  expect((await end).stdout).toContain('drained: SIGTERM');
});

test('kill -9 of npm leaves no program behind', async () => {
  const { npm, end } = await npmStart();
  npm.kill('SIGKILL');
  // The pipe closes when the last process that has it open ends.
  expect((await end).stdout).toContain('drained: npm has ended');
});
