// From a pull request to the environments in which it runs, and back, with real landings in real git.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reconcileAll } from '../../src/reconciler.ts';
import { makeRepository, openPullRequest } from '../rest/contract/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const who = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'a@b.test',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'a@b.test',
};
const repository = { owner: 'acme', name: 'shop' };

let s: TestServer;
let work: string;
let remote: string;
let now = Date.parse('2026-03-01T00:00:00Z');

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: work, env: { ...process.env, ...who, GIT_TERMINAL_PROMPT: '0' } })).stdout.trim();

async function ask<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
  const answer = await s.graphql<Data>(query, variables);
  if (answer.errors.length > 0) throw new Error(answer.text);
  return answer.data;
}

async function pushBranch(name: string, from: string): Promise<string> {
  await git('fetch', '-q', remote, '+refs/heads/*:refs/remotes/origin/*');
  await git('checkout', '-q', '-B', name, from);
  await writeFile(join(work, `${name}.txt`), `${name}\n`);
  await git('add', '-A');
  await git('commit', '-q', '-m', `Add ${name}`);
  await git('push', '-q', remote, name);
  return await git('rev-parse', 'HEAD');
}

/** Lands a pull request of a branch with one file, and returns its number. */
async function land(name: string): Promise<number> {
  await pushBranch(name, 'origin/main');
  const number = await openPullRequest(s, { repository, title: `Add ${name}`, headBranch: name, baseBranch: 'main' });
  const body = {
    action: 'queue',
    pull_request: { number, repository: { org: 'acme', name: 'shop' }, skip_validation: true },
  };
  expect((await s.rest('POST', '/api/v1/pull_request', { body })).status).toBe(200);
  await s.drain();
  return number;
}

async function tip(): Promise<string> {
  await git('fetch', '-q', remote, '+refs/heads/*:refs/remotes/origin/*');
  return await git('rev-parse', 'origin/main');
}

async function candidate(version: string, commit: string): Promise<void> {
  await ask('mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { __typename } }', {
    input: { project: 'Shop', version, repository: 'acme/shop', commit },
  });
}

/** Reports a successful deployment, and returns its time. */
async function deployed(environment: string, version: string): Promise<string> {
  now += 60_000;
  const { reportDeployment } = await ask<{ reportDeployment: { deployment: { deployEndAt: string } } }>(
    `mutation ($input: ReportDeploymentInput!) { reportDeployment(input: $input) { deployment { deployEndAt } } }`,
    { input: { project: 'Shop', environment, version, status: 'SUCCESS' } },
  );
  return reportDeployment.deployment.deployEndAt;
}

let numbers: [number, number, number];
const at: Record<string, string> = {};

beforeAll(async () => {
  s = await startServer({ clock: () => new Date(now) });
  work = await mkdtemp(join(tmpdir(), 'interlock-provenance-'));
  const url = new URL(`${s.url}/git/acme/shop.git`);
  Object.assign(url, { username: 'ada', password: s.token });
  remote = url.href;
  await makeRepository(s, repository);
  await git('init', '-q', '-b', 'main');
  await writeFile(join(work, 'README.md'), 'shop\n');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'First');
  await git('push', '-q', remote, 'main');
  await ask('mutation ($input: CreateReleaseProjectInput!) { createReleaseProject(input: $input) { __typename } }', {
    input: { name: 'Shop', repository },
  });
  for (const name of ['staging', 'production'])
    await ask('mutation ($input: CreateEnvironmentInput!) { createEnvironment(input: $input) { __typename } }', {
      input: { project: 'Shop', name, provider: { kind: 'NONE' } },
    });

  const first = await land('one');
  const released = await tip();
  await candidate('1.0-rc1', released);
  const second = await land('two');
  await candidate('1.1-rc1', await tip());
  await candidate('1.0.1-rc1', await pushBranch('hotfix', released));
  const third = await land('three');
  await candidate('2.0-rc1', await tip());
  numbers = [first, second, third];
  for (const [environment, version] of [
    ['staging', '1.0-rc1'],
    ['staging', '1.1-rc1'],
    ['production', '1.1-rc1'],
    ['staging', '1.0.1-rc1'],
    ['staging', '2.0-rc1'],
  ] as const)
    at[`${environment} ${version}`] = await deployed(environment, version);
});
afterAll(async () => {
  await s.close();
  await rm(work, { recursive: true });
});

