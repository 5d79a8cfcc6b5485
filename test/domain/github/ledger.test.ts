// The ledger of landings: how it is read, and what a compaction does.
import { expect, test } from 'vitest';
import {
  concernsLandings,
  joinLedger,
  maxInCompaction,
  parseLedger,
  planCompaction,
} from '../../../src/hosts/github/landing-ledger.ts';

const id = (digit: string): string => digit.repeat(40);
const landing = (batch: number, commit = id('a')) => ({ ref: `refs/interlock/landings/${batch}`, commit });
const ledgerOf = (...entries: readonly { ref: string; commit: string }[]) =>
  new Map(entries.map(({ ref, commit }) => [ref, commit]));

test('the ledger is read from the messages of its commits, and the first mention of a ref counts', () => {
  const text = `Landings of earlier days

${id('a')} refs/interlock/landings/1
${id('b')} refs/interlock/landings/2

Signed-off-by: someone
${id('c')} refs/interlock/landings/1
${id('d')} refs/heads/main
abc refs/interlock/landings/3
`;
  expect([...parseLedger(text)]).toEqual([
    ['refs/interlock/landings/1', id('a')],
    ['refs/interlock/landings/2', id('b')],
  ]);
});

test.each([
  ['refs/interlock/landings/7', true],
  ['refs/interlock/landings/', true],
  ['refs/interlock/', true],
  ['refs/', true],
  ['refs/interlock/ledger', false],
  ['refs/interlock/builds/', false],
  ['refs/heads/main', false],
  ['refs/heads/', false],
])('reads of %s need the ledger: %s', (pattern, concerns) => {
  expect(concernsLandings(pattern)).toBe(concerns);
});

test('existing refs count before the ledger, and both are listed in order', () => {
  const actual = [landing(3), landing(1, id('c'))];
  expect(joinLedger(actual, ledgerOf(landing(1), landing(2, id('b'))))).toEqual([
    landing(1, id('c')),
    landing(2, id('b')),
    landing(3),
  ]);
});

const every = (): boolean => true;

test.each([
  { name: 'no landing ref exists', actual: [], ledger: ledgerOf(landing(1)), plan: null },
  { name: 'young refs stay', actual: [landing(1)], ledger: ledgerOf(), isDue: () => false, plan: null },
  {
    name: 'old refs are listed and deleted',
    actual: [landing(1), landing(2)],
    ledger: ledgerOf(),
    isDue: ({ ref }: { ref: string }) => ref.endsWith('1'),
    plan: { listed: [landing(1)], deleted: [landing(1)] },
  },
  {
    name: 'a ref that the ledger has already is only deleted',
    actual: [landing(1)],
    ledger: ledgerOf(landing(1)),
    plan: { listed: [], deleted: [landing(1)] },
  },
  {
    name: 'a ref that the ledger has with another commit stays',
    actual: [landing(1, id('b'))],
    ledger: ledgerOf(landing(1)),
    plan: null,
  },
  {
    name: 'other refs stay',
    actual: [{ ref: 'refs/interlock/ledger', commit: id('e') }],
    ledger: ledgerOf(),
    plan: null,
  },
])('a compaction: $name', ({ actual, ledger, isDue = every, plan }) => {
  expect(planCompaction(actual, ledger, isDue)).toEqual(plan);
});

test('a compaction has a maximum size, so that a push takes seconds', () => {
  const many = Array.from({ length: maxInCompaction + 1 }, (_, batch) => landing(batch));
  expect(planCompaction(many, ledgerOf(), every)?.deleted).toHaveLength(maxInCompaction);
});
