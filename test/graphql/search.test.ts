// What a search finds: by kind, in a repository or in the whole account, at a cost that does not grow with the rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainAll, watchPlans } from '../support/plans.ts';
import { analyse } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook } from '../runbooks/runbook-rows.ts';
import { seed } from './seed.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
  const shop = await seed(s);
  const site = await seed(s, { name: 'site' });
  await s.rows(
    `update pull_request set title = 'Gift cards: keep_100% of it', author = 'grace', head_branch = 'feature/vouchers'
                where repository_id = $1 and number = 1`,
    [shop.repositoryId],
  );
  await seedRunbook(s, { repositoryId: shop.repositoryId, more: { title: 'Paint the gift shop' } });
  await seedRunbook(s, { repositoryId: site.repositoryId, more: { title: 'Paint the site' } });
  for (const [project, repository] of [
    ['shop-web', 'shop'],
    ['site-web', 'site'],
  ]) {
    await run(
      `mutation ($project: String!, $name: String!) {
         createReleaseProject(input: {name: $project, repository: {owner: "acme", name: $name}, build: {kind: COMMAND, command: "true"}}) { releaseProject { id } }
         createEnvironment(input: {project: $project, name: "production", tier: PRODUCTION, provider: {kind: COMMAND, command: "true"}}) { environment { id } } }`,
      { project, name: repository },
    );
  }
  await s.rows(
    `with made as (insert into release (account_id, project_id, version, created_at) select account_id, id, '2.4', now() from release_project returning *)
     insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
     select m.account_id, m.project_id, m.id, '2.4-rc1', 1, repeat('d', 40), p.repository_id, 'ready', 'ada', now()
     from made m join release_project p on p.id = m.project_id`,
  );
});
afterAll(async () => await s.close());

async function run(document: string, variables: Readonly<Record<string, unknown>>): Promise<void> {
  const answer = await s.graphql(document, variables);
  if (answer.errors.length > 0) throw new Error(answer.text);
}

interface Found {
  readonly pullRequests: readonly { readonly number: number; readonly repository: { readonly name: string } }[];
  readonly runbooks: readonly { readonly title: string }[] | null;
  readonly environments: readonly { readonly project: { readonly name: string } }[] | null;
  readonly releaseCandidates: readonly { readonly project: { readonly name: string } }[] | null;
}

const everything = `query ($text: String!, $repository: RepositoryInput, $first: Int) { search(text: $text, repository: $repository, first: $first) {
  pullRequests { number repository { name } } runbooks { title } environments { name project { name } } releaseCandidates { version project { name } } } }`;
const shop = { owner: 'acme', name: 'shop' };

async function find(text: string, more: Readonly<Record<string, unknown>> = {}, token = s.token): Promise<Found> {
  const answer = await s.graphql<{ search: Found }>(everything, { text, ...more }, token);
  expect(answer.errors).toEqual([]);
  return answer.data.search;
}

const pullRequests = ({ pullRequests: found }: Found): string[] =>
  found.map(({ number, repository }) => `${repository.name}#${number}`);

