// Keeps pure tests loaded, and runs them for one mutant after the other, as the test runner of Stryker asks
// (scripts/mutation/kept-tests.mjs). One request runs at a time.
import { expect, inject, test, vi } from 'vitest';
import { collect, collecting, collectingId, instrumented, type CollectedTest, type Hits } from './collected.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The files whose tests are kept loaded. Absent in all other runs. */
    readonly testFiles?: readonly string[];
  }
}

interface Request {
  /** Null: no mutant is active, and the coverage of each test is measured. */
  readonly mutant: string | null;
  /** Whether the mutant is active while the modules load. */
  readonly isStatic: boolean;
  /** The tests that reach the mutant. Null: all. */
  readonly only: readonly string[] | null;
  readonly hitLimit: number | undefined;
}

interface Ran {
  readonly id: string;
  readonly file: string;
  readonly name: string;
  readonly ms: number;
  readonly failure: string | null;
}

// The changed sources are slower.
const measuresTime = /within \d+ ms|quickly/;

let isFresh = false;
const millisecondsOf = new Map<string, number>();

async function load(): Promise<void> {
  vi.resetModules();
  collecting.tests = [];
  for (const file of inject('testFiles') ?? []) await collect(file);
  collecting.tests = collecting.tests.filter(({ name }) => !measuresTime.test(name));
  const { fc } = await import('../properties.ts');
  // A property that fails must not look for a smaller counterexample, and a few cases must do.
  fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 20, endOnFailure: true });
}

const idOf = ({ file, name }: CollectedTest): string => `${file}#${name}`;

async function runOne(each: CollectedTest): Promise<Ran> {
  const startedAt = performance.now();
  let failure: string | null = null;
  try {
    await each.run();
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const ms = performance.now() - startedAt;
  millisecondsOf.set(idOf(each), ms);
  return { id: idOf(each), file: each.file, name: each.name, ms, failure };
}

/** Runs every test, and measures which mutants each test reaches. */
async function runAll(): Promise<object> {
  const coverage = { static: {} as Hits, perTest: {} as Record<string, Hits> };
  Object.assign(instrumented, { activeMutant: undefined, hitCount: undefined, mutantCoverage: coverage });
  await load();
  const ran: Ran[] = [];
  for (const each of collecting.tests) {
    instrumented.currentTestId = idOf(each);
    ran.push(await runOne(each));
    instrumented.currentTestId = undefined;
  }
  isFresh = true;
  // What only the body of a suite reaches needs a load of the modules for each mutant. What a test reaches too does not.
  const { [collectingId]: inSuites = {}, ...perTest } = coverage.perTest;
  const reached = new Set(Object.values(perTest).flatMap((hits) => Object.keys(hits)));
  for (const [mutant, hits] of Object.entries(inSuites))
    if (!reached.has(mutant)) coverage.static[mutant] = (coverage.static[mutant] ?? 0) + hits;
  return { ran, coverage: { static: coverage.static, perTest } };
}

/** Runs tests with a mutant, quick ones first, until one fails. */
async function runMutant({ mutant, isStatic, only, hitLimit }: Request): Promise<object> {
  Object.assign(instrumented, { activeMutant: undefined, hitCount: 0, hitLimit });
  const activate = (): void => void (instrumented.activeMutant = mutant ?? undefined);
  const ran: Ran[] = [];
  try {
    if (isStatic) activate();
    if (isStatic || !isFresh) await load();
    activate();
    const ids = only === null ? null : new Set(only);
    const chosen = collecting.tests.filter((each) => ids === null || ids.has(idOf(each)));
    const cost = (each: CollectedTest): number => millisecondsOf.get(idOf(each)) ?? 0;
    for (const each of chosen.toSorted((a, b) => cost(a) - cost(b))) {
      ran.push(await runOne(each));
      if (ran.at(-1)?.failure !== null) break;
    }
  } catch (error) {
    ran.push({ id: 'load', file: '', name: 'The tests load', ms: 0, failure: String(error) });
  }
  isFresh = !isStatic;
  instrumented.activeMutant = undefined;
  return { ran, hitCount: instrumented.hitCount };
}

async function answer(request: Request): Promise<object> {
  try {
    return { answer: request.mutant === null ? await runAll() : await runMutant(request) };
  } catch (error) {
    return { failure: String(error) };
  }
}

test('serves', { timeout: 0 }, async () => {
  const channel = new BroadcastChannel('interlock mutation');
  const last = await new Promise((resolve) => {
    channel.addEventListener('message', (event) => {
      const { data } = event as unknown as { readonly data: Request | 'end' };
      if (data === 'end') resolve(data);
      else void answer(data).then((answered) => channel.postMessage(answered));
    });
    channel.postMessage({ answer: 'ready' });
  });
  channel.close();
  expect(last).toBe('end');
});
