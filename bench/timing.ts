/** Milliseconds for one call, measured over many calls. */
export interface Timing {
  readonly p50: number;
  readonly p95: number;
  /** The CPU of this process for one call, which depends least on how busy the machine is. */
  readonly cpu: number;
}

/**
 * Runs `work` ten times without measuring, so that statements are prepared and planned, and then measures `times` runs.
 *
 */
export async function timed(times: number, work: () => Promise<unknown>): Promise<Timing> {
  for (let n = 0; n < 10; n += 1) await work();
  const samples: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < times; n += 1) samples.push(await elapsedMs(work));
  const { user, system } = process.cpuUsage(before);
  samples.sort((a, b) => a - b);
  const rank = (percent: number): number => samples[Math.ceil((percent * samples.length) / 100) - 1] ?? Number.NaN;
  return { p50: rank(50), p95: rank(95), cpu: (user + system) / 1000 / times };
}

/** The medians of several kinds of work, which run in turn. */
export async function timedInTurn(times: number, works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const samples = works.map((): number[] => []);
  for (let n = -10; n < times; n += 1) {
    for (const [at, work] of works.entries()) {
      const took = await elapsedMs(work);
      if (n >= 0) samples[at]?.push(took);
    }
  }
  return samples.map((each) => each.toSorted((a, b) => a - b)[Math.floor(each.length / 2)] ?? Number.NaN);
}

export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export function ms(value: number): string {
  return `${value < 100 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
