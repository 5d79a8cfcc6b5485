// Which rows of the line are in the document: those on screen, and the row that has the focus.
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { defaultRangeExtractor, useVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { useIsNarrow } from '../design/narrow.ts';
import { heightOf, type LineRow } from './line-rows.tsx';
import type { QueueData, ShownEntry } from './summary.ts';
import type { RowRange } from './window.ts';

export type Shown =
  | LineRow
  | { readonly key: string; readonly kind: 'out'; readonly entry: ShownEntry }
  | { readonly key: string; readonly kind: 'outHeading'; readonly title: string };

/**
 * Makes the rows of pull requests that are not in line, under a heading. Without such pull requests there are no rows.
 */
export function groupOf(
  title: string,
  outside: readonly ShownEntry[],
  belongs: (entry: ShownEntry) => boolean,
): readonly Shown[] {
  const entries = outside.filter(belongs);
  if (entries.length === 0) return [];
  return [
    { key: title, kind: 'outHeading', title },
    ...entries.map((entry) => ({ key: `entry ${entry.number}`, kind: 'out' as const, entry })),
  ];
}

export interface VirtualRows {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** How far the list is below the top of the part that scrolls. */
  readonly margin: number;
  /** The key of the row that has the focus. */
  readonly focused: RefObject<string | null>;
}

interface VirtualRowsOptions {
  readonly data: QueueData;
  readonly at: string | null;
  readonly picked: number | null;
  /** Called with the places in line that are on screen, whenever these change. */
  readonly onShow: (places: RowRange) => void;
  readonly rows: readonly Shown[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<HTMLOListElement | null>;
}

export function useVirtualRows({ data, at, picked, onShow, rows, scroller, list }: VirtualRowsOptions): VirtualRows {
  const isNarrow = useIsNarrow();
  const [margin, setMargin] = useState(0);
  useEffect(() => setMargin(list.current?.offsetTop ?? 0), [data.depth.queued === 0, isNarrow, at]);
  // The row that has the focus stays in the document, because the focus would be lost if scrolling removed the row.
  const focused = useRef<string | null>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    rangeExtractor: useCallback((range: Range) => withFocused(range, rows, focused.current), [rows]),
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOfShown(rows[index], isNarrow),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    scrollMargin: margin,
  });
  useEffect(() => virtualizer.measure(), [rows, isNarrow, virtualizer]);
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  useEffect(() => {
    const places = rows
      .slice(startIndex, endIndex + 1)
      .flatMap((row) => (row.kind === 'entry' ? [row.entry.place] : []));
    if (places.length > 0) onShow({ first: Math.min(...places), last: Math.max(...places) });
  }, [rows, startIndex, endIndex, onShow]);
  // A row that was chosen by a key may be off screen.
  useEffect(() => {
    const index = picked === null ? -1 : rows.findIndex(({ key }) => key === `entry ${picked}`);
    if (index !== -1) virtualizer.scrollToIndex(index, { align: 'auto' });
    // The list scrolls when a row is chosen. It does not scroll when the chosen row moves, so `rows` is not a
    // dependency.
  }, [picked]);
  return { virtualizer, margin, focused };
}

function withFocused(range: Range, rows: readonly Shown[], focused: string | null): number[] {
  const indexes = defaultRangeExtractor(range);
  const index = focused === null ? -1 : rows.findIndex(({ key }) => key === focused);
  return index === -1 || indexes.includes(index) ? indexes : [...indexes, index].sort((a, b) => a - b);
}

function heightOfShown(row: Shown | undefined, isNarrow: boolean): number {
  if (!row || row.kind === 'outHeading') return 34;
  return row.kind === 'out' ? (isNarrow ? 68 : 48) : heightOf(row, isNarrow);
}
