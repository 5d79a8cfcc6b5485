// Starts a server that must not outlive this process. The server's parent is a small shell, the guard, which reads a
// pipe from this process. When the pipe closes, on request or because this process was killed, the guard sends the
// server its stop signal. The guard has a process group of its own, so that Ctrl-C in the terminal reaches only this
// process, and the server runs until this process has drained.
import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './start-error.ts';

// `wait` is repeated, because a trapped signal interrupts it. The server does not inherit the pipe, because it would
// keep the pipe open.
const guard = `
umask 077
trap : HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
[ -z "$PID_FILE" ] || echo $server >"$PID_FILE"
( trap - HUP INT TERM
  while read -r _ <&3; do :; done
  kill -"$STOP_SIGNAL" $server 2>/dev/null ) &
reader=$!
exec 3<&-
wait $server; status=$?
while kill -0 $server 2>/dev/null; do wait $server; status=$?; done
kill $reader 2>/dev/null
exit $status
`;

type StopSignal = 'INT' | 'TERM' | 'KILL';

export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Standard output and standard error are appended to this file. */
  readonly logFile: string;
  readonly stopSignal: StopSignal;
  /** The file for the server's process id, for servers that do not write one themselves. */
  readonly pidFile?: string;
  /** The user that the server runs as. Only root can set another user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface GuardedProcess {
  /** Settles when the server has ended, with its exit status. */
  readonly exited: Promise<number>;
  /** Stops the server and waits for its end. After `withinSec` the server is killed. May be called again. */
  stop(withinSec?: number): Promise<void>;
}

export async function spawnGuarded(command: GuardedCommand): Promise<GuardedProcess> {
  const log = await open(command.logFile, 'a', 0o600);
  try {
    const shell = spawn('/bin/sh', ['-c', guard, 'interlock-guard', command.command, ...command.args], {
      cwd: '/',
      env: { ...command.env, STOP_SIGNAL: command.stopSignal, PID_FILE: command.pidFile ?? '' },
      stdio: ['pipe', log.fd, log.fd],
      detached: true,
      ...(command.user && { uid: command.user.uid, gid: command.user.gid }),
    });
    return superviseShell(shell, command.stopSignal);
  } finally {
    await log.close();
  }
}

function superviseShell(shell: ChildProcess, stopSignal: StopSignal): GuardedProcess {
  const exited = new Promise<number>((resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', (code, killedBy) => {
      // If the guard was killed, its server still runs in the process group.
      if (killedBy !== null && shell.pid !== undefined) signalGroup(shell.pid, `SIG${stopSignal}`);
      resolve(code ?? 1);
    });
  });
  exited.catch(() => undefined);
  // If the guard has died, writing to the pipe fails. `exited` reports this end already.
  shell.stdin?.on('error', () => undefined);
  return {
    exited,
    async stop(withinSec = 30) {
      shell.stdin?.end();
      const timeout = new AbortController();
      const late = delay(withinSec * 1000, 'late' as const, { signal: timeout.signal }).catch(() => 'gone' as const);
      const outcome = await Promise.race([exited.then(() => 'gone' as const), late]);
      timeout.abort();
      if (outcome === 'gone' || shell.pid === undefined) return;
      signalGroup(shell.pid, 'SIGKILL');
      await exited;
    },
  };
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export interface Readiness {
  readonly server: GuardedProcess;
  readonly isReady: () => Promise<boolean>;
  readonly withinSec: number;
  /** Returns the message to the user if the server did not start. */
  readonly describeFailure: (reason: string) => Promise<string>;
}

/** Polls until the server is ready. If the server exits or is too slow, it is stopped, and StartError is thrown. */
export async function waitUntilReady({ server, isReady, withinSec, describeFailure }: Readiness): Promise<void> {
  const deadline = performance.now() + withinSec * 1000;
  let exitStatus: number | undefined;
  server.exited.then(
    (status) => (exitStatus = status),
    () => (exitStatus = -1),
  );
  for (;;) {
    if (exitStatus !== undefined) throw new StartError(await describeFailure(`it exited with status ${exitStatus}`));
    if (await isReady()) return;
    if (performance.now() > deadline) {
      await server.stop(5);
      throw new StartError(await describeFailure(`it was not ready after ${withinSec} s`));
    }
    await delay(20);
  }
}