describe('a search', () => {
  it.each([
    ['a word of the title', 'gift', ['shop#1']],
    ['the beginning of a word', 'vouch', ['shop#1']],
    ['a word in the middle', 'ouche', ['shop#1']],
    ['the author', 'GRACE', ['shop#1']],
    ['words in any order', 'grace cards vouchers', ['shop#1']],
    ['words of which one does not match', 'grace refunds', []],
    ['the head branch', 'topic-4', ['site#4', 'shop#4']],
    ['a number', '4', ['site#4', 'shop#4']],
    ['a number with its sign', '#4', ['site#4', 'shop#4']],
    ['characters that are special in patterns', 'keep_100%', ['shop#1']],
    ['a special character alone', '%', ['shop#1']],
  ])('finds pull requests by %s', async (_what, text, numbers) => {
    expect(pullRequests(await find(text)).toSorted()).toEqual(numbers.toSorted());
  });

  it('finds only rows of the named repository', async () => {
    expect(pullRequests(await find('#4', { repository: shop }))).toEqual(['shop#4']);
    const { runbooks, environments, releaseCandidates } = await find('web', { repository: shop });
    expect(runbooks).toEqual([]);
    expect(environments?.map(({ project }) => project.name)).toEqual(['shop-web']);
    expect(releaseCandidates?.map(({ project }) => project.name)).toEqual(['shop-web']);
  });

  it('finds runbooks by title and number, environments by name and project, and release candidates by version', async () => {
    expect((await find('paint')).runbooks?.map(({ title }) => title)).toEqual([
      'Paint the site',
      'Paint the gift shop',
    ]);
    expect((await find('#1')).runbooks?.map(({ title }) => title)).toEqual(['Paint the gift shop']);
    expect((await find('site production')).environments?.map(({ project }) => project.name)).toEqual(['site-web']);
    expect((await find('2.4-rc1 shop')).releaseCandidates?.map(({ project }) => project.name)).toEqual(['shop-web']);
  });

  it('finds a new title, and no longer the old one', async () => {
    await s.rows(`update pull_request set title = 'Zebra crossing' where number = 6`);
    expect(pullRequests(await find('zebra'))).toEqual(['site#6', 'shop#6']);
    await s.rows(`update pull_request set title = 'Change 6' where number = 6`);
    expect(pullRequests(await find('zebra'))).toEqual([]);
    expect(await s.rows(`select 1 from pull_request_word where word = 'zebra'`)).toEqual([]);
  });

  it.each([
    ['', 'text must have a word'],
    [' ', 'text must have a word'],
    ['a'.repeat(201), 'text must have at most 200 characters'],
    ['a b c d e f g h i j k', 'text must have at most 10 words'],
  ])('is refused for the text %j', async (text, sentence) => {
    const { errors } = await s.graphql(everything, { text });
    expect(errors).toMatchObject([{ message: sentence, extensions: { code: 'BAD_INPUT' } }]);
  });

  it('returns at most the requested number of rows', async () => {
    expect(pullRequests(await find('change', { first: 3 }))).toHaveLength(3);
    const { errors } = await s.graphql(everything, { text: 'a', first: 21 });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
  });
});

describe('a user who searches', () => {
  it('needs queue:read', async () => {
    const { errors } = await s.graphql(everything, { text: 'a' }, await s.tokenWith(['analytics:read']));
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it('gets null for kinds whose scope the token lacks', async () => {
    const found = await find('web', {}, await s.tokenWith(['queue:read']));
    expect(found).toMatchObject({ runbooks: null, environments: null, releaseCandidates: null });
  });

  it('finds nothing of another account', async () => {
    const { token } = await s.otherAccount('Other');
    expect(await find('change', {}, token)).toEqual({
      pullRequests: [],
      runbooks: [],
      environments: [],
      releaseCandidates: [],
    });
    const { errors } = await s.graphql(everything, { text: 'change', repository: shop }, token);
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

it('a search reads no more rows among three times as many pull requests, and finds the oldest of them', async () => {
  await s.rows(`update pull_request set head_branch = 'feature/vouchers' where number = 1`);
  // The rows are inserted in parts, because a statement has a time limit. PostgreSQL analyses the table after each
  // part, so that sessions plan again. A plan for a table of a few rows would read the whole table for every row.
  for (const [name, count] of [
    ['shop', 3_000],
    ['site', 9_000],
  ] as const)
    for (let from = 10; from <= count; from += 1_000) {
      await s.rows(
        `insert into pull_request (account_id, repository_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, created_at)
         select r.account_id, r.id, n, 'Change of the day', 'ada', 'A', 'a@example.test', 'branch-' || n, 'main', repeat('a', 40), 'https://example.test', 'closed', now()
         from repository r, generate_series($2::int, least($2::int + 999, $3::int)) n where r.name = $1`,
        [name, from, count],
      );
      await analyse(s.databaseUrl, 'pull_request', 'pull_request_word');
    }
  await explainAll(s.databaseUrl);
  // The service notices that sessions have ended only when it uses them.
  await expect.poll(async () => (await s.graphql(everything, { text: 'day' })).errors).toEqual([]);
  using plans = watchPlans();
  const searchAll = async (name: string): Promise<number> => {
    const repository = { owner: 'acme', name };
    plans.take();
    expect(pullRequests(await find('vouchers', { repository }))).toEqual([`${name}#1`]);
    expect(pullRequests(await find('#1', { repository }))[0]).toBe(`${name}#1`);
    expect(pullRequests(await find('branch-10', { repository, first: 1 }))).toHaveLength(1);
    expect(pullRequests(await find('day', { repository }))).toHaveLength(10);
    expect(pullRequests(await find('nobody', { repository }))).toEqual([]);
    const searches = plans.take().filter(({ text }) => text.includes('pull_request_word'));
    expect(searches).toHaveLength(5);
    return searches.reduce((sum, { blocks }) => sum + blocks, 0);
  };
  // Lets the connections make their first plans.
  await searchAll('shop');
  const ofFew = await searchAll('shop');
  expect(await searchAll('site')).toBeLessThan(1.3 * ofFew);
});
