// Two tiers of tests: `npm test` proves every rule and every mechanism, `npm run test:all` proves the rest as well.
// CONTRIBUTING.md has a row for each file that uses this module; a test of the docs holds the table.

/** True in `npm run test:all`. */
export const isFullRun = process.env['INTERLOCK_TESTS'] === 'all';

/** How many examples of a property are drawn. `FC_RUNS` overrules both numbers. */
export function examples({ standard, full }: { readonly standard: number; readonly full: number }): number {
  return Number(process.env['FC_RUNS'] ?? (isFullRun ? full : standard));
}

/** The cases of a table: `standard` always, `full` in `npm run test:all` only. */
export function cases<Case>({
  standard,
  full,
}: {
  readonly standard: readonly Case[];
  readonly full: readonly Case[];
}): readonly Case[] {
  return isFullRun ? [...standard, ...full] : standard;
}

/** Cases that `npm run test:all` alone plays. */
export function inFull<Case>(...all: readonly Case[]): readonly Case[] {
  return cases({ standard: [], full: all });
}

/** In their order: all of them in `npm run test:all`, otherwise those in `standard`. */
export function among<Case>(all: readonly Case[], standard: readonly Case[]): readonly Case[] {
  return isFullRun ? all : all.filter((each) => standard.includes(each));
}
