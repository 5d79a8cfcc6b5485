// Whether a version may run on a database that a newer one has migrated, as while an upgrade replaces servers one by
// one. The first line of a migration says its phase: `-- Phase: expand` only adds, and no earlier version notices it.
// `-- Phase: contract, unused since v1.2.0` removes what 1.2.0 and later versions do not use.

/** Null: an expanding migration. Otherwise the first version that no longer uses what the migration removes. */
export interface MigrationPhase {
  readonly unusedSince: string | null;
}

/** Null: the migration says none, as those before the first release. */
export function parsePhase(sql: string): MigrationPhase | null {
  const [, kind, since] = /^-- Phase: (?:(expand)|contract, unused since v(\d+\.\d+\.\d+))\n/.exec(sql) ?? [];
  if (kind !== undefined) return { unusedSince: null };
  return since === undefined ? null : { unusedSince: since };
}

/** Of migrations that this version does not have: those beside which it must not run. */
export function findIncompatible(
  unknown: readonly string[],
  phases: ReadonlyMap<string, MigrationPhase>,
  version: string,
): string[] {
  return unknown.filter((name) => {
    const phase = phases.get(name);
    return phase === undefined || (phase.unusedSince !== null && isBefore(version, phase.unusedSince));
  });
}

function isBefore(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0);
}
