// Who let others pass: it failed by itself with nothing before it, and is likely to do so again.
import { isTakenForGranted, type Field } from './field.ts';

/**
 * Until a build of it is green it is asked once more at once, on the tip and not on those that passed it: of the many
 * ways in which these may fare each would be built for one that hardly lands. Red again it is out; nobody was before it
 * when it was asked, but for those it let pass.
 */
export function isAside(field: Field, place: number): boolean {
  const row = field.line[place];
  if (row === undefined || !row.letPass || row.stack !== null || row.bisection !== null) return false;
  if (row.skipLine || row.isBarrier) return false;
  // Nothing is built behind a barrier, and nobody bets against one that skipped the line.
  const isHeldUp = (before: number): boolean =>
    field.line[before]?.isBarrier === true || isTakenForGranted(field, before);
  if (field.before(place).some(isHeldUp)) return false;
  return !(field.betsOf.get(place) ?? []).some(({ verdict }) => verdict.kind === 'green');
}
