// How the dashboard draws a queue: rows, rails, and the track of builds beside the line.
import { describe, expect, it } from 'vitest';
import { layOut, type BatchRole, type LineBatch, type Row } from '../../dashboard/src/queue/line.ts';
import { fc } from '../support/properties.ts';

interface Entry {
  readonly number: number;
}
interface Landing {
  readonly id: string;
}
type Drawn = Row<Entry, LineBatch, Landing>;

const entry = (number: number): Entry => ({ number });
const batch = (id: string, members: readonly number[], more: Partial<LineBatch> = {}): LineBatch => ({
  id,
  position: Number(id),
  members,
  assumes: [],
  parent: null,
  role: null,
  ...more,
});

const draw = (
  entries: readonly number[],
  batches: readonly LineBatch[],
  landings: readonly string[] = [],
): readonly Drawn[] => layOut({ entries: entries.map(entry), batches, landings: landings.map((id) => ({ id })) });

/** A row as a short text: `#3`, `line 1`, `alternative 2`. */
function word(row: Drawn): string {
  if (row.kind === 'entry') return `#${row.entry.number}`;
  return row.kind === 'batch' ? `${row.placement} ${row.batch.id}` : row.kind;
}

const rail = ({ gutter }: Drawn): string =>
  gutter.above === gutter.below ? gutter.above : `${gutter.above}/${gutter.below}`;

describe('a queue', () => {
  it('is drawn from the landings over the tip and its builds to the waiting pull requests', () => {
    const rows = draw([1, 2, 3, 4], [batch('1', [1, 2]), batch('2', [3], { parent: '1' })], ['a', 'b']);
    expect(rows.map((row) => [word(row), rail(row)])).toEqual([
      ['landing', 'landed'],
      ['landing', 'landed'],
      ['tip', 'landed/build'],
      ['line 1', 'build'],
      ['#1', 'build'],
      ['#2', 'build'],
      ['line 2', 'assume'],
      ['#3', 'assume'],
      ['heading', 'wait'],
      ['#4', 'wait'],
    ]);
  });

  it('starts at its tip if nothing has landed and no pull request is in line', () => {
    expect(draw([], []).map((row) => [word(row), rail(row)])).toEqual([['tip', 'none']]);
  });

  it('shows a speculative build that passes a pull request beside the line, with its assumptions', () => {
    const rows = draw(
      [1, 2, 3],
      [
        batch('1', [1]),
        batch('2', [2], { assumes: [1] }),
        batch('3', [3], { assumes: [1] }),
        batch('4', [3], { assumes: [1, 2] }),
      ],
    );
    expect(rows.map(word)).toEqual(['tip', 'line 1', '#1', 'line 2', '#2', 'line 4', '#3', 'alternative 3']);
    const alternative = rows.at(-1);
    expect(alternative).toMatchObject({ isBare: true, title: { on: 'assumptions', lands: [1], passes: [2] } });
    // The track leaves the line below #1, on which the build is made.
    expect(rows.map(({ gutter }) => gutter.side && [gutter.side.begins, gutter.side.ends])).toEqual([
      null,
      null,
      null,
      [true, false],
      [false, false],
      [false, false],
      [false, false],
      [false, true],
    ]);
  });

  it('keeps a pull request whose only build is an alternative at its place in line', () => {
    const rows = draw([1, 2, 3], [batch('1', [1]), batch('2', [2]), batch('3', [3], { assumes: [1, 2] })]);
    expect(rows.map(word)).toEqual(['tip', 'line 1', '#1', 'alternative 2', '#2', 'line 3', '#3']);
  });

  it.each([
    ['PART', 'part'],
    ['ISOLATION', 'isolation'],
  ] as const)('shows a build of role %s beside the line', (role: BatchRole, placement) => {
    const rows = draw([1, 2], [batch('1', [1, 2]), batch('2', [2], { role })]);
    expect(rows.map(word)).toEqual(['tip', 'line 1', '#1', '#2', `${placement} 2`]);
    expect(rows.at(-1)?.gutter.side?.tone).toBe('check');
  });
});

const queues = fc.integer({ min: 0, max: 12 }).chain((length) =>
  fc.record({
    numbers: fc.shuffledSubarray(
      Array.from({ length: length + 4 }, (_, index) => index + 1),
      { minLength: length, maxLength: length },
    ),
    landings: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 3 }),
    batches: fc.array(
      fc.record({
        members: fc.uniqueArray(fc.integer({ min: 1, max: length + 4 }), { minLength: 1, maxLength: 4 }),
        assumes: fc.uniqueArray(fc.integer({ min: 1, max: length + 4 }), { maxLength: 4 }),
        parent: fc.option(fc.integer({ min: 0, max: 5 })),
        role: fc.option(fc.constantFrom<BatchRole>('LINE', 'SPECULATIVE', 'PART', 'ISOLATION')),
      }),
      { maxLength: 6 },
    ),
  }),
);

type Queue = typeof queues extends fc.Arbitrary<infer Value> ? Value : never;

const drawn = ({ numbers, landings, batches }: Queue): readonly Drawn[] =>
  draw(
    numbers,
    batches.map(({ parent, ...rest }, index) =>
      batch(String(index), rest.members, {
        ...rest,
        parent: parent === null || parent === index ? null : String(parent),
      }),
    ),
    landings,
  );

const order = ['landed', 'build', 'assume', 'wait', 'none'];

describe('a drawing of any queue', () => {
  it('has one row for every pull request, build and landing, and unique keys', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        const rows = drawn(queue);
        const numbers = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry.number] : []));
        expect([...numbers].sort((a, b) => a - b)).toEqual([...queue.numbers].sort((a, b) => a - b));
        expect(rows.filter(({ kind }) => kind === 'batch')).toHaveLength(queue.batches.length);
        expect(rows.filter(({ kind }) => kind === 'landing')).toHaveLength(queue.landings.length);
        expect(rows.filter(({ kind }) => kind === 'tip')).toHaveLength(1);
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      }),
    );
  });

  it('has no gap in the line: once the line ends, it does not begin again', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        const rails = drawn(queue)
          .flatMap(({ gutter }) => [gutter.above, gutter.below])
          .slice(queue.landings.length === 0 ? 1 : 0);
        const end = rails.indexOf('none');
        expect(end === -1 || rails.slice(end).every((one) => one === 'none')).toBe(true);
        expect(rails.filter((one) => one === 'landed').length).toBeLessThanOrEqual(2 * queue.landings.length + 1);
        for (const one of rails) expect(order).toContain(one);
      }),
    );
  });

  it('begins a track beside the line above each build beside the line, and ends it there', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        const rows = drawn(queue);
        for (const [index, row] of rows.entries()) {
          const isBeside = row.kind === 'batch' && row.placement !== 'line';
          expect(row.gutter.side?.ends ?? false).toBe(isBeside);
          if (isBeside) expect(rows.slice(0, index + 1).some(({ gutter }) => gutter.side?.begins)).toBe(true);
        }
      }),
    );
  });

  it('is the same in whichever order the builds were read', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        const batches = queue.batches.map(({ parent, ...rest }, index) =>
          batch(String(index), rest.members, {
            ...rest,
            parent: parent === null || parent === index ? null : String(parent),
          }),
        );
        expect(draw(queue.numbers, batches.toReversed(), queue.landings)).toEqual(
          draw(queue.numbers, batches, queue.landings),
        );
      }),
    );
  });
});
