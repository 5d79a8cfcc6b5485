import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'graphql';
import { costOf } from '../../github-emulator/graphql/cost.ts';
import { decideReviewDecision } from '../../github-emulator/pulls/reviewing.ts';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
beforeAll(async () => {
  w = await emulatorWorld();
});
afterEach(() => w.expectNoMistakes());
afterAll(async () => await w[Symbol.asyncDispose]());

/** Sends a query with a token of the App's installation. */
async function ask(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
  return await w.bot.graphql(query, { ...w.place, ...variables });
}

async function refusalOf(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
  try {
    return await ask(query, variables);
  } catch (error) {
    return (error as { errors: unknown }).errors;
  }
}

const head = 'query ($owner: String!, $repo: String!)';
const onPull = (fields: string): string =>
  `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) { pullRequest(number: $number) { ${fields} } } }`;
const onCommit = (fields: string): string =>
  `query ($owner: String!, $repo: String!, $sha: GitObjectID) { repository(owner: $owner, name: $repo) { object(oid: $sha) { ... on Commit { ${fields} } } } }`;

describe('a pull request', () => {
  it('shows its head and base, labels, reviews, threads and who added a label', async () => {
    const { number, sha } = await w.open('reviewed');
    const mona = w.octokitOf(w.emulator.addPerson('mona', 'admin').token);
    const guest = w.octokitOf(w.emulator.addPerson('guest', 'member').token);
    await w.bot.issues.addLabels({ ...w.place, issue_number: number, labels: ['queued'] });
    await mona.pulls.createReview({ ...w.place, pull_number: number, event: 'REQUEST_CHANGES', body: 'No' });
    await mona.pulls.createReview({ ...w.place, pull_number: number, event: 'APPROVE' });
    await guest.pulls.createReview({ ...w.place, pull_number: number, event: 'APPROVE' });
    await mona.pulls.createReviewComment({
      ...w.place,
      pull_number: number,
      body: 'Why?',
      path: 'reviewed.txt',
      commit_id: sha,
      line: 1,
    });
    const fields = `
      number isCrossRepository headRefOid baseRefName reviewDecision mergeCommit { oid }
      labels(first: 9) { nodes { name } }
      latestOpinionatedReviews(first: 9, writersOnly: true) { nodes { state author { login } commit { oid } } }
      reviewThreads(first: 9) { nodes { isResolved comments(first: 1) { nodes { body } } } }
      timelineItems(last: 1, itemTypes: [LABELED_EVENT, UNLABELED_EVENT]) {
        nodes { ... on LabeledEvent { label { name } actor { __typename login } } }
      }`;
    expect(await ask(onPull(fields), { number })).toEqual({
      repository: {
        pullRequest: {
          number,
          isCrossRepository: false,
          headRefOid: sha,
          baseRefName: 'main',
          reviewDecision: null,
          mergeCommit: null,
          labels: { nodes: [{ name: 'queued' }] },
          latestOpinionatedReviews: {
            nodes: [{ state: 'APPROVED', author: { login: 'mona' }, commit: { oid: sha } }],
          },
          reviewThreads: { nodes: [{ isResolved: false, comments: { nodes: [{ body: 'Why?' }] } }] },
          timelineItems: {
            nodes: [{ label: { name: 'queued' }, actor: { __typename: 'Bot', login: w.emulator.slug } }],
          },
        },
      },
    });
  });

  it('that does not exist is NOT_FOUND, and so is a repository that the user may not see', async () => {
    expect(await refusalOf(onPull('id'), { number: 999 })).toMatchObject([
      { type: 'NOT_FOUND', message: 'Could not resolve to a PullRequest with the number of 999.' },
    ]);
    const stranger = w.octokitOf(w.emulator.addPerson('stranger').token);
    await expect(stranger.graphql(onPull('id'), { ...w.place, number: 1 })).rejects.toMatchObject({
      errors: [
        {
          type: 'NOT_FOUND',
          path: ['repository'],
          message: `Could not resolve to a Repository with the name '${w.owner}/${w.repo}'.`,
        },
      ],
    });
  });
});

