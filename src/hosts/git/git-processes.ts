// Long-running git processes: at most one of each kind for a repository. The least recently used ones end first.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SpawnedProcess } from '../../platform/spawning/index.ts';
import { type GitProcess, type Question, startGitProcess } from './git-process.ts';

const commands = {
  'cat-file': ['cat-file', '--batch-command', '--buffer'],
  'update-ref': ['update-ref', '--stdin', '-z'],
} as const;

export type GitProcessKind = keyof typeof commands;

export interface GitProcesses {
  /**
   * Sends a request to the process of this kind and repository. Throws GitFailed if git ended without an answer. git
   * may then have carried out the request.
   */
  ask<Answer>(directory: string, kind: GitProcessKind, question: Question<Answer>): Promise<Answer>;
  /** Ends all processes. A later request starts a new process. */
  stop(): Promise<void>;
}

export interface GitProcessLimits {
  readonly maxProcesses: number;
  readonly idleMs: number;
  readonly answerWithinMs: number;
}

// Two for each of 64 repositories in which something happens at the same time. Each takes less than 1 MB of its own.
export const defaultLimits: GitProcessLimits = { maxProcesses: 128, idleMs: 10_000, answerWithinMs: 120_000 };

interface Running {
  readonly repository: string;
  readonly gitProcess: GitProcess;
}

export function createGitProcesses(
  spawn: (directory: string, args: readonly string[]) => SpawnedProcess,
  limits: GitProcessLimits,
): GitProcesses {
  // In the order of their last requests: the least recently used process is first.
  const running = new Map<string, Running>();

  const start = (directory: string, kind: GitProcessKind, key: string): GitProcess => {
    const gitProcess = startGitProcess(spawn(directory, commands[kind]), {
      command: kind,
      idleMs: limits.idleMs,
      answerWithinMs: limits.answerWithinMs,
      onEnd: () => void (running.get(key)?.gitProcess === gitProcess && running.delete(key)),
    });
    return gitProcess;
  };

  return {
    ask: async (directory, kind, question) => {
      const repository = identify(directory);
      const key = `${kind} ${directory}`;
      let found = running.get(key);
      if (found?.repository !== repository) {
        void found?.gitProcess.end();
        found = { repository, gitProcess: start(directory, kind, key) };
      }
      running.delete(key);
      running.set(key, found);
      const [oldest] = running.values();
      if (running.size > limits.maxProcesses) void oldest?.gitProcess.end();
      return await found.gitProcess.ask(question);
    },
    stop: async () => void (await Promise.all([...running.values()].map(async ({ gitProcess }) => gitProcess.end()))),
  };
}

// If the folder of a repository is replaced by another one, a long-running git still reads the old folder. It also
// reads removed packs that it has open. So a process is used only while the identity of its folders stays the same.
// The two calls take 5 µs, and 40 µs of CPU as promises. Each request to git makes them.
function identify(directory: string): string {
  const stamps = ['config', 'objects/pack'].map((path) => {
    try {
      const { dev, ino, mtimeNs } = statSync(join(directory, path), { bigint: true });
      return `${dev} ${ino} ${mtimeNs}`;
    } catch {
      return '';
    }
  });
  return stamps.join('; ');
}
