// The limits of one run of a command on the machine, set by the operator, and the decision whether a run exceeded them.

export interface RunBounds {
  /** The size of one file. A write beyond this size fails, and the program usually ends. */
  readonly bytesPerFile: number;
  /** The total size of the run's folders, including the files that were there before the run. */
  readonly bytes: number;
  /** The number of files, folders and links in the run's folders. */
  readonly files: number;
  /** Output and errors together. */
  readonly outputBytes: number;
  /** Concurrent processes. Where the kernel counts a run's own processes, no further process can start. */
  readonly processes: number;
  /** The memory of all processes of the run together, without shared memory. */
  readonly memoryBytes: number;
  /** Free space on the machine's disk that no run may use up. */
  readonly freeBytes: number;
  /** Free memory of the machine that no run may use up. */
  readonly freeMemoryBytes: number;
}

const megabyte = 1_000_000;

/** Environment variables, the bound that each sets, and its unit. */
const settings = {
  RUN_PROCESSES: { bound: 'processes', unit: 1, standard: 1024 },
  RUN_MEMORY_MB: { bound: 'memoryBytes', unit: megabyte, standard: 4096 },
  RUN_DISK_MB: { bound: 'bytes', unit: megabyte, standard: 4096 },
  RUN_FILES: { bound: 'files', unit: 1, standard: 500_000 },
  RUN_FILE_MB: { bound: 'bytesPerFile', unit: megabyte, standard: 2048 },
  RUN_OUTPUT_MB: { bound: 'outputBytes', unit: megabyte, standard: 256 },
  FREE_DISK_MB: { bound: 'freeBytes', unit: megabyte, standard: 256 },
  FREE_MEMORY_MB: { bound: 'freeMemoryBytes', unit: megabyte, standard: 128 },
} as const satisfies Record<string, { bound: keyof RunBounds; unit: number; standard: number }>;

export class RunBoundsRefused extends Error {}

/** Throws RunBoundsRefused, which names the variable. */
export function readRunBounds(env: Environment): RunBounds {
  const bounds = Object.entries(settings).map(([name, { bound, unit, standard }]) => [
    bound,
    readNumber(env, name, standard) * unit,
  ]);
  return Object.fromEntries(bounds) as RunBounds;
}

/** In bytes. Throws RunBoundsRefused, which names the variable. */
export function readMegabytes(env: Environment, name: string, standard: number): number {
  return readNumber(env, name, standard) * megabyte;
}

/** In milliseconds. Throws RunBoundsRefused, which names the variable. */
export function readMinutes(env: Environment, name: string, standard: number): number {
  return readNumber(env, name, standard) * 60_000;
}

export type Environment = Readonly<Record<string, string | undefined>>;

function readNumber(env: Environment, name: string, standard: number): number {
  const text = env[name] || String(standard);
  const least = name.startsWith('FREE_') ? 0 : 1;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new RunBoundsRefused(
      `${name} must be a whole number from ${least} to 999999999, not ${JSON.stringify(text)}.`,
    );
  return Number(text);
}

export const defaultRunBounds: RunBounds = readRunBounds({});

/** The measurements of a run and of its machine. A missing one was not measured. */
export interface RunMeasurements {
  readonly freeBytes?: number;
  /** Null: this machine does not report it. */
  readonly freeMemoryBytes?: number | null;
  readonly bytes?: number;
  readonly files?: number;
  readonly processes?: number;
  readonly memoryBytes?: number;
}

/** The exceeded limit, as a text about the run. `machine`: it is not known which run exceeded the machine's limit. */
export interface ExceededLimit {
  readonly owner: 'run' | 'machine';
  readonly message: string;
}

/** Null: no limit is exceeded. */
export function findExceededLimit(seen: RunMeasurements, bounds: RunBounds): ExceededLimit | null {
  const { freeBytes = Infinity, bytes = 0, files = 0, processes = 0, memoryBytes = 0 } = seen;
  const run = (message: string): ExceededLimit => ({ owner: 'run', message });
  if (freeBytes < bounds.freeBytes)
    return { owner: 'machine', message: `less than ${megabytes(bounds.freeBytes)} are free on this machine's disk` };
  if (memoryBytes > bounds.memoryBytes)
    return run(`its processes take more than ${megabytes(bounds.memoryBytes)} of memory together`);
  if (processes > bounds.processes) return run(`it has more than ${bounds.processes} processes`);
  if (bytes > bounds.bytes) return run(`its files take more than ${megabytes(bounds.bytes)} together`);
  if (files > bounds.files) return run(`it has more than ${bounds.files} files`);
  if ((seen.freeMemoryBytes ?? Infinity) < bounds.freeMemoryBytes)
    return {
      owner: 'machine',
      message: `less than ${megabytes(bounds.freeMemoryBytes)} of memory are free on this machine`,
    };
  return null;
}

export function megabytes(bytes: number): string {
  return `${Math.floor(bytes / megabyte)} MB`;
}

/** A run is measured early if the machine has lost a sixteenth of a limit since the last measurement. */
const partOfBound = 16;

/** Whether the machine lost so much since `before` that the run must be measured. */
export function isWorthALook(before: number, now: number, bound: number): boolean {
  return before - now >= bound / partOfBound;
}
