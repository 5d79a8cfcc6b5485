/**
 * Expensive reads that many callers ask for at once. Of each key at most one read runs and one waits: a caller that
 * comes while a read runs shares the next one with all others that come, because the running one may not see what the
 * caller has seen. Nothing is kept after the last caller has its answer.
 */
export class SharedReads<Answer> {
  readonly #runs = new Map<string, Run<Answer>>();

  async read(key: string, load: () => Promise<Answer>): Promise<Answer> {
    const run = this.#runs.get(key);
    if (run === undefined) return await this.#start(key, load);
    run.next ??= run.ended.then(async () => await this.#start(key, load));
    return await run.next;
  }

  async #start(key: string, load: () => Promise<Answer>): Promise<Answer> {
    const answer = load();
    const run: Run<Answer> = { ended: answer.then(ignore, ignore), next: null };
    this.#runs.set(key, run);
    try {
      return await answer;
    } finally {
      if (run.next === null) this.#runs.delete(key);
    }
  }
}

interface Run<Answer> {
  readonly ended: Promise<void>;
  next: Promise<Answer> | null;
}

function ignore(): void {}
