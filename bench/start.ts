// Measures how long `npm start` takes until Interlock is ready, in a fresh clone and then again in the same folder.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readAccess } from '../src/launcher/access.ts';
import { projectRoot } from '../src/platform/project-root.ts';
import { figure, percentile, type Figure } from './figures.ts';

const warmStarts = 3;
const longestMs = 10 * 60_000;

export async function measureStarts(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-clone-'));
  const clone = join(folder, 'clone');
  try {
    await promisify(execFile)('git', ['clone', '--quiet', projectRoot, clone]);
    const fresh = await start(clone);
    const warm: number[] = [];
    for (let n = 0; n < warmStarts; n += 1) warm.push(await start(clone));
    return [
      figure({
        what: '`npm start` in a fresh clone, packages from the cache of npm if it has them',
        today: fresh,
        unit: 's',
        atMost: 60,
      }),
      figure({ what: '`npm start` again in the same clone, p50', today: percentile(warm, 50), unit: 's', atMost: 3 }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns how many seconds pass until Interlock is ready. */
async function start(clone: string): Promise<number> {
  const data = join(clone, '.interlock');
  const began = performance.now();
  const child = spawn('npm', ['start', '--', '--no-demo', '--port', '0'], {
    cwd: clone,
    env: environmentOfUser(),
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  try {
    while ((await readAccess(data)) === null) {
      if (child.exitCode !== null || performance.now() - began > longestMs)
        throw new Error('`npm start` did not become ready.');
      await delay(20);
    }
    return (performance.now() - began) / 1_000;
  } finally {
    child.kill('SIGINT');
    await exited;
  }
}

/** The environment without the variables that npm has set for the bench. */
function environmentOfUser(): NodeJS.ProcessEnv {
  const added = /^npm_(?:lifecycle|package|command|execpath|node_execpath)|^(?:INTERLOCK_PARENT|INIT_CWD|NODE)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)));
}
