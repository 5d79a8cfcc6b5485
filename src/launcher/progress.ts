export type Say = (line: string) => void;

export interface Progress {
  /** Runs one part of the start, and prints `<name> … 0.8 s` when it is ready. Parts may run at the same time. */
  part<T>(name: string, run: () => Promise<T>): Promise<T>;
  readonly say: Say;
}

export function createProgress(say: Say, now: () => number = () => performance.now()): Progress {
  return {
    say,
    async part(name, run) {
      const startedAt = now();
      const seconds = () => `${((now() - startedAt) / 1000).toFixed(1)} s`;
      try {
        const result = await run();
        say(`${name} … ${seconds()}`);
        return result;
      } catch (error) {
        say(`${name} … failed after ${seconds()}`);
        throw error;
      }
    },
  };
}
