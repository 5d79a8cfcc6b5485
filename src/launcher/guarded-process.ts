// A server that must not outlive us. Its parent is a small shell that reads a pipe whose other end is ours: when the
// pipe closes, because we asked or because we were killed with -9, the shell sends the server its stop signal.
// The shell leads a process group of its own, so that a Ctrl-C in the terminal reaches only us and the server stays
// until we have drained.
import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './start-error.ts';

// `wait` is repeated because a trapped signal ends it early. The reader closes nothing but its own copy of the pipe,
// and the server gets none, or it would keep the pipe open itself.
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
  /** Both outputs of the process are appended to this file. */
  readonly logFile: string;
  readonly stopSignal: StopSignal;
  /** Where the server's process id is written, for servers that write none themselves. */
  readonly pidFile?: string;
  /** Runs as another user; only root may ask for it. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface GuardedProcess {
  /** Settles when the server is gone, with its exit status. */
  readonly exited: Promise<number>;
  /** Asks the server to stop and waits for it; after `withinSec` it is killed. May be called again. */
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
      // A guard that was itself killed leaves its server in the process group.
      if (killedBy !== null && shell.pid !== undefined) signalGroup(shell.pid, `SIG${stopSignal}`);
      resolve(code ?? 1);
    });
  });
  exited.catch(() => undefined);
  // A guard that died first breaks the pipe; `exited` reports that already.
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
  /** The message to the user when it never came up. */
  readonly describeFailure: (reason: string) => Promise<string>;
}

/** Asks until the server is ready. A server that exits or is too slow is stopped and reported as a StartError. */
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
