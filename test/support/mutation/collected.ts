// Stands in for `vitest` in the tests that mutation testing keeps loaded (serve.mutation.ts): collects the tests, so that
// each of them can run many times. It has what pure tests use. A test file that uses anything else fails to load.
import { format } from 'node:util';

export { expect, vi } from 'vitest';

type Body = (...args: readonly unknown[]) => unknown;

export interface CollectedTest {
  readonly file: string;
  readonly name: string;
  readonly run: () => Promise<void>;
}

interface Collecting {
  file: string;
  suites: string[];
  tests: CollectedTest[];
  /** The bodies of suites that run when the file has been loaded. */
  bodies: (() => void)[];
}

// The modules of the tests are loaded again for some mutants. What is collected survives this in a global.
const place = globalThis as { interlockCollecting?: Collecting };
export const collecting = (place.interlockCollecting ??= { file: '', suites: [], tests: [], bodies: [] });

function bodyOf(args: readonly unknown[]): Body {
  return args.findLast((arg) => typeof arg === 'function') as Body;
}

function add(name: string, ...args: readonly unknown[]): void {
  const { file, suites, tests } = collecting;
  const run = async (): Promise<void> => {
    try {
      await bodyOf(args)();
    } finally {
      for (const finish of finishers.splice(0)) await finish();
    }
  };
  tests.push({ file, name: [...suites, name].join(' > '), run });
}

const finishers: (() => unknown)[] = [];

export function onTestFinished(finish: () => unknown): void {
  finishers.push(finish);
}

function inSuite(name: string, ...args: readonly unknown[]): void {
  const { suites } = collecting;
  collecting.bodies.push(() => {
    const outer = collecting.suites;
    collecting.suites = [...suites, name];
    bodyOf(args)();
    collecting.suites = outer;
  });
}

/** Loads a test file, and collects its tests. The bodies of suites run last, as in vitest. */
export async function collect(file: string): Promise<void> {
  collecting.file = file;
  await import(/* @vite-ignore */ file);
  instrumented.currentTestId = collectingId;
  for (let body = collecting.bodies.shift(); body !== undefined; body = collecting.bodies.shift()) body();
  instrumented.currentTestId = undefined;
}

/** `it.each` and `describe.each`: the name has the values of the row, and the index, because names must differ. */
function eachOf(define: (name: string, body: Body) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, ...args: readonly unknown[]): void => {
      const areLists = rows.every(Array.isArray);
      rows.forEach((row, index) => {
        const values = areLists ? (row as readonly unknown[]) : [row];
        define(`${titleOf(name, values)} [${index}]`, () => bodyOf(args)(...values));
      });
    };
}

function titleOf(name: string, values: readonly unknown[]): string {
  const placeholders = name.match(/%[sdifjo]/g)?.length ?? 0;
  const [fields] = values;
  return format(name, ...values.slice(0, placeholders)).replace(/\$(\w+)/g, (text, key: string) =>
    typeof fields === 'object' && fields !== null && key in fields ? String(fields[key as never]) : text,
  );
}

const definer = () => Object.assign((...args: Parameters<typeof add>) => add(...args), { each: eachOf(add) });
export const it = definer();
export const test = definer();
export const describe = Object.assign(inSuite, { each: eachOf(inSuite) });

/** The object that the instrumented sources share (@stryker-mutator/instrumenter). */
export interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { readonly static: Hits; readonly perTest: Record<string, Hits> } | undefined;
}
export type Hits = Record<string, number>;

export const instrumented = ((globalThis as { __stryker__?: Instrumented }).__stryker__ ??= {});

/** The name under which hits in the bodies of suites are counted: neither while a module loads, nor in a test. */
export const collectingId = 'the bodies of suites';