it.each([
  [['APPROVED'], 0, null],
  [[], 1, 'REVIEW_REQUIRED'],
  [['APPROVED'], 2, 'REVIEW_REQUIRED'],
  [['APPROVED', 'DISMISSED'], 1, 'APPROVED'],
  [['APPROVED', 'CHANGES_REQUESTED'], 1, 'CHANGES_REQUESTED'],
] as const)('the reviews %j, with %i approvals required, give the decision %s', (states, demanded, decision) => {
  expect(
    decideReviewDecision(
      states.map((state) => ({ state })),
      demanded,
    ),
  ).toBe(decision);
});

describe('the checks of a commit', () => {
  it('are listed by suite, with all runs or the latest ones, and are combined in a rollup', async () => {
    const sha = await w.clone.push('checked', { 'c.txt': 'c\n' });
    const report = async (conclusion: 'failure' | 'success') =>
      await w.bot.checks.create({ ...w.place, name: 'lint', head_sha: sha, conclusion });
    await report('failure');
    await report('success');
    const runs = (type: string): string =>
      `checkRuns(first: 9, filterBy: { checkType: ${type} }) { nodes { name conclusion } }`;
    const fields = `statusCheckRollup { state } signature { isValid }
      checkSuites(first: 9) { nodes { app { slug } workflowRun { event } all: ${runs('ALL')} latest: ${runs('LATEST')} } }`;
    expect(await ask(onCommit(fields), { sha })).toEqual({
      repository: {
        object: {
          statusCheckRollup: { state: 'SUCCESS' },
          signature: null,
          checkSuites: {
            nodes: [
              {
                app: { slug: w.emulator.slug },
                workflowRun: null,
                all: {
                  nodes: [
                    { name: 'lint', conclusion: 'FAILURE' },
                    { name: 'lint', conclusion: 'SUCCESS' },
                  ],
                },
                latest: { nodes: [{ name: 'lint', conclusion: 'SUCCESS' }] },
              },
            ],
          },
        },
      },
    });
  });
});

