// What git shows after a landing: the authors, the first-parent line and the trees.
import { describe, expect, it } from 'vitest';
import { openPullRequest, queuePullRequest } from '../../src/modules/queue/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, line, setLabel } from './stories.ts';
import { among, cases } from '../support/tier.ts';

/** Opens #1 with two commits, `One` and `Two`, and #2 with `Change b`. */
async function twoPullRequests(w: World): Promise<void> {
  await w.commit('a', { 'a.txt': '1\n' }, { message: 'One' });
  await w.commit('a', { 'a.txt': '2\n' }, { message: 'Two' });
  await w.commit('b', { 'b.txt': 'b\n' });
  for (const name of ['a', 'b'])
    await openPullRequest(w.ctx, { repository: w.repository, title: `Add ${name}`, headBranch: name });
}

async function log(w: World, ...args: string[]): Promise<string[]> {
  return (await w.git('log', '--reverse', ...args)).split('\n');
}

const ownCommits = {
  squash: ['Add a (#1)', 'Add b (#2)'],
  merge: ['Add a (#1)', 'Add b (#2)'],
  rebase: ['One', 'Two', 'Change b'],
} as const;

const batches = (['squash', 'merge', 'rebase'] as const).flatMap((strategy) =>
  (['group', 'linear'] as const).map((batchCommit) => `${strategy} ${batchCommit}` as const),
);

it.each(
  among(batches, ['squash group', 'rebase linear']).map(
    (name) => name.split(' ') as [keyof typeof ownCommits, 'group' | 'linear'],
  ),
)('a batch lands by %s as a %s commit', async (strategy, batchCommit) => {
  await using w = await world({
    configuration: `${parallel({ builds: 1, batch: 2 })}merge_strategy:\n  name: ${strategy}\n  batch_commit: ${batchCommit}\n`,
  });
  const base = await w.git('rev-parse', 'main');
  await twoPullRequests(w);
  const heads = [(await w.status(1)).head_sha, (await w.status(2)).head_sha];
  await w.queue(1, 2);
  await w.settled(1, 2);
  await expectLandedOnce(w, 1, 2);

  const chain = batchCommit === 'group' ? 'main^2' : 'main';
  expect(await log(w, '--first-parent', '--format=%s', `${base}..${chain}`)).toEqual(ownCommits[strategy]);
  if (batchCommit === 'group') {
    expect(await line(w)).toEqual(['Land #1 and #2']);
    expect(await w.git('rev-parse', 'main^1')).toBe(base);
    expect(await w.git('rev-parse', 'main^{tree}')).toBe(await w.git('rev-parse', 'main^2^{tree}'));
  }
  const merged = strategy === 'merge' ? [`Add a (#1) ${heads[0]}`, `Add b (#2) ${heads[1]}`] : [];
  const merges = (await w.git('log', '--reverse', '--merges', '--first-parent', '--format=%s %P', `${base}..${chain}`))
    .split('\n')
    .filter(Boolean);
  expect(merges.map((text) => text.replace(/ [0-9a-f]+( [0-9a-f]+)$/, '$1'))).toEqual(merged);
  const authors = await log(w, '--no-merges', '--format=%an <%ae>', `${base}..${chain}`);
  expect(new Set(authors)).toEqual(new Set(['Ada <ada@example.test>']));
  expect(await w.git('ls-tree', '--name-only', 'main')).toBe('.service\nREADME.md\na.txt\nb.txt');
  expect(await w.git('show', 'main:a.txt')).toBe('2');
  const members = await w.rows<{ own_commit: string }>('select own_commit from landed_member order by pull_request_id');
  const subjects = await Promise.all(
    members.map(async ({ own_commit }) => await w.git('log', '-1', '--format=%s', own_commit)),
  );
  expect(subjects).toEqual(strategy === 'rebase' ? ['Two', 'Change b'] : ['Add a (#1)', 'Add b (#2)']);
});

