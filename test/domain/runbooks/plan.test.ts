// The numbers of steps, the moves of leaves, and the branches of commits.
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

describe('the numbers of steps', () => {
  it('go on over follow-ups, and a step without parts has one leaf', () => {
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

  it('come with titles of one line, whatever the agent wrote', () => {
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
  it('moves only along its table', () => {
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

describe('the branch of a commit', () => {
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
    ['is new for the first commit', place('single_pr', '1.1'), 'interlock/runbook-7 on main'],
    ['is the same for the next commit', place('single_pr', '2.1', row(1, 'open', '1')), 'interlock/runbook-7'],
    ['is the same in manual mode too', place('manual', '2.1', row(1, 'planned', '1')), 'interlock/runbook-7'],
    [
      'is a new one after the pull request was merged',
      place('single_pr', '2.1', row(1, 'merged', '1')),
      'interlock/runbook-7-2 on main',
    ],
    [
      'is a new one after the pull request was closed',
      place('manual', '2.1', row(1, 'closed', '1')),
      'interlock/runbook-7-2 on main',
    ],
    [
      'is one for each step in a stack',
      place('stacked_pr', '2.1', row(1, 'open', '1')),
      'interlock/runbook-7-2 on interlock/runbook-7',
    ],
    [
      'is the same for leaves of a step in a stack',
      place('stacked_pr', '1.2', row(1, 'open', '1')),
      'interlock/runbook-7',
    ],
    [
      'is on top of the open part of the stack, for a follow-up',
      place('stacked_pr', '3.1', row(1, 'merged', '1'), row(2, 'open', '2')),
      'interlock/runbook-7-3 on interlock/runbook-7-2',
    ],
    [
      'is on the target branch after the whole stack has merged',
      place('stacked_pr', '3.1', row(1, 'merged', '1'), row(2, 'merged', '2')),
      'interlock/runbook-7-3 on main',
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('the texts of a runbook', () => {
  it('of a commit have a short first line and the origin', () => {
    const of = { runbookNumber: 7, leaf: '1.2' };
    expect(commitMessage('Fix it\n\nBecause.', of)).toBe('Fix it\n\nBecause.\n\nRunbook: 7\nRunbook-Step: 1.2\n');
    expect(commitMessage('  ', of)).toBe('Step 1.2 of runbook 7\n\nRunbook: 7\nRunbook-Step: 1.2\n');
    const long = commitMessage('x'.repeat(100), of);
    expect(long.split('\n')[0]).toHaveLength(72);
    expect(long).toContain('x'.repeat(100));
  });

  it('of a pull request have the description first, then what was done, then the author', () => {
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
      'Before all.\n\nStacked on #4. Merge this pull request afterwards.\n\n### What was done\n\n- **1.1** Remove it\n  It is gone.\n\n  Really.\n\n---\n_Made by runbook [7](http://localhost:4000/runbooks/7), Tidy up._',
    );
  });

  it('leave out labels that trigger something until all is done', () => {
    const labels = ['a', 'mergequeue', 'b'];
    expect(labelsNow(labels, { triggering: ['mergequeue', ''], isDone: false })).toEqual(['a', 'b']);
    expect(labelsNow(labels, { triggering: ['mergequeue', ''], isDone: true })).toEqual(labels);
  });
});
