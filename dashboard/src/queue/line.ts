// Lays out the line of a queue as rows: landings, the tip, builds, and waiting pull requests. The layout is a pure
// function, so that the live page, the page of a past moment, and tests share it. Each row says which rails are drawn
// through it: the rail of the line, and next to it a second track for builds whose assumptions differ from the line.

export interface LineEntry {
  readonly number: number;
}

export interface LineBatch {
  readonly id: string;
  readonly position: number;
  /** The numbers of the batch's pull requests, in queue order. */
  readonly members: readonly number[];
  /** The numbers of the pull requests that the batch assumes to land first. Empty if builds form a chain. */
  readonly assumes: readonly number[];
  /** Id of the batch on whose commit this batch is built. Null: it is built on the tip. */
  readonly parent: string | null;
  /** The role from the API. Null: the API gave no role, so the placement follows from the assumptions. */
  readonly role: BatchRole | null;
}

export type BatchRole = 'LINE' | 'SPECULATIVE' | 'PART' | 'ISOLATION';

export interface LineLanding {
  readonly id: string;
}

/** How a part of a rail is drawn. */
export type Rail = 'none' | 'landed' | 'build' | 'assume' | 'wait';

/** Where a build is drawn. `line` is in the line. The other three are kinds of builds beside the line. */
export type Placement = 'line' | 'alternative' | 'part' | 'isolation';

export interface Gutter {
  readonly above: Rail;
  readonly below: Rail;
  readonly dot: 'none' | 'landed' | 'tip' | 'build' | 'beside' | 'wait';
  /** The second track. Null: no second track is drawn. `passes`: the track runs through the whole height of the row. */
  readonly side: {
    readonly tone: 'alternative' | 'check';
    readonly begins: boolean;
    readonly ends: boolean;
    readonly passes: boolean;
  } | null;
}

export type Row<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding> = {
  readonly key: string;
  readonly gutter: Gutter;
} & (
  | { readonly kind: 'landing'; readonly landing: Landing }
  | { readonly kind: 'tip' }
  | {
      readonly kind: 'batch';
      readonly batch: Batch;
      readonly placement: Placement;
      readonly title: BatchTitle;
      /** Whether no member has a row below this build, because the members' rows belong to another build in line. */
      readonly isBare: boolean;
    }
  | {
      readonly kind: 'entry';
      readonly entry: Entry;
      readonly placement: Placement | 'waiting';
      readonly isLastOfCard: boolean;
    }
  | { readonly kind: 'heading'; readonly waiting: number }
);

/** What a batch is built on, for the title of the batch. */
export type BatchTitle =
  | { readonly on: 'tip' }
  | { readonly on: 'batch'; readonly position: number }
  | { readonly on: 'assumptions'; readonly lands: readonly number[]; readonly passes: readonly number[] };

export interface Line<Entry, Batch, Landing> {
  /** The landings, the oldest first. */
  readonly landings: readonly Landing[];
  /** The entries in queue order. */
  readonly entries: readonly Entry[];
  /** The live batches, in any order. */
  readonly batches: readonly Batch[];
}

interface Placed<Batch> {
  readonly batch: Batch;
  readonly placement: Placement;
}

export function layOut<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding>(
  line: Line<Entry, Batch, Landing>,
): readonly Row<Entry, Batch, Landing>[] {
  const rows: readonly Bare<Entry, Batch, Landing>[] = [
    ...landedRows<Entry, Batch, Landing>(line.landings),
    ...rowsInLine(line),
  ];
  return withSideTracks(joinRails(rows), line);
}

/**
 * A row whose gutter is not decided yet. `rail` is the rail through the row. Null: the row has the rail of the next
 * row.
 */
type Bare<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding> = Row<
  Entry,
  Batch,
  Landing
> & {
  readonly rail: Rail | null;
};

const empty: Gutter = { above: 'none', below: 'none', dot: 'none', side: null };

function landedRows<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding>(
  landings: readonly Landing[],
): Bare<Entry, Batch, Landing>[] {
  return [
    ...landings.map((landing) => ({
      key: `landing ${landing.id}`,
      kind: 'landing' as const,
      landing,
      rail: 'landed' as const,
      gutter: { ...empty, dot: 'landed' as const },
    })),
    { key: 'tip', kind: 'tip', rail: 'landed', gutter: { ...empty, dot: 'tip' } },
  ];
}