interface Shown {
  readonly releasesComplete: boolean;
  readonly landedBatch: { readonly commit: string; readonly proof: { readonly digest: string } } | null;
  readonly firstReleaseCandidate: { readonly version: string } | null;
  readonly releaseCandidates: { readonly nodes: readonly { readonly version: string }[] };
  readonly deployments: {
    readonly nodes: readonly { readonly releaseCandidateVersion: string }[];
    readonly totalCount: number;
  };
  readonly environments: readonly {
    readonly environment: { readonly name: string };
    readonly since: string;
    readonly releaseCandidate: { readonly version: string };
    readonly deployment: { readonly releaseCandidateVersion: string };
  }[];
}

async function releasesOf(number: number): Promise<Shown> {
  const { repository: found } = await ask<{ repository: { pullRequest: Shown } }>(
    `query ($number: Int!) { repository(owner: "acme", name: "shop") { pullRequest(number: $number) {
       landedBatch { commit proof { digest } }
       releasesComplete
       firstReleaseCandidate { version }
       releaseCandidates { nodes { version } }
       deployments { nodes { releaseCandidateVersion } totalCount }
       environments { environment { name } since releaseCandidate { version } deployment { releaseCandidateVersion } }
     } } }`,
    { number },
  );
  return found.pullRequest;
}

const versions = (nodes: readonly { readonly version: string }[]): string[] => nodes.map(({ version }) => version);

