/**
 * Combines expensive reads that many callers request at once. For each key, at most one read runs and one waits. All
 * callers that arrive while a read runs share the next read, because the running read may not include changes that they
 * know of. Results are not cached.
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
