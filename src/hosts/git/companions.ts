// The gits that stay: at most one of each kind for a repository, the least recently asked ones end first.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpawnedProcess } from '../../platform/spawning/index.ts';
import { type Companion, type Question, startCompanion } from './companion.ts';

const commands = {
  'cat-file': ['cat-file', '--batch-command', '--buffer'],
  'update-ref': ['update-ref', '--stdin', '-z'],
} as const;

export type CompanionKind = keyof typeof commands;

export interface Companions {
  /** Throws GitFailed when git ended without an answer: what it was asked may be done or not. */
  ask<Answer>(directory: string, kind: CompanionKind, question: Question<Answer>): Promise<Answer>;
  /** Ends them all. What is asked later starts its own again. */
  stop(): Promise<void>;
}

export interface CompanionLimits {
  readonly most: number;
  readonly idleMs: number;
  readonly answerWithinMs: number;
}

export const usualLimits: CompanionLimits = { most: 32, idleMs: 10_000, answerWithinMs: 120_000 };

interface Running {
  readonly repository: string;
  readonly companion: Companion;
}

export function createCompanions(
  spawn: (directory: string, args: readonly string[]) => SpawnedProcess,
  limits: CompanionLimits,
): Companions {
  // In the order of their last questions.
  const running = new Map<string, Running>();

  const start = (directory: string, kind: CompanionKind, key: string): Companion => {
    const companion = startCompanion(spawn(directory, commands[kind]), {
      command: kind,
      idleMs: limits.idleMs,
      answerWithinMs: limits.answerWithinMs,
      onEnd: () => void (running.get(key)?.companion === companion && running.delete(key)),
    });
    return companion;
  };

  return {
    ask: async (directory, kind, question) => {
      const repository = await identify(directory);
      const key = `${kind} ${directory}`;
      let found = running.get(key);
      if (found?.repository !== repository) {
        void found?.companion.end();
        found = { repository, companion: start(directory, kind, key) };
      }
      running.delete(key);
      running.set(key, found);
      const [oldest] = running.values();
      if (running.size > limits.most) void oldest?.companion.end();
      return await found.companion.ask(question);
    },
    stop: async () => void (await Promise.all([...running.values()].map(async ({ companion }) => companion.end()))),
  };
}

// A git that stays keeps its working directory when the folder is moved or removed and another one takes its path, and
// it keeps packs open that were removed. Both must not be answered from.
async function identify(directory: string): Promise<string> {
  const stamps = ['config', 'objects/pack'].map(async (path) => {
    const found = await stat(join(directory, path), { bigint: true }).catch(() => null);
    return found === null ? '' : `${found.dev} ${found.ino} ${found.mtimeNs}`;
  });
  return (await Promise.all(stamps)).join('; ');
}
