// Finds a short history that breaks the same rule: first with fewer steps, then with fewer faults, then without other
// steps.
import { simulate, type Outcome, type Simulation } from './simulate.ts';

export interface Minimised {
  readonly given: Simulation;
  readonly outcome: Outcome;
  readonly runs: number;
}

interface Search {
  /** How many shorter histories are tried. */
  readonly maxRuns?: number;
  readonly run?: (given: Simulation) => Promise<Outcome>;
}

export async function minimise(
  told: Simulation,
  failed: Outcome,
  { maxRuns = 60, run = simulate }: Search = {},
): Promise<Minimised> {
  const given = { ...told, tell: () => {} };
  const broken = kindOf(failed);
  let best: Minimised = { given, outcome: failed, runs: 0 };
  let runs = 0;

  async function isStillBroken(tried: Simulation): Promise<boolean> {
    if (runs >= maxRuns) return false;
    runs += 1;
    const outcome = await run(tried);
    if (kindOf(outcome) !== broken) return false;
    // Steps after the failure are not needed. If the failure came at the end, a history that leaves steps out must not
    // take others instead.
    const steps = outcome.failedAt === null ? outcome.steps : outcome.failedAt + 1;
    best = { given: { ...tried, steps }, outcome, runs };
    return true;
  }

  // If the rules are compared after every step, the failure may be found earlier.
  await isStillBroken({ ...given, every: 1, ...(failed.failedAt === null ? {} : { steps: failed.failedAt + 1 }) });
  // Without any fault the history takes another course, in which the failure may come later.
  const { steps: _steps, ...unlimited } = best.given;
  const limit = told.steps === undefined ? {} : { steps: told.steps };
  const allCalm = new Set(Array.from({ length: 4 * best.outcome.steps }, (_, step) => step));
  if (!(await isStillBroken({ ...unlimited, ...limit, calm: allCalm })))
    await shorten(best.outcome.faults, async (calm) => await isStillBroken({ ...best.given, calm: new Set(calm) }));
  const all = Array.from({ length: best.outcome.steps }, (_, step) => step);
  await shorten(all, async (without) => await isStillBroken({ ...best.given, without: new Set(without) }));
  return { ...best, runs };
}

/** Leaves out larger and then smaller parts of `all`, as long as `isStill` says that the rest is enough. */
async function shorten(
  all: readonly number[],
  isStill: (leftOut: readonly number[]) => Promise<boolean>,
): Promise<void> {
  let leftOut: readonly number[] = [];
  for (let size = all.length; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < all.length; from += size) {
      const part = all.slice(from, from + size).filter((each) => !leftOut.includes(each));
      if (part.length > 0 && (await isStill([...leftOut, ...part]))) leftOut = [...leftOut, ...part];
      if (leftOut.length === all.length) return;
    }
}

/** The sentence of the first problem, without names and numbers. */
export function kindOf({ problems }: Pick<Outcome, 'problems'>): string {
  return (problems[0] ?? '').replaceAll(/[0-9a-f]{40}|\d+/g, 'n').split('\n')[0] ?? '';
}

/** The command that runs the simulation again. */
export function asCommand({ seed, days, steps, without, calm }: Simulation): string {
  const list = (name: string, numbers: ReadonlySet<number> | undefined): string =>
    numbers === undefined || numbers.size === 0 ? '' : ` --${name} ${ranges([...numbers])}`;
  const most = steps === undefined ? '' : ` --steps ${steps}`;
  return `npm run simulate:faults -- --seed ${seed} --days ${days}${most}${list('without', without)}${list('calm', calm)}`;
}

/** `1-3,7` for 1, 2, 3 and 7. */
export function ranges(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

export function readRanges(text: string): ReadonlySet<number> {
  const parts = text === '' ? [] : text.split(',').map((part) => part.split('-').map(Number));
  return new Set(
    parts.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, nth) => from + nth)),
  );
}
