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
  return new AskedGit(child, options);
}

class AskedGit implements GitProcess {
  readonly #child: SpawnedProcess;
  readonly #options: GitProcessOptions;
  readonly #waiting: Waiting[] = [];
  readonly #received = { chunks: [] as Buffer[], size: 0 };
  readonly #ended: Promise<void>;
  #failure: Error | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(child: SpawnedProcess, options: GitProcessOptions) {
    this.#child = child;
    this.#options = options;
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stdin?.on('error', () => {});
    const complaints: Buffer[] = [];
    child.stderr?.on('data', (chunk: Buffer) => void (complaints.length < 64 && complaints.push(chunk)));
    this.#ended = new Promise<void>((resolve) => {
      const over = (error: Error): void => {
        this.#close();
        for (const question of this.#waiting.splice(0)) question.fail(this.#failure ?? error);
        resolve();
      };
      child.on('error', (error) => over(new HostUnavailable(describeUnavailable(error))));
      child.on('close', (code) =>
        over(new GitFailed(options.command, code, Buffer.concat(complaints).toString('utf8'))),
      );
    });
  }

  async ask<Answer>({ text, read }: Question<Answer>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    clearTimeout(this.#idle);
    const { command, answerWithinMs } = this.#options;
    const late = setTimeout(
      () => this.#fail(new HostUnavailable(`git ${command} took longer than ${answerWithinMs / 1000} s`)),
      answerWithinMs,
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
    this.#waiting.push(question);
    this.#child.ref();
    this.#child.stdin?.write(text);
    return await promise;
  }

  async end(): Promise<void> {
    this.#close();
    this.#child.ref();
    await this.#ended;
  }

  #receive(chunk: Buffer): void {
    this.#received.chunks.push(chunk);
    this.#received.size += chunk.length;
    try {
      this.#deliver();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #deliver(): void {
    const received = this.#received;
    const waiting = this.#waiting;
    while (waiting[0] !== undefined && received.size >= waiting[0].bytesNeeded) {
      const output = Buffer.concat(received.chunks);
      const taken = waiting[0].take(output);
      received.chunks = [taken === null ? output : output.subarray(taken)];
      if (taken === null) continue;
      received.size -= taken;
      waiting.shift();
      if (waiting.length === 0) this.#rest();
    }
  }

  #rest(): void {
    this.#child.unref();
    this.#idle = setTimeout(() => this.#close(), this.#options.idleMs).unref();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#close();
    this.#child.kill('SIGKILL');
  }

  #close(): void {
    clearTimeout(this.#idle);
    this.#options.onEnd();
    this.#child.stdin?.end();
  }
}
