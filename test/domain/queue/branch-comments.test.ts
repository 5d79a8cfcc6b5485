// The comments that the service writes on a pull request about its branch.
import { describe, expect, it } from 'vitest';
import {
  backportBody,
  backportBranch,
  backportComment,
  backportKey,
  backportTitle,
  frozenComment,
  syncConflictComment,
  syncRefusedComment,
  syncedComment,
  type BackportNews,
} from '../../../src/domain/queue/explain/branch-comments.ts';
import { frozen } from './explained.ts';

const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `src/${at}.ts`);
const listed = (count: number): string =>
  paths(count)
    .map((path) => `- \`${path}\``)
    .join('\n');

describe('the comment about a conflict', () => {
  const cure = 'Resolve the conflict on the branch and push.';
  it.each([
    [
      'of a merge',
      'merge',
      paths(2),
      `**Not brought up to date.** Merging \`main\` into the branch conflicts in:\n\n${listed(2)}\n\n${cure}`,
    ],
    [
      'of a rebase',
      'rebase',
      paths(1),
      `**Not brought up to date.** Rebasing the branch onto \`main\` conflicts in:\n\n${listed(1)}\n\n${cure}`,
    ],
    [
      'in paths that the host does not name',
      'merge',
      [],
      `**Not brought up to date.** Merging \`main\` into the branch conflicts in:\n\nThe host names no paths.\n\n${cure}`,
    ],
    [
      'in twenty paths',
      'merge',
      paths(20),
      `**Not brought up to date.** Merging \`main\` into the branch conflicts in:\n\n${listed(20)}\n\n${cure}`,
    ],
    [
      'in more than twenty paths',
      'merge',
      paths(23),
      `**Not brought up to date.** Merging \`main\` into the branch conflicts in:\n\n${listed(20)}\n- and 3 more\n\n${cure}`,
    ],
  ] as const)('%s', (_name, method, conflicts, text) => {
    expect(syncConflictComment({ baseBranch: 'main', method, paths: conflicts })).toBe(text);
  });
});

it('the other comments about a head and its base say what happened', () => {
  expect(syncRefusedComment({ baseBranch: 'main', message: 'it is a fork' })).toBe(
    '**Not brought up to date** with `main`: it is a fork.',
  );
  expect(syncedComment({ baseBranch: 'main', head: 'abc' })).toBe('**Up to date** with `main` again, at abc.');
  expect(frozenComment('main', frozen)).toMatch(/^Nothing is merged into `main` for now: it is frozen/);
});

describe('a backport', () => {
  it.each<[BackportNews, string, string]>([
    [{ kind: 'started' }, 'backport:v1:begin', '**Backport** to `v1` has started.'],
    [{ kind: 'waiting' }, 'backport:v1:begin', '**Backport** to `v1` begins when this pull request is merged.'],
    [
      { kind: 'opened', number: 9, url: 'https://x.test/9' },
      'backport:v1:result',
      '**Backport** to `v1`: opened as #9, https://x.test/9',
    ],
    [
      { kind: 'conflict', paths: paths(1), commits: ['abc', 'def'] },
      'backport:v1:failure',
      `**Backport** to \`v1\` conflicts in:\n\n${listed(1)}\n\nNothing was pushed. To make the backport by hand, run on a branch made from \`v1\`: \`git cherry-pick abc def\` (\`-m 1\` for a merge commit).`,
    ],
    [
      { kind: 'refused', message: 'the branch does not exist' },
      'backport:v1:failure',
      '**Backport** to `v1` was not made: the branch does not exist.',
    ],
  ])('with the news %j has the comment %s', (news, key, text) => {
    expect([backportKey('v1', news), backportComment('v1', news)]).toEqual([key, text]);
  });

  it('has a branch, a title and a body that name its source', () => {
    expect(backportBranch(7, 'v1')).toBe('interlock/backport-7-to-v1');
    expect(backportTitle('v1', 'Sell tea')).toBe('[v1] Sell tea');
    expect(backportTitle('release/2026-11', 'a'.repeat(256))).toBe(`[release/2026-11] ${'a'.repeat(237)}…`);
    expect(backportBody({ number: 7, url: 'https://x.test/7', target: 'v1' })).toBe(
      'Backport of #7 (https://x.test/7) to `v1`.',
    );
  });
});