describe('the rules of a branch', () => {
  it('show what classic protection allows the user', async () => {
    await w.clone.push('safe', { 's.txt': 's\n' });
    await w.person.repos.updateBranchProtection({
      ...w.place,
      branch: 'safe',
      required_status_checks: { strict: true, contexts: ['ci'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: { users: [], teams: [], apps: [] },
      required_linear_history: true,
    });
    const query = `${head} { repository(owner: $owner, name: $repo) {
      ref(qualifiedName: "refs/heads/safe") { refUpdateRule {
        viewerCanPush requiredStatusCheckContexts requiresLinearHistory requiresSignatures } }
      branchProtectionRules(first: 9) { totalCount nodes { pattern requiredStatusChecks { context app { slug } } } } } }`;
    expect(await ask(query)).toEqual({
      repository: {
        ref: {
          refUpdateRule: {
            viewerCanPush: false,
            requiredStatusCheckContexts: ['ci'],
            requiresLinearHistory: true,
            requiresSignatures: false,
          },
        },
        branchProtectionRules: {
          totalCount: 1,
          nodes: [{ pattern: 'safe', requiredStatusChecks: [{ context: 'ci', app: null }] }],
        },
      },
    });
  });

  it('show the type and parameters of each rule of a ruleset', async () => {
    await w.clone.push('kept', { 'k.txt': 'k\n' });
    const required = {
      required_approving_review_count: 2,
      dismiss_stale_reviews_on_push: false,
      require_code_owner_review: false,
      require_last_push_approval: false,
      required_review_thread_resolution: false,
    };
    await w.person.repos.createRepoRuleset({
      ...w.place,
      name: 'reviewed',
      target: 'branch',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/heads/kept'], exclude: [] } },
      rules: [{ type: 'deletion' }, { type: 'pull_request', parameters: required }],
    });
    const query = `${head} { repository(owner: $owner, name: $repo) { ref(qualifiedName: "refs/heads/kept") {
      rules(first: 9) { nodes { type parameters { ... on PullRequestParameters { requiredApprovingReviewCount } } } } } } }`;
    expect(await ask(query)).toEqual({
      repository: {
        ref: {
          rules: {
            nodes: [
              { type: 'DELETION', parameters: null },
              { type: 'PULL_REQUEST', parameters: { requiredApprovingReviewCount: 2 } },
            ],
          },
        },
      },
    });
  });

  it('are FORBIDDEN for a token without the permission', async () => {
    const { data } = await w.app.apps.createInstallationAccessToken({
      installation_id: Number(w.emulator.installationId),
      permissions: { pull_requests: 'read' },
    });
    const query = `${head} { repository(owner: $owner, name: $repo) { name branchProtectionRules(first: 1) { totalCount } } }`;
    await expect(w.octokitOf(data.token).graphql(query, w.place)).rejects.toMatchObject({
      errors: [
        {
          type: 'FORBIDDEN',
          path: ['repository', 'branchProtectionRules'],
          message: 'Resource not accessible by integration',
        },
      ],
    });
  });
});

describe('pages', () => {
  const list = (page: string): string =>
    `${head} { repository(owner: $owner, name: $repo) { pullRequests(${page}) { nodes { number } pageInfo { hasNextPage endCursor } } } }`;

  it('follow each other by the cursor', async () => {
    await w.open('page-1');
    await w.open('page-2');
    const first = (await ask(list('first: 2, orderBy: { field: CREATED_AT, direction: ASC }'))) as {
      repository: {
        pullRequests: { nodes: { number: number }[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      };
    };
    const { nodes, pageInfo } = first.repository.pullRequests;
    expect(nodes.map(({ number }) => number)).toEqual([1, 2]);
    expect(pageInfo.hasNextPage).toBe(true);
    const next = await ask(list(`first: 2, after: "${pageInfo.endCursor}"`));
    expect(next).toMatchObject({ repository: { pullRequests: { nodes: [{ number: 3 }] } } });
  });

  it.each([
    ['states: [OPEN]', 'MISSING_PAGINATION_BOUNDARIES'],
    ['first: 101', 'EXCESSIVE_PAGINATION'],
  ])('with %s are refused as %s', async (page, type) => {
    expect(await refusalOf(list(page))).toMatchObject([{ type }]);
  });
});

describe('a GraphQL document', () => {
  it('is refused if it does not fit the schema', async () => {
    expect(await refusalOf('{ viewer { shoeSize } }')).toMatchObject([
      { message: 'Cannot query field "shoeSize" on type "User".' },
    ]);
  });

  it('costs points by its connections, and `rateLimit` shows the cost and the limit', async () => {
    expect(await ask('{ rateLimit { cost limit } }')).toEqual({ rateLimit: { cost: 1, limit: 5000 } });
    const nested = parse(
      '{ repository(owner: "o", name: "r") { pullRequests(first: 50) { nodes { reviews(first: 10) { nodes { comments(first: 5) { totalCount } } } } } } }',
    );
    expect(costOf(nested, {})).toEqual({ points: 6, nodes: 50 + 500 + 2500 });
  });

  it('fails with the name of the field if the emulator has no answer for a field', async () => {
    expect(await refusalOf('{ viewer { gists(first: 1) { totalCount } } }')).toMatchObject([
      { message: 'The emulator has no answer for User.gists.' },
    ]);
    // The emulator recorded the field as a mistake, so that no test can overlook it. This test expects the mistake and
    // removes it.
    expect(w.emulator.core.mistakes.splice(0)).toEqual([expect.stringContaining('User.gists')]);
  });
});

describe('updateRefs', () => {
  const move = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;

  it('moves all refs or none, and only if each ref is at the expected commit', async () => {
    const a = await w.clone.push('ref-a', { 'a1.txt': 'a\n' });
    const b = await w.clone.push('ref-b', { 'a2.txt': 'a\n' }, 'origin/ref-a');
    const found = (await ask(`${head} { repository(owner: $owner, name: $repo) { id } }`)) as {
      repository: { id: string };
    };
    const input = (beforeOid: string) => ({
      repositoryId: found.repository.id,
      refUpdates: [
        { name: 'refs/heads/ref-new', afterOid: b, beforeOid: '0'.repeat(40) },
        { name: 'refs/heads/ref-a', afterOid: b, beforeOid },
      ],
    });
    expect(await refusalOf(move, { input: input(b) })).toMatchObject([{ type: 'STALE_DATA' }]);
    expect(await w.clone.git('ls-remote', 'origin', 'refs/heads/ref-new')).toBe('');
    await ask(move, { input: input(a) });
    const listed = await w.clone.git('ls-remote', 'origin', 'refs/heads/ref-new', 'refs/heads/ref-a');
    expect(listed.split('\n').map((line) => line.slice(0, 40))).toEqual([b, b]);
  });
});