function rowsInLine<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding>({
  entries,
  batches,
}: Line<Entry, Batch, Landing>): Bare<Entry, Batch, Landing>[] {
  const place = new Map(entries.map((entry, index) => [entry.number, index]));
  const byNumber = new Map(entries.map((entry) => [entry.number, entry]));
  const placed = placeBatches(batches, place);
  const cardOf = new Map<number, Placed<Batch>>();
  for (const one of placed)
    for (const number of one.batch.members) if (byNumber.has(number) && !cardOf.has(number)) cardOf.set(number, one);

  const rows: Bare<Entry, Batch, Landing>[] = [];
  const shown = new Set<Batch>();
  const waiting = entries.filter(({ number }) => !cardOf.has(number)).length;
  let isFirstBuild = true;
  let hasHeading = false;
  const showCard = ({ batch, placement }: Placed<Batch>): void => {
    shown.add(batch);
    const rail: Rail | null = placement === 'line' ? (isFirstBuild ? 'build' : 'assume') : null;
    if (placement === 'line') isFirstBuild = false;
    const members = batch.members.filter((number) => cardOf.get(number)?.batch === batch);
    rows.push({
      key: `batch ${batch.id}`,
      kind: 'batch',
      batch,
      placement,
      title: titleOf(batch, { batches, place, placement }),
      isBare: members.length === 0,
      rail,
      gutter: { ...empty, dot: placement === 'line' ? 'build' : 'beside' },
    });
    for (const [index, number] of members.entries()) {
      const entry = byNumber.get(number);
      if (entry)
        rows.push({
          key: `entry ${number}`,
          kind: 'entry',
          entry,
          placement,
          isLastOfCard: index === members.length - 1,
          rail,
          gutter: empty,
        });
    }
  };
  for (const entry of entries) {
    const card = cardOf.get(entry.number);
    if (card === undefined) {
      if (!hasHeading) rows.push({ key: 'waiting', kind: 'heading', waiting, rail: 'wait', gutter: empty });
      hasHeading = true;
      rows.push({
        key: `entry ${entry.number}`,
        kind: 'entry',
        entry,
        placement: 'waiting',
        isLastOfCard: false,
        rail: 'wait',
        gutter: { ...empty, dot: 'wait' },
      });
      continue;
    }
    if (shown.has(card.batch)) continue;
    showCard(card);
    // Other builds of the same pull requests are shown after the card of this build.
    for (const other of placed)
      if (!shown.has(other.batch) && other.batch.members.every((number) => card.batch.members.includes(number)))
        showCard(other);
  }
  for (const other of placed) if (!shown.has(other.batch)) showCard(other);
  return rows;
}

/** Decides which batches are in the line and which are beside it. The batches in the line come first. */
function placeBatches<Batch extends LineBatch>(
  batches: readonly Batch[],
  place: ReadonlyMap<number, number>,
): readonly Placed<Batch>[] {
  const isBuilt = new Set(batches.flatMap(({ members }) => members));
  const inOrder = [...batches].sort((a, b) => placeOf(a, place) - placeOf(b, place) || b.position - a.position);
  const lineIds = new Set<string>();
  const taken = new Set<number>();
  const placed = inOrder.map((batch): Placed<Batch> => {
    const placement = placementOf(batch, { place, isBuilt, lineIds, taken });
    if (placement === 'line') {
      lineIds.add(batch.id);
      for (const number of batch.members) taken.add(number);
    }
    return { batch, placement };
  });
  return placed.sort((a, b) => Number(a.placement !== 'line') - Number(b.placement !== 'line'));
}

interface Known {
  readonly place: ReadonlyMap<number, number>;
  readonly isBuilt: ReadonlySet<number>;
  readonly lineIds: ReadonlySet<string>;
  readonly taken: ReadonlySet<number>;
}

function placementOf(batch: LineBatch, { place, isBuilt, lineIds, taken }: Known): Placement {
  if (batch.role === 'PART') return 'part';
  if (batch.role === 'ISOLATION') return 'isolation';
  if (batch.members.some((number) => taken.has(number))) return 'alternative';
  if (batch.role === 'LINE') return 'line';
  const first = placeOf(batch, place);
  const ahead = [...place].filter(([number, index]) => index < first && isBuilt.has(number)).map(([number]) => number);
  const rest = ahead.filter((number) => !batch.members.includes(number));
  if (batch.parent !== null) return lineIds.has(batch.parent) ? 'line' : 'alternative';
  const assumes = new Set(batch.assumes);
  return rest.every((number) => assumes.has(number)) ? 'line' : 'alternative';
}

