// When landings are allowed on a base branch. One open window is enough.
import { spansAt, type Span } from '../calendar/spans.ts';
import { matchesBranch } from './managed-branch.ts';
import type { Configuration } from './keys.ts';

type MergeWindow = Configuration['merge_rules']['merge_windows'][number];

export interface LandingWindow {
  readonly isOpen: boolean;
  /** When `isOpen` changes. Null: never, or after so many windows that follow one another that it is not computed. */
  readonly changesAt: number | null;
}

/** A branch without a window is always open. */
export function landingWindow(configuration: Configuration, baseBranch: string, now: number): LandingWindow {
  const windows = configuration.merge_rules.merge_windows.filter(
    ({ base_branches: names }) => !names?.length || names.some((name) => matchesBranch(name, baseBranch)),
  );
  if (windows.length === 0) return { isOpen: true, changesAt: null };
  const { isWithin, changesAt } = spansAt(windows.map(toSpan), now);
  return { isOpen: isWithin, changesAt };
}

/** When landings may happen. Null: now. `Infinity`: never. */
export function landingsFrom(configuration: Configuration, baseBranch: string, now: number): number | null {
  const { isOpen, changesAt } = landingWindow(configuration, baseBranch, now);
  return isOpen ? null : (changesAt ?? Infinity);
}

function toSpan({ cron_start, cron_end, timezone }: MergeWindow): Span {
  return { cronStart: cron_start, cronEnd: cron_end, timezone };
}
