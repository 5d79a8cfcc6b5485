// A long-running git process that answers requests in order. While it has no request, its handles are unreferenced, so
// that Node can exit. It ends when its input ends, also if Interlock is killed.
import type { SpawnedProcess } from '../../platform/spawning/index.ts';
import { HostUnavailable } from '../port.ts';
import { GitFailed, describeUnavailable } from './git-failed.ts';

export interface Question<Answer> {
  /** Written to git as it is. */
  readonly text: string;
  /**
   * Parses the answer at the start of the output, or returns how many bytes of output are needed to parse more. May
   * throw.
   */
  readonly read: (
    output: Buffer,
  ) => { readonly answer: Answer; readonly end: number } | { readonly bytesNeeded: number };
}

export interface GitProcess {
  /**
   * Throws GitFailed if git ends without an answer. Throws HostUnavailable if git could not be started or is too slow.
   */
  ask<Answer>(question: Question<Answer>): Promise<Answer>;
  /** Ends the input of git. git still answers the earlier requests. Resolves when git has exited. */
  end(): Promise<void>;
}

export interface GitProcessOptions {
  readonly command: string;
  readonly idleMs: number;
  readonly answerWithinMs: number;
  /** Called when the process accepts no more requests. */
  readonly onEnd: () => void;
}

interface Waiting {
  /** Returns how many bytes the answer took from the output. Null: the answer is not complete yet. */
  readonly take: (output: Buffer) => number | null;
  readonly fail: (error: Error) => void;
  bytesNeeded: number;
}

export function startGitProcess(child: SpawnedProcess, options: GitProcessOptions): GitProcess {
  const waiting: Waiting[] = [];
  const received = { chunks: [] as Buffer[], size: 0 };
  const complaints: Buffer[] = [];
  let failure: Error | null = null;
  let idle: NodeJS.Timeout | undefined;

  const keepAlive = (isWaitedFor: boolean): void => {
    child[isWaitedFor ? 'ref' : 'unref']();
  };
  const close = (): void => {
    clearTimeout(idle);
    options.onEnd();
    child.stdin?.end();
  };
  const rest = (): void => {
    if (waiting.length > 0) return;
    keepAlive(false);
    idle = setTimeout(close, options.idleMs).unref();
  };
  const fail = (error: Error): void => {
    failure ??= error;
    close();
    child.kill('SIGKILL');
  };
  const deliver = (): void => {
    while (waiting[0] !== undefined && received.size >= waiting[0].bytesNeeded) {
      const output = Buffer.concat(received.chunks);
      const taken = waiting[0].take(output);
      received.chunks = [taken === null ? output : output.subarray(taken)];
      if (taken === null) continue;
      received.size -= taken;
      waiting.shift();
      rest();
    }
  };

  child.stdout?.on('data', (chunk: Buffer) => {
    received.chunks.push(chunk);
    received.size += chunk.length;
    try {
      deliver();
    } catch (error) {
      fail(error as Error);
    }
  });
  child.stderr?.on('data', (chunk: Buffer) => void (complaints.length < 64 && complaints.push(chunk)));
  child.stdin?.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    const over = (error: Error): void => {
      close();
      for (const question of waiting.splice(0)) question.fail(failure ?? error);
      resolve();
    };
    child.on('error', (error) => over(new HostUnavailable(describeUnavailable(error))));
    child.on('close', (code) => over(new GitFailed(options.command, code, Buffer.concat(complaints).toString('utf8'))));
  });

  return {
    ask: async ({ text, read }) =>
      await new Promise((resolve, reject) => {
        clearTimeout(idle);
        const seconds = options.answerWithinMs / 1000;
        const late = setTimeout(
          () => fail(new HostUnavailable(`git ${options.command} took longer than ${seconds} s`)),
          options.answerWithinMs,
        );
        const question: Waiting = {
          bytesNeeded: 1,
          take: (output) => {
            const found = read(output);
            if ('bytesNeeded' in found) {
              question.bytesNeeded = found.bytesNeeded;
              return null;
            }
            clearTimeout(late);
            resolve(found.answer);
            return found.end;
          },
          fail: (error) => {
            clearTimeout(late);
            reject(error);
          },
        };
        waiting.push(question);
        keepAlive(true);
        child.stdin?.write(text);
      }),
    end: async () => {
      close();
      keepAlive(true);
      await ended;
    },
  };
}
