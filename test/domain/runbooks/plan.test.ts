// Numbers of steps, moves of leaves, and where commits go.
import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  commitMessage,
  labelsNow,
  placeLeaf,
  pullRequestBody,
  type PlacedPullRequest,
} from '../../../src/domain/runbooks/pull-requests.ts';
import { stepStatuses } from '../../../src/domain/runbooks/runbook.ts';
import { asTitle, canMoveStep, numberSteps } from '../../../src/domain/runbooks/steps.ts';

describe('numbers', () => {
  it('are contiguous over follow-ups, and a step without parts has one leaf', () => {
    const leaf = (title: string) => ({ title, instructions: {} });
    const first = numberSteps(
      [
        { title: 'One', leaves: [leaf('a'), leaf('b')] },
        { title: 'Two', leaves: [] },
      ],
      { steps: 0, position: 0 },
    );
    const second = numberSteps([{ title: '', leaves: [leaf('')] }], { steps: 2, position: 5 });
    const all = [...first, ...second].flatMap((step) => [step, ...step.leaves]);
    expect(all.map(({ number, title }) => `${number} ${title}`)).toEqual([
      '1 One',
      '1.1 a',
      '1.2 b',
      '2 Two',
      '2.1 Two',
      '3 Step 3',
      '3.1 Step 3',
    ]);
    expect(all.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('have titles of one line, whatever the agent wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const title = asTitle(text, 'otherwise');
        expect(title).not.toMatch(/[\r\n]/);
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThanOrEqual(300);
        expect(title.isWellFormed()).toBe(true);
        expect(title).not.toContain('\0');
      }),
      { numRuns: 40 },
    );
  });
});

describe('a leaf', () => {
  it('moves along its table and no other way', () => {
    const moves = stepStatuses.flatMap((from) =>
      stepStatuses.filter((to) => canMoveStep(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(moves).toEqual([
      'not_started → queued',
      'not_started → failed',
      'queued → in_progress',
      'queued → failed',
      'in_progress → completed',
      'in_progress → failed',
      'failed → not_started',
      'failed → queued',
    ]);
  });
});

describe('where a commit goes', () => {
  const row = (ordinal: number, state: PlacedPullRequest['state'], ...steps: string[]): PlacedPullRequest => ({
    id: String(ordinal),
    ordinal,
    branch: ordinal === 1 ? 'interlock/runbook-7' : `interlock/runbook-7-${ordinal}`,
    state,
    steps,
  });
  const place = (prMode: 'single_pr' | 'stacked_pr' | 'manual', leaf: string, ...pullRequests: PlacedPullRequest[]) => {
    const found = placeLeaf({ number: 7, prMode, targetBranch: 'main', pullRequests }, leaf);
    return found.kind === 'there' ? found.branch : `${found.branch} on ${found.baseBranch}`;
  };

  it.each([
    ['the first opens one', place('single_pr', '1.1'), 'interlock/runbook-7 on main'],
    ['the next goes to the same', place('single_pr', '2.1', row(1, 'open', '1')), 'interlock/runbook-7'],
    ['in manual mode too', place('manual', '2.1', row(1, 'planned', '1')), 'interlock/runbook-7'],
    ['a merged one has a successor', place('single_pr', '2.1', row(1, 'merged', '1')), 'interlock/runbook-7-2 on main'],
    ['a closed one too', place('manual', '2.1', row(1, 'closed', '1')), 'interlock/runbook-7-2 on main'],
    [
      'in a stack a step has its own',
      place('stacked_pr', '2.1', row(1, 'open', '1')),
      'interlock/runbook-7-2 on interlock/runbook-7',
    ],
    ['in a stack leaves of a step share one', place('stacked_pr', '1.2', row(1, 'open', '1')), 'interlock/runbook-7'],
    [
      'a follow-up stands on what is open of the stack',
      place('stacked_pr', '3.1', row(1, 'merged', '1'), row(2, 'open', '2')),
      'interlock/runbook-7-3 on interlock/runbook-7-2',
    ],
    [
      'after a stack has merged, a new one begins',
      place('stacked_pr', '3.1', row(1, 'merged', '1'), row(2, 'merged', '2')),
      'interlock/runbook-7-3 on main',
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('what the pull request says', () => {
  it('of a commit: a first line that is short, and where it comes from', () => {
    const of = { runbookNumber: 7, leaf: '1.2' };
    expect(commitMessage('Fix it\n\nBecause.', of)).toBe('Fix it\n\nBecause.\n\nRunbook: 7\nRunbook-Step: 1.2\n');
    expect(commitMessage('  ', of)).toBe('Step 1.2 of runbook 7\n\nRunbook: 7\nRunbook-Step: 1.2\n');
    const long = commitMessage('x'.repeat(100), of);
    expect(long.split('\n')[0]).toHaveLength(72);
    expect(long).toContain('x'.repeat(100));
  });

  it('of a pull request: the description first, then what was done, then who did it', () => {
    const body = pullRequestBody({
      runbookNumber: 7,
      title: 'Tidy up',
      url: 'http://localhost:4000/runbooks/7',
      description: 'Before all.',
      leaves: [{ number: '1.1', title: 'Remove\nit', status: 'completed', summary: 'It is gone.\n\nReally.' }],
      below: [4],
      agent: 'script',
    });
    expect(body).toBe(
      'Before all.\n\nStacked on #4: merge it afterwards.\n\n### What was done\n\n- **1.1** Remove it\n  It is gone.\n\n  Really.\n\n---\n_Made by runbook [7](http://localhost:4000/runbooks/7), Tidy up._',
    );
  });

  it('labels that ask for something wait until all is done', () => {
    const labels = ['a', 'mergequeue', 'b'];
    expect(labelsNow(labels, { triggering: ['mergequeue', ''], isDone: false })).toEqual(['a', 'b']);
    expect(labelsNow(labels, { triggering: ['mergequeue', ''], isDone: true })).toEqual(labels);
  });
});