describe('a pull request', () => {
  it('lists the release candidates that contain it, from any branch', async () => {
    const [one, two, three] = await Promise.all(numbers.map(releasesOf));
    expect(versions(one?.releaseCandidates.nodes ?? [])).toEqual(['2.0-rc1', '1.0.1-rc1', '1.1-rc1', '1.0-rc1']);
    expect(versions(two?.releaseCandidates.nodes ?? [])).toEqual(['2.0-rc1', '1.1-rc1']);
    expect(versions(three?.releaseCandidates.nodes ?? [])).toEqual(['2.0-rc1']);
    expect(one?.firstReleaseCandidate?.version).toBe('1.0-rc1');
    expect(two?.landedBatch?.proof.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is in an environment since it was last deployed there; a deployment without it starts the time again', async () => {
    const [one, two, three] = await Promise.all(numbers.map(releasesOf));
    const shown = (pullRequest: Shown | undefined): unknown[] =>
      (pullRequest?.environments ?? []).map(({ environment, since, releaseCandidate, deployment }) => [
        environment.name,
        since,
        releaseCandidate.version,
        deployment.releaseCandidateVersion,
      ]);
    expect(shown(one)).toEqual([
      ['staging', at['staging 1.0-rc1'], '2.0-rc1', '1.0-rc1'],
      ['production', at['production 1.1-rc1'], '1.1-rc1', '1.1-rc1'],
    ]);
    expect(shown(two)).toEqual([
      ['staging', at['staging 2.0-rc1'], '2.0-rc1', '2.0-rc1'],
      ['production', at['production 1.1-rc1'], '1.1-rc1', '1.1-rc1'],
    ]);
    expect(shown(three)).toEqual([['staging', at['staging 2.0-rc1'], '2.0-rc1', '2.0-rc1']]);
    expect([two?.deployments.nodes.map((each) => each.releaseCandidateVersion), two?.deployments.totalCount]).toEqual([
      ['2.0-rc1', '1.1-rc1', '1.1-rc1'],
      3,
    ]);
  });

  it('that is not merged is in no candidate and no environment', async () => {
    await pushBranch('later', 'origin/main');
    const number = await openPullRequest(s, { repository, title: 'Later', headBranch: 'later', baseBranch: 'main' });
    expect(await releasesOf(number)).toEqual({
      releasesComplete: true,
      landedBatch: null,
      firstReleaseCandidate: null,
      releaseCandidates: { nodes: [] },
      deployments: { nodes: [], totalCount: 0 },
      environments: [],
    });
  });
});

interface Changes {
  readonly commitCount: number;
  readonly complete: boolean;
  readonly commits: readonly { readonly message: string }[];
  readonly pullRequests: readonly { readonly number: number }[];
}

const changes = 'commitCount complete commits { message } pullRequests { number }';

describe('a release candidate', () => {
  const project = async <Data>(selection: string): Promise<Data> =>
    (await ask<{ releaseProject: Data }>(`{ releaseProject(name: "Shop") { ${selection} } }`)).releaseProject;

  it('lists the pull requests that it contains, and the environments in which it runs', async () => {
    const { hotfix, newest } = await project<
      Record<
        'hotfix' | 'newest',
        {
          readonly pullRequests: {
            readonly nodes: readonly { readonly number: number }[];
            readonly totalCount: number;
          };
          readonly environments: readonly { readonly environment: { readonly name: string } }[];
        }
      >
    >(`hotfix: releaseCandidate(version: "1.0.1-rc1") { pullRequests { nodes { number } totalCount } environments { environment { name } } }
       newest: releaseCandidate(version: "2.0-rc1") { pullRequests(first: 2) { nodes { number } totalCount } environments { environment { name } } }`);
    expect(hotfix).toEqual({ pullRequests: { nodes: [{ number: numbers[0] }], totalCount: 1 }, environments: [] });
    expect(newest).toEqual({
      pullRequests: {
        nodes: numbers
          .toReversed()
          .slice(0, 2)
          .map((number) => ({ number })),
        totalCount: numbers.length,
      },
      environments: [{ environment: { name: 'staging' } }],
    });
  });

  it('shows what it adds and removes, compared with the candidate before or any other', async () => {
    const { candidate: found } = await project<{
      candidate: Record<
        'before' | 'first',
        { readonly added: Changes; readonly removed: Changes; readonly since: { readonly version: string } }
      >;
    }>(`candidate: releaseCandidate(version: "2.0-rc1") {
          before: changelog { since { version } added { ${changes} } removed { ${changes} } }
          first: changelog(since: "1.0-rc1") { since { version } added { ${changes} } removed { ${changes} } }
        }`);
    const [, second, third] = numbers;
    expect(found.before).toMatchObject({
      since: { version: '1.0.1-rc1' },
      added: { pullRequests: [{ number: third }, { number: second }], complete: true },
      removed: { commitCount: 1, commits: [{ message: 'Add hotfix\n' }], pullRequests: [] },
    });
    expect(found.first).toMatchObject({ removed: { commitCount: 0 }, added: found.before.added });
  });

  it('is compared with nothing if it is the first, and not with a candidate that does not exist', async () => {
    const { candidate: first } = await project<{
      candidate: { readonly changelog: { readonly since: null; readonly added: Changes } };
    }>(`candidate: releaseCandidate(version: "1.0-rc1") { changelog { since { version } added { ${changes} } } }`);
    expect(first.changelog.since).toBeNull();
    expect(first.changelog.added.pullRequests).toEqual([{ number: numbers[0] }]);
    const refused = await s.graphql(
      '{ releaseProject(name: "Shop") { releaseCandidate(version: "2.0-rc1") { changelog(since: "9-rc9") { since { version } } } } }',
    );
    expect(refused.errors[0]).toMatchObject({ message: 'Release not found', extensions: { code: 'NOT_FOUND' } });
  });
});

it('an environment shows which version runs since when, and what a rollback would remove', async () => {
  const { releaseProject } = await ask<{ releaseProject: { environment: unknown } }>(
    `{ releaseProject(name: "Shop") { environment(name: "staging") {
         running { since releaseCandidate { version } }
         rollback { releaseCandidate { version } changelog { since { version } added { commitCount } removed { pullRequests { number } } } }
       } } }`,
  );
  expect(releaseProject.environment).toEqual({
    running: { since: at['staging 2.0-rc1'], releaseCandidate: { version: '2.0-rc1' } },
    rollback: {
      releaseCandidate: { version: '1.0.1-rc1' },
      changelog: {
        since: { version: '2.0-rc1' },
        added: { commitCount: 1 },
        removed: { pullRequests: [{ number: numbers[2] }, { number: numbers[1] }] },
      },
    },
  });
});

it('each environment of a project shows its own running version', async () => {
  const { releaseProject } = await ask<{ releaseProject: unknown }>(
    '{ releaseProject(name: "Shop") { environments { name running { since releaseCandidate { version } } } } }',
  );
  expect(releaseProject).toEqual({
    environments: [
      { name: 'staging', running: { since: at['staging 2.0-rc1'], releaseCandidate: { version: '2.0-rc1' } } },
      { name: 'production', running: { since: at['production 1.1-rc1'], releaseCandidate: { version: '1.1-rc1' } } },
    ],
  });
});

it('reads about pull requests need queue:read, and reads about releases release:read', async () => {
  const said = async (scope: 'queue:read' | 'release:read', query: string): Promise<unknown> =>
    (await s.graphql(query, {}, await s.tokenWith([scope]))).errors.map(({ message }) => message);
  const pullRequest = `{ repository(owner: "acme", name: "shop") { pullRequest(number: ${numbers[0]}) { environments { since } } } }`;
  const candidateOf = (selection: string): string =>
    `{ releaseProject(name: "Shop") { releaseCandidate(version: "2.0-rc1") { ${selection} } } }`;
  expect(await said('queue:read', pullRequest)).toEqual(['This needs a token with the scope release:read.']);
  expect(await said('release:read', candidateOf('pullRequests { nodes { id } }'))).toEqual([
    'This needs a token with the scope queue:read.',
  ]);
  expect(await said('release:read', candidateOf('changelog { added { commitCount } } environments { since }'))).toEqual(
    [],
  );
});

async function lookedAt(): Promise<void> {
  await vi.waitFor(async () => {
    now += 1;
    expect(await s.rows('select id from release_candidate where git_look_at is not null')).toEqual([]);
  }, 150_000);
}

describe('the stored result of git', () => {
  const reached = async (): Promise<unknown[]> =>
    await s.rows(
      `select c.version, r.position, r.bounded from candidate_reach r join release_candidate c on c.id = r.candidate_id order by c.id`,
    );

  it('is read once, and computed again if it is lost', async () => {
    await releasesOf(numbers[0]);
    const known = await reached();
    expect(known).toHaveLength(4);
    await s.rows('delete from candidate_reach');
    await s.rows('delete from base_commit');
    await s.rows('delete from base_chain');
    expect(versions((await releasesOf(numbers[1])).releaseCandidates.nodes)).toEqual(['2.0-rc1', '1.1-rc1']);
    expect(await reached()).toEqual(known);
  });

  it('for a candidate ahead of its base branch becomes right when the base branch has its commits', async () => {
    const ahead = await pushBranch('ahead', 'origin/main');
    await candidate('3.0-rc1', ahead);
    const number = await openPullRequest(s, { repository, title: 'Ahead', headBranch: 'ahead', baseBranch: 'main' });
    expect(versions((await releasesOf(numbers[2])).releaseCandidates.nodes)).toEqual(['3.0-rc1', '2.0-rc1']);
    await git('push', '-q', remote, `${ahead}:main`);
    await s.drain();
    expect(versions((await releasesOf(number)).releaseCandidates.nodes)).toEqual(['3.0-rc1']);
    const fourth = await land('four');
    expect(versions((await releasesOf(fourth)).releaseCandidates.nodes)).toEqual([]);
    expect((await reached()).at(-1)).toMatchObject({ version: '3.0-rc1', bounded: true });
  });

  it('follows a base branch whose old tip was merged from the side, and a base branch that was rewritten', async () => {
    const follow = async (commit: string): Promise<string[][]> => {
      await s.rows("update queue set base_tip = $1 where base_branch = 'main'", [commit]);
      const found = [];
      for (const number of numbers.slice(0, 2))
        found.push(versions((await releasesOf(number)).releaseCandidates.nodes));
      return found;
    };
    const before = await tip();
    const tree = await git('rev-parse', 'HEAD^{tree}');
    const hotfix = await git('rev-parse', 'origin/hotfix');
    const merge = await git('commit-tree', tree, '-p', hotfix, '-p', before, '-m', 'Merge main');
    await git('push', '-q', remote, `${merge}:refs/heads/merged`);
    const all = ['2.0-rc1', '1.0.1-rc1', '1.1-rc1', '1.0-rc1'];
    expect(await follow(merge)).toEqual([
      ['3.0-rc1', ...all],
      ['3.0-rc1', '2.0-rc1', '1.1-rc1'],
    ]);
    const [chain] = await s.rows<{ length: number; commits: number; last: string }>(
      `select b.length, count(*)::integer as commits, (array_agg(c.commit order by c.position desc))[1] as last
       from base_chain b join base_commit c on c.queue_id = b.queue_id group by b.queue_id, b.account_id, b.length`,
    );
    expect(chain).toMatchObject({ commits: chain?.length, last: merge });

    // The second pull request is not in the hotfix, so git is asked about its commit.
    expect(await follow(hotfix)).toEqual([
      ['3.0-rc1', ...all],
      ['3.0-rc1', '2.0-rc1', '1.1-rc1'],
    ]);
    expect(await follow(before)).toEqual([
      ['3.0-rc1', ...all],
      ['3.0-rc1', '2.0-rc1', '1.1-rc1'],
    ]);
  });

  it('is computed in parts if many commits were merged into the base branch from the side, and is marked as incomplete until then', async () => {
    const [first] = numbers;
    const [before, tree, beside] = await Promise.all([tip(), git('rev-parse', 'HEAD^{tree}'), git('rev-parse', 'two')]);
    const merge = await git('commit-tree', tree, '-p', before, '-p', beside, '-m', 'Merge two once more');
    await git('push', '-q', remote, `${merge}:refs/heads/beside`);
    const cut = Array.from({ length: 12 }, (_, n) => `0.9-rc${n + 1}`);
    for (const version of cut) await candidate(version, beside);
    await lookedAt();
    await s.rows('delete from candidate_reach');
    await s.rows("update queue set base_tip = $1 where base_branch = 'main'", [merge]);
    // Every answer computes one part more.
    const complete = async (): Promise<unknown> =>
      await ask(`{ repository(owner: "acme", name: "shop") { pullRequest(number: ${first}) { releasesComplete } } }`);
    const said = (releasesComplete: boolean) => ({ repository: { pullRequest: { releasesComplete } } });
    expect(await complete()).toEqual(said(false));
    expect(await complete()).toEqual(said(true));
    const known = versions((await releasesOf(first)).releaseCandidates.nodes);
    expect(known.slice(0, cut.length)).toEqual(cut.toReversed());
  });
});

it('a candidate is pinned and read at once, outlives its branch, and is pinned again if its ref is lost', async () => {
  const commit = await pushBranch('short', 'origin/main');
  await candidate('0.1-rc1', commit);
  await lookedAt();
  const [made] = await s.rows<{ id: string }>(
    `select c.id::text as id from release_candidate c join candidate_reach r on r.candidate_id = c.id where c.version = '0.1-rc1'`,
  );
  const repositories = await s.rows<{ id: string; account_id: string }>('select id, account_id from repository');
  const row = { accountId: repositories[0]?.account_id ?? '', id: repositories[0]?.id ?? '', ...repository };
  const ref = `refs/interlock/candidates/${made?.id}`;
  const pinned = async (): Promise<string | undefined> => (await s.ports.hosts('local').readRef(row, ref))?.commit;
  expect(await pinned()).toBe(commit);
  await git('push', '-q', remote, ':short');
  await s.ports.hosts('local').updateRefs(row, [{ ref, from: commit, to: null }]);
  await reconcileAll(s.ports);
  await lookedAt();
  expect(await pinned()).toBe(commit);
});

/** Merges a pull request by pushing its head to its base branch. */
async function mergeByHand(name: string, baseBranch = 'main'): Promise<number> {
  const head = await pushBranch(name, `origin/${baseBranch}`);
  const number = await openPullRequest(s, { repository, title: `Add ${name}`, headBranch: name, baseBranch });
  await git('push', '-q', remote, `${head}:${baseBranch}`);
  await reconcileAll(s.ports);
  await s.drain();
  return number;
}

describe('a commit that did not come through the queue', () => {
  it('is listed as landed with a proof, merged without the queue, or pushed', async () => {
    await reconcileAll(s.ports);
    await candidate('5.0-rc1', await tip());
    await git('push', '-q', remote, `${await pushBranch('plain', 'origin/main')}:main`);
    const byHand = await mergeByHand('by-hand');
    const landed = await land('six');
    const unreleased = async (): Promise<object> =>
      await ask('{ releaseProject(name: "Shop") { unreleased { commitCount complete pullRequests { number } } } }');
    expect(await unreleased()).toEqual({
      releaseProject: {
        unreleased: { commitCount: 3, complete: true, pullRequests: [{ number: landed }, { number: byHand }] },
      },
    });
    await candidate('5.1-rc1', await tip());
    expect(await unreleased()).toMatchObject({ releaseProject: { unreleased: { commitCount: 0 } } });
    const { releaseProject } = await ask<{ releaseProject: { candidate: object } }>(
      `{ releaseProject(name: "Shop") { candidate: releaseCandidate(version: "5.1-rc1") { changelog(since: "5.0-rc1") { added {
           pullRequests { number } commits { pullRequests { number } landedBatch { proof { digest } } withoutProof } } } } } }`,
    );
    expect(releaseProject.candidate).toEqual({
      changelog: {
        added: {
          pullRequests: [{ number: landed }, { number: byHand }],
          commits: [
            {
              pullRequests: [{ number: landed }],
              landedBatch: { proof: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) } },
              withoutProof: null,
            },
            {
              pullRequests: [{ number: byHand }],
              landedBatch: null,
              withoutProof: `Pull request #${byHand} was merged past the queue.`,
            },
            {
              pullRequests: [],
              landedBatch: null,
              withoutProof: 'The commit was pushed, and no known pull request contains it.',
            },
          ],
        },
      },
    });
    const { errors } = await s.graphql(
      '{ releaseProject(name: "Shop") { releaseCandidate(version: "5.1-rc1") { changelog { added { commits { withoutProof } } } } } }',
      {},
      await s.tokenWith(['release:read']),
    );
    expect(errors[0]?.message).toBe('This needs a token with the scope queue:read.');
  });

  it('is found in production although its base branch was deleted', async () => {
    await pushBranch('train', 'origin/main');
    const wagon = await mergeByHand('wagon', 'train');
    await git('fetch', '-q', remote, '+refs/heads/*:refs/remotes/origin/*');
    const commit = await pushBranch('after-train', 'origin/train');
    await git('push', '-q', remote, ':train');
    await reconcileAll(s.ports);
    expect((await releasesOf(wagon)).releaseCandidates.nodes).toEqual([]);
    await candidate('6.0-rc1', commit);
    await candidate('6.1-rc1', await tip());
    const since = await deployed('production', '6.0-rc1');
    const found = await releasesOf(wagon);
    expect(found).toMatchObject({
      landedBatch: null,
      firstReleaseCandidate: { version: '6.0-rc1' },
      releaseCandidates: { nodes: [{ version: '6.0-rc1' }] },
      deployments: { nodes: [{ releaseCandidateVersion: '6.0-rc1' }], totalCount: 1 },
      releasesComplete: true,
    });
    expect(found.environments.map(({ environment, since: at }) => [environment.name, at])).toEqual([
      ['production', since],
    ]);
    await deployed('production', '6.1-rc1');
    expect((await releasesOf(wagon)).environments).toEqual([]);
  });
});