describe('one pull request', () => {
  it.each(
    cases<readonly [keyof typeof ownCommits, string, number]>({
      standard: [
        ['merge', 'Add a (#1)', 2],
        // Two commits arrive in one landing, so a group commit holds them.
        ['rebase', 'Land #1', 2],
      ],
      full: [['squash', 'Add a (#1)', 1]],
    }),
  )('that lands by %s is one commit on the first-parent line', async (strategy, subject, parents) => {
    await using w = await world({ configuration: `${parallel()}merge_strategy:\n  name: ${strategy}\n` });
    const base = await w.git('rev-parse', 'main');
    await twoPullRequests(w);
    await w.queue(1);
    await w.settled(1);
    await expectLandedOnce(w, 1);
    expect(await line(w)).toEqual([subject]);
    const of = (await w.git('log', '-1', '--format=%P', 'main')).split(' ');
    expect(of).toHaveLength(parents);
    expect(of[0]).toBe(base);
    if (strategy === 'merge') expect(of[1]).toBe((await w.status(1)).head_sha);
    if (strategy === 'rebase') expect(await log(w, '--format=%s', `${base}..main^2`)).toEqual(['One', 'Two']);
  });

  it('lands with the message that it was queued with', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const mergeCommitMessage = { title: 'Sell tea', body: 'By the cup.\n\nAnd by the pot.' };
    await queuePullRequest(w.ctx, { repository: w.repository, number, source: 'graphql_api', mergeCommitMessage });
    await w.settled(number);
    expect(await w.git('log', '-1', '--format=%B', 'main')).toBe('Sell tea\n\nBy the cup.\n\nAnd by the pot.');
  });
});

describe('a commit message', () => {
  it('follows the rules for titles, bodies and co-authors, in the bot pull request and in the landed commits', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 1, batch: 2 })}merge_commit:
  cut_body_before: '## Message'
  cut_body_after: '## Checklist'
  strip_html_comments: true
  include_coauthors: true
  apply_title_regexes:
    - {pattern: '^(\\w+): ', replace: '[$1] ', match_type: regex, applies_to: merge_commit}
    - {pattern: 'tea', replace: 'TEA', applies_to: draft_pr}
`,
    });
    await w.commit('a', { 'a.txt': '1\n' }, { author: 'Bob <bob@example.test>' });
    await w.commit('a', { 'a.txt': '2\n' }, { message: 'More\n\nCo-authored-by: Cyd <cyd@example.test>' });
    await w.commit('b', { 'b.txt': 'b\n' });
    const body = '# Template\n## Message\nBy the cup.<!-- or pot -->\n## Checklist\n- [ ] boiled\n';
    await openPullRequest(w.ctx, { repository: w.repository, title: 'feat: sell tea', body, headBranch: 'a' });
    await openPullRequest(w.ctx, { repository: w.repository, title: 'fix: stir tea', headBranch: 'b' });
    await w.queue(1, 2);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request')).length > 0);
    const [bot] = await w.rows<{ number: number }>('select number from bot_pull_request');
    const opened = await w.host.pullRequest(bot?.number ?? 0);
    expect(opened?.title).toBe('Validate #1, #2 for main: feat: sell TEA, fix: stir TEA');
    await w.settled(1, 2);
    await expectLandedOnce(w, 1, 2);
    expect(await w.git('log', '-1', '--format=%B', 'main')).toBe(
      'Land #1 and #2\n\n* [feat] sell tea (#1)\n* [fix] stir tea (#2)',
    );
    expect(await w.git('log', '-1', '--format=%B', 'main^2~1')).toBe(
      '[feat] sell tea (#1)\n\nBy the cup.\n\nCo-authored-by: Bob <bob@example.test>\nCo-authored-by: Cyd <cyd@example.test>',
    );
    expect(await w.git('log', '-1', '--format=%B', 'main^2')).toBe('[fix] stir tea (#2)');
  });
});

describe('a label', () => {
  it('selects the strategy of one pull request in a batch, and two contradicting labels block the pull request', async () => {
    await using w = await world({
      configuration: `${parallel({ builds: 1, batch: 3 })}merge_strategy:\n  override_labels: {merge: as-merge, rebase: as-they-are}\n`,
    });
    const base = await w.git('rev-parse', 'main');
    await twoPullRequests(w);
    const third = await w.open('c', { 'c.txt': 'c\n' });
    await setLabel(w, 1, 'as-they-are');
    await setLabel(w, 2, 'as-merge');
    await setLabel(w, 2, 'as-they-are');
    await w.queue(2);
    expect(await w.status(2)).toMatchObject({ status: 'blocked', status_code: 108 });
    expect((await w.status(2)).status_text).toContain('as-merge (merge), as-they-are (rebase)');
    await setLabel(w, 2, 'as-they-are', false);
    await w.queue(1, 2, third);
    await w.settled(1, 2, third);
    await expectLandedOnce(w, 1, 2, third);
    expect(await log(w, '--first-parent', '--format=%s', `${base}..main^2`)).toEqual([
      'One',
      'Two',
      'Add b (#2)',
      'Add c (#3)',
    ]);
    const parents = (await log(w, '--first-parent', '--format=%P', `${base}..main^2`)).map((text) => text.split(' '));
    expect(parents.map((of) => of.length)).toEqual([1, 1, 2, 1]);
    expect(parents[2]?.[1]).toBe((await w.status(2)).head_sha);
    expect(await line(w)).toEqual(['Land #1, #2 and #3']);
  });
});
