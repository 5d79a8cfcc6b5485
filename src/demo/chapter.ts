// The common parts of the demo's chapters: a client, printed lines with the time, and expectations.
import { createClient, type Client } from './client.ts';
import type { DemoRun } from './play.ts';
import { line } from './event-lines.ts';

export interface Chapter extends DemoRun {
  readonly client: Client;
  readonly print: (word: string, text: string) => void;
  readonly expect: (what: string, is: unknown, should: unknown) => void;
}

/** Plays one chapter. Returns a sentence for each expectation that does not hold. */
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
    print: (word, text) =>
      run.say(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line(word, text)}`),
    expect: (what, is, should) => {
      if (is !== should) failures.push(`${what} is ${String(is)}, not ${String(should)}`);
    },
  });
  return failures;
}
