// What every chapter of the demo has: a client, lines with the time, and what must hold, said when it does not.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, type Client } from './client.ts';
import type { DemoRun } from './play.ts';
import { line } from './tell.ts';

const longestMs = 2 * 60_000;

export interface Chapter extends DemoRun {
  readonly client: Client;
  readonly tell: (word: string, text: string) => void;
  readonly expect: (what: string, is: unknown, should: unknown) => void;
}

/** Plays one chapter, and answers what is wrong; nothing when all is well. */
export async function playChapter(
  run: DemoRun,
  title: string,
  play: (chapter: Chapter) => Promise<void>,
): Promise<readonly string[]> {
  const failures: string[] = [];
  const startedAt = performance.now();
  run.say(`\n${title}`);
  await play({
    ...run,
    client: createClient(run),
    tell: (word, text) =>
      run.say(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line(word, text)}`),
    expect: (what, is, should) => {
      if (is !== should) failures.push(`${what} is ${String(is)}, not ${String(should)}`);
    },
  });
  return failures;
}

/** Looks until there is something. */
export async function until<T>({ scenario }: Chapter, what: string, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + longestMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline)
      throw new Error(`In ${scenario.name}, ${what} did not come to its end within two minutes.`);
    await delay(200);
  }
}
