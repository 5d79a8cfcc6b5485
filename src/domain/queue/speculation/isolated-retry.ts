// Who let others pass: it failed by itself with nothing before it, and is likely to do so again.
import { isTakenForGranted, type Field } from './graph.ts';
import { isBound } from './movable.ts';

/**
 * Until a build of it is green it is asked once more at once, on the tip and not on those that passed it: of the many
 * ways in which these may fare each would be built for one that hardly lands. Red again it is out; nobody was before it
 * when it was asked, but for those it let pass.
 */
export function isAside(field: Field, place: number): boolean {
  const row = field.line[place];
  // Whose targets have become unknown since may not move again (`mayMove`), but has let those before it pass all the same.
  if (row === undefined || !row.letPass || isBound(row)) return false;
  // Nothing is built behind a barrier, and nobody bets against one that skipped the line.
  const isHeldUp = (before: number): boolean =>
    field.line[before]?.isBarrier === true || isTakenForGranted(field, before);
  if (field.before(place).some(isHeldUp)) return false;
  return !(field.betsOf.get(place) ?? []).some(({ verdict }) => verdict.kind === 'green');
}