function placeOf({ members }: LineBatch, place: ReadonlyMap<number, number>): number {
  return Math.min(...members.map((number) => place.get(number) ?? Number.MAX_SAFE_INTEGER));
}

function titleOf<Batch extends LineBatch>(
  batch: Batch,
  {
    batches,
    place,
    placement,
  }: {
    readonly batches: readonly Batch[];
    readonly place: ReadonlyMap<number, number>;
    readonly placement: Placement;
  },
): BatchTitle {
  const parent = batches.find(({ id }) => id === batch.parent);
  if (parent) return { on: 'batch', position: parent.position };
  const assumes = new Set(batch.assumes);
  const first = placeOf(batch, place);
  const built = new Set(batches.flatMap(({ members }) => members));
  const passes =
    placement === 'alternative'
      ? [...place]
          .filter(([number, index]) => index < first && built.has(number) && !assumes.has(number))
          .map(([number]) => number)
          .filter((number) => !batch.members.includes(number))
      : [];
  if (assumes.size === 0 && passes.length === 0) return { on: 'tip' };
  return { on: 'assumptions', lands: batch.assumes, passes };
}

/** Joins the rails of the rows, so that they run from the first landing to the last row without a gap. */
function joinRails<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding>(
  rows: readonly Bare<Entry, Batch, Landing>[],
): readonly Row<Entry, Batch, Landing>[] {
  const own: Rail[] = rows.map(({ rail }) => rail ?? 'none');
  // The rail of the next row runs through a row beside the line. After the last row there is no rail.
  for (let index = rows.length - 2; index >= 0; index -= 1)
    if (rows[index]?.rail === null) own[index] = own[index + 1] ?? 'none';
  return rows.map(({ rail: _rail, ...row }, index) => {
    const rail = own[index] ?? 'none';
    const below = row.kind === 'tip' ? (own[index + 1] ?? 'none') : rail;
    const above = row.kind === 'tip' && rows.length > 0 && index === 0 ? 'none' : rail;
    return { ...(row as Row<Entry, Batch, Landing>), gutter: { ...row.gutter, above, below } };
  });
}

/**
 * Adds the second tracks. A track branches off the line below the parent of its build, and ends at the row of the
 * build.
 */
function withSideTracks<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding>(
  rows: readonly Row<Entry, Batch, Landing>[],
  { batches }: Line<Entry, Batch, Landing>,
): readonly Row<Entry, Batch, Landing>[] {
  const sides = new Map<number, NonNullable<Gutter['side']>>();
  for (const [end, row] of rows.entries()) {
    if (row.kind !== 'batch' || row.placement === 'line') continue;
    const begin = Math.min(lastRowOf(standsOn(row.batch, batches), rows) + 1, end);
    for (let index = begin; index <= end; index += 1) {
      const before = sides.get(index);
      sides.set(index, {
        tone: row.placement === 'alternative' ? 'alternative' : 'check',
        begins: (before?.begins ?? false) || index === begin,
        ends: (before?.ends ?? false) || index === end,
        passes: (before?.passes ?? false) || (index !== begin && index !== end),
      });
    }
  }
  return rows.map((row, index) => {
    const side = sides.get(index);
    return side ? { ...row, gutter: { ...row.gutter, side } } : row;
  });
}

/** The numbers of the pull requests that a build is made on. */
function standsOn(batch: LineBatch, batches: readonly LineBatch[]): readonly number[] {
  if (batch.assumes.length > 0) return batch.assumes;
  return batches.find(({ id }) => id === batch.parent)?.members ?? [];
}

function lastRowOf<Entry extends LineEntry, Batch extends LineBatch, Landing extends LineLanding>(
  below: readonly number[],
  rows: readonly Row<Entry, Batch, Landing>[],
): number {
  const tip = rows.findIndex(({ kind }) => kind === 'tip');
  const last = rows.findLastIndex((row) => row.kind === 'entry' && below.includes(row.entry.number));
  return Math.max(tip, last);
}
