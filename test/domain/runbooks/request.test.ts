import { describe, expect, it } from 'vitest';
import {
  requireBudget,
  requireDescription,
  requirePrompt,
  requireTitle,
  isBudgetSpent,
  mergeLabels,
  provisionalTitle,
  requireGreaterBudget,
} from '../../../src/domain/runbooks/request.ts';

describe('a request for a runbook', () => {
  it.each([
    ['a blank prompt', () => requirePrompt(' \n'), /^prompt must not be blank/],
    ['a prompt too long', () => requirePrompt('x'.repeat(200_001)), /^prompt must be at most 200000 characters long/],
    ['a blank title', () => requireTitle(' '), /^title must not be blank: leave it out/],
    ['a title of two lines', () => requireTitle('a\nb'), /^title must be one line/],
    ['a title too long', () => requireTitle('x'.repeat(201)), /^title must be at most 200/],
    ['a description too long', () => requireDescription('x'.repeat(20_001)), /^description must be at most 20000/],
    ['a blank label', () => mergeLabels([], ['a', ' ']), /^labels.1 must not be blank$/],
    ['a label of two lines', () => mergeLabels([], ['a\nb']), /^labels.0 must be one line$/],
    ['a label too long', () => mergeLabels([], ['x'.repeat(51)]), /^labels.0 must be at most 50/],
    [
      'too many labels',
      () =>
        mergeLabels(
          ['a'],
          Array.from({ length: 50 }, (_, n) => `l${n}`),
        ),
      /at most 50/,
    ],
    ['a negative budget', () => requireBudget(-1), /^budgetMicros must be a whole number from 0/],
    ['a budget above the limit', () => requireBudget(6, 5), /from 0 to 5,/],
    [
      'a budget that is not higher than before',
      () => requireGreaterBudget(5, { min: 5, max: 9 }),
      /more than 5, the present budget,/,
    ],
    [
      'a budget that is at the limit already',
      () => requireGreaterBudget(9, { min: 9, max: 9 }),
      /updateRunbookDefaults/,
    ],
  ])('is refused for %s, with a message that names the field', (_, act, message) => {
    expect(act).toThrow(message);
  });

  it('accepts valid values, trims a title, and treats a blank description as none', () => {
    expect(requirePrompt(' a\n')).toBe(' a\n');
    expect([requireTitle(null), requireTitle(' a ')]).toEqual([null, 'a']);
    expect([requireDescription(undefined), requireDescription(' '), requireDescription('a ')]).toEqual([
      null,
      null,
      'a ',
    ]);
    expect(requireGreaterBudget(9, { min: 5, max: 9 })).toBe(9);
  });
});

describe('labels', () => {
  it('are listed once each: first the present labels, then the new ones in the order of the request', () => {
    expect(mergeLabels(['b', 'a'], ['c', 'a', ' c ', 'B'])).toEqual(['b', 'a', 'c', 'B']);
    expect(mergeLabels(['b'], null)).toEqual(['b']);
  });
});

describe('the provisional title', () => {
  it.each([
    ['Fix the typo', 'Fix the typo'],
    ['\n---\n# Tidy up\nText', 'Tidy up'],
    ['1. Rename `a`\n2. Ship', 'Rename `a`'],
    ['- 2) things', '2) things'],
    ['???', 'Runbook'],
    ['🎨 '.repeat(40) + 'end', '🎨 '.repeat(23) + '🎨…'],
  ])('of the prompt %j is %j', (prompt, title) => {
    expect(provisionalTitle(prompt)).toBe(title);
  });

  it('has at most 72 characters', () => {
    expect(provisionalTitle('word '.repeat(100))).toHaveLength(72);
  });
});

describe('a budget', () => {
  it.each([
    ['model', 5, 4, false],
    ['model', 5, 5, true],
    ['model', 0, 0, true],
    ['script', 0, 0, false],
  ] as const)(
    'of the agent %s and %i millionths, of which %i are spent, is spent: %s',
    (agent, budgetMicros, spentMicros, expected) => {
      expect(isBudgetSpent({ agent, budgetMicros, spentMicros })).toBe(expected);
    },
  );
});
