// The two tiers of tests: `npm test` tests every rule and every mechanism, and `npm run test:all` adds cases. The table
// in CONTRIBUTING.md has a row for each file that uses this module, which a test of the docs checks.

/** True in `npm run test:all`. */
export const isFullRun = process.env['INTERLOCK_TESTS'] === 'all';

/** How many examples of a property are drawn. `FC_RUNS` overrides both numbers. */
export function examples({ standard, full }: { readonly standard: number; readonly full: number }): number {
  return Number(process.env['FC_RUNS'] ?? (isFullRun ? full : standard));
}

/** The cases of a table: `standard` in every run, `full` only in `npm run test:all`. */
export function cases<Case>({
  standard,
  full,
}: {
  readonly standard: readonly Case[];
  readonly full: readonly Case[];
}): readonly Case[] {
  return isFullRun ? [...standard, ...full] : standard;
}

/** Cases that only `npm run test:all` runs. */
export function inFull<Case>(...all: readonly Case[]): readonly Case[] {
  return cases({ standard: [], full: all });
}

/** All cases in `npm run test:all`, otherwise the cases that are in `standard`. The order stays. */
export function among<Case>(all: readonly Case[], standard: readonly Case[]): readonly Case[] {
  return isFullRun ? all : all.filter((each) => standard.includes(each));
}
