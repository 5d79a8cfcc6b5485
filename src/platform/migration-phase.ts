// Decides whether a version may run on a database that a newer version has migrated. This happens while an upgrade
// replaces servers one by one. The first line of a migration says its phase. A migration with `-- Phase: expand` only
// adds to the schema, and all earlier versions can run with it. A migration with `-- Phase: contract, unused since
// v1.2.0` removes parts of the schema that 1.2.0 and later versions do not use.

/** `unusedSince` is the first version that does not use what the migration removes. Null: the migration only adds. */
export interface MigrationPhase {
  readonly unusedSince: string | null;
}

/** Null: the migration names no phase. Only migrations before the first release name none. */
export function parsePhase(sql: string): MigrationPhase | null {
  const [, kind, since] = /^-- Phase: (?:(expand)|contract, unused since v(\d+\.\d+\.\d+))\n/.exec(sql) ?? [];
  if (kind !== undefined) return { unusedSince: null };
  return since === undefined ? null : { unusedSince: since };
}

/** Returns the migrations that this version does not know and with which it must not run. */
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
