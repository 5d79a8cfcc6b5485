// Programs that the spawner starts behave as if node:child_process had started them.
import { execFileSync, spawn as spawnHere } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import type { Order, SpawnRequest } from '../../src/platform/spawning/messages.ts';
import { spawn, type SpawnedProcess } from '../../src/platform/spawning/index.ts';
import { isAlive } from '../../src/platform/process.ts';

async function endOf(child: SpawnedProcess): Promise<{ code: unknown; signal: unknown; out: string; err: string }> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const [code, signal] = await once(child, 'close');
  return { code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

const sh = (script: string, options: Parameters<typeof spawn>[2] = {}): SpawnedProcess =>
  spawn('/bin/sh', ['-c', script], options);

/** A message to the spawner begins with its length. */
function lengthOf(message: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return length;
}

/** The id of the process that spawns programs: the spawner of this test. */
async function spawnerPid(): Promise<number> {
  return Number((await endOf(sh('echo $PPID'))).out);
}

describe('a program that the spawner starts', () => {
  it('has its input, its outputs, its folder, its environment and its exit code', async () => {
    const child = sh('cat; echo "$WORD" >&2; pwd; exit 7', { cwd: '/', env: { PATH: '/usr/bin:/bin', WORD: 'tea' } });
    child.stdin?.end('in\n');
    expect(await endOf(child)).toEqual({ code: 7, signal: null, out: 'in\n/\n', err: 'tea\n' });
    expect([child.exitCode, child.signalCode]).toEqual([7, null]);
  });

  it('has more descriptors if they are requested', async () => {
    const child = sh('echo three >&3', { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    const three: Buffer[] = [];
    child.stdio[3]?.on('data', (chunk: Buffer) => three.push(chunk));
    expect(await endOf(child)).toMatchObject({ code: 0 });
    expect(Buffer.concat(three).toString()).toBe('three\n');
  });

  it('reports that it cannot be started, with the error code of the system', async () => {
    const [error] = (await once(spawn('/no/such/program', []), 'error')) as [NodeJS.ErrnoException];
    expect([error.code, error.message]).toEqual(['ENOENT', expect.stringContaining('/no/such/program')]);
    const [folder] = (await once(sh('true', { cwd: '/no/such/folder' }), 'error')) as [NodeJS.ErrnoException];
    expect(folder.code).toBe('ENOENT');
  });

  // A NUL in an argument once ended the process that starts programs, and with it every program that ran.
  it('reports that it cannot be started if an argument has a NUL, and other programs run on', async () => {
    const other = sh('read line; echo "$line"');
    const ended = endOf(other);
    const [error] = (await once(spawn('echo', ['a\0b']), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
    other.stdin?.end('still here\n');
    expect(await ended).toMatchObject({ code: 0, out: 'still here\n' });
  });

  it('is killed, alone or with all processes that it has started', async () => {
    const alone = sh('exec sleep 60');
    alone.kill('SIGKILL');
    expect(await endOf(alone)).toMatchObject({ code: null, signal: 'SIGKILL' });
    const group = sh('sleep 60 & echo $!; wait', { detached: true });
    const [chunk] = (await once(group.stdout ?? group, 'data')) as [Buffer];
    group.killGroup('SIGKILL');
    expect(await endOf(group)).toMatchObject({ signal: 'SIGKILL' });
    await expect.poll(() => isAlive(Number(chunk.toString()))).toBe(false);
  });

  it('transfers many megabytes both ways, as fast as the reader reads', async () => {
    const size = 40 * 1024 * 1024;
    const child = spawn('cat', []);
    child.stdin?.end(Buffer.alloc(size, 'x'));
    let read = 0;
    for await (const chunk of child.stdout ?? []) {
      if (read === 0) await delay(200);
      read += (chunk as Buffer).length;
    }
    expect(read).toBe(size);
  });

  it('is not read ahead: its output waits for a reader', async () => {
    const child = sh('yes | head -c 20000000; echo done >&2');
    let isDone = false;
    child.stderr?.on('data', () => void (isDone = true));
    child.stdout?.on('readable', () => {});
    await delay(300);
    expect(isDone).toBe(false);
    let bytes = 0;
    child.stdout?.removeAllListeners('readable').on('data', (chunk: Buffer) => void (bytes += chunk.length));
    await once(child, 'close');
    expect([bytes, isDone]).toEqual([20_000_000, true]);
  });

  it('may ignore its input', async () => {
    const deaf = sh('exec 0<&-; exit 3');
    deaf.stdin?.on('error', () => {});
    deaf.stdin?.end(Buffer.alloc(10_000_000));
    expect((await once(deaf, 'close'))[0]).toBe(3);
  });
});

describe('a program whose pipes are passed on', () => {
  const passed = (script: string): SpawnedProcess => sh(script, { passesPipes: true });

  it('has its input, its outputs and its exit code', async () => {
    const child = passed('cat; echo bye; echo tea >&2; exit 7');
    child.stdin?.write('at once\n');
    await once(child.stdout ?? child, 'readable');
    child.stdin?.end('later\n');
    expect(await endOf(child)).toEqual({ code: 7, signal: null, out: 'at once\nlater\nbye\n', err: 'tea\n' });
  });

  it('transfers many megabytes both ways, and is not read ahead', async () => {
    const size = 20_000_000;
    const child = passed('cat; echo done >&2');
    let isDone = false;
    child.stderr?.on('data', () => void (isDone = true));
    child.stdout?.on('readable', () => {});
    child.stdin?.end(Buffer.alloc(size, 'x'));
    await delay(300);
    expect(isDone).toBe(false);
    let bytes = 0;
    child.stdout?.removeAllListeners('readable').on('data', (chunk: Buffer) => void (bytes += chunk.length));
    await once(child, 'close');
    expect([bytes, isDone]).toEqual([size, true]);
  });

  it('reports that it cannot be started, and refuses input', async () => {
    const child = spawn('/no/such/program', [], { passesPipes: true });
    const refused = once(child.stdin ?? child, 'error');
    child.stdin?.write('in');
    expect(await once(child, 'error')).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
    expect(await refused).toEqual([expect.objectContaining({ message: 'the program has ended' })]);
  });

  it('is reported as killed after the spawner was killed, and ends because its input ends', async () => {
    const child = passed('read line; echo $PPID; exec cat');
    child.stdin?.write('go on\n');
    const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    const ended = endOf(child);
    process.kill(Number.parseInt(chunk.toString(), 10), 'SIGKILL');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' });
    await expect.poll(() => isAlive(child.pid ?? 0)).toBe(false);
  });

  it('does not keep a process from exiting that has let it go', () => {
    const spawning = new URL('../../src/platform/spawning/index.ts', import.meta.url).href;
    const script = `
      const { spawn } = await import(${JSON.stringify(spawning)});
      const child = spawn('/bin/sh', ['-c', 'read line; echo $$; exec cat'], { passesPipes: true });
      child.stdin.write('go on\\n');
      child.stdout.once('data', (chunk) => { console.log(String(chunk)); child.unref(); });`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(Number(output)).toBeGreaterThan(0);
    return expect.poll(() => isAlive(Number(output))).toBe(false);
  });
});

describe('the spawner', () => {
  it('is one process for all programs, and is started again after it was killed, with its programs reported as killed', async () => {
    const first = await spawnerPid();
    expect(await spawnerPid()).toBe(first);
    const running = sh('exec sleep 60');
    await expect.poll(() => running.pid).toBeDefined();
    const ended = endOf(running);
    process.kill(first, 'SIGKILL');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await spawnerPid()).not.toBe(first);
    process.kill(running.pid ?? 0, 'SIGKILL');
  });

  it('ignores a Ctrl-C', async () => {
    const pid = await spawnerPid();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    expect(await spawnerPid()).toBe(pid);
  });

  it('ends with the process that started it, also if that process is killed before it takes a pipe', async () => {
    const script = fileURLToPath(new URL('../../src/platform/spawning/spawner.ts', import.meta.url));
    const spawner = spawnHere(process.execPath, [script], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'advanced' },
    });
    const ended = once(spawner, 'exit');
    const messages = spawner.stdio[3] as Socket;
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    const request: SpawnRequest = { file: '/bin/cat', args: [], env: {}, stdio, passesPipes: true };
    const order = serialize({ kind: 'start', child: 1, request } satisfies Order);
    messages.write(Buffer.concat([lengthOf(order), order]));
    await once(messages, 'data');
    messages.destroy();
    expect(await ended).toEqual([0, null]);
  });

  it('ends with the process that started it, and does not keep that process from exiting', () => {
    const spawning = new URL('../../src/platform/spawning/index.ts', import.meta.url).href;
    const script = `
      const { spawn } = await import(${JSON.stringify(spawning)});
      const child = spawn('/bin/sh', ['-c', 'echo $PPID; exec sleep 60']);
      child.stdout.once('data', (chunk) => { console.log(String(chunk)); child.unref(); });`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const pid = Number(output);
    expect(pid).toBeGreaterThan(0);
    return expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe('the descriptors with which a process was started', () => {
  it('are closed, and descriptors that the process opened itself stay open', () => {
    const inherited = new URL('../../src/platform/spawning/inherited.ts', import.meta.url).href;
    const script = `
      import { openSync, readSync } from 'node:fs';
      import { execFileSync, spawn as spawnHere } from 'node:child_process';
      const { closeInheritedDescriptors } = await import(${JSON.stringify(inherited)});
      const own = openSync('/dev/zero', 'r');
      const seen = () => execFileSync('ls', ['/proc/self/fd']).toString().split('\\n').includes('40');
      const before = seen();
      closeInheritedDescriptors();
      console.log(before, seen(), readSync(own, Buffer.alloc(4)));`;
    const starting = [
      '-c',
      'exec 40</dev/null; exec "$@"',
      'bash',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ];
    expect(execFileSync('bash', starting).toString()).toBe('true false 4\n');
  });
});
