// Every way by which a user can name a branch, with each hostile name: the request is refused with the name of the field,
// no git is started, and nothing is made.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareRepository } from '../rest/contract/repository.ts';
import { recordGit, type GitLog } from '../support/git-log.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { git } from './commits.ts';
import { hostileNames, lookAlikes } from './branch-names.table.ts';

const zero = '0'.repeat(40);
let s: TestServer;
let log: GitLog;
let directory: string;
let head: string;
let before: unknown;

beforeAll(async () => {
  s = await startServer();
  await prepareRepository(s);
  const [row] = await s.rows<{ id: string }>(`select id::text from repository where name = 'web'`);
  const of = { accountId: s.accountId, id: row?.id ?? '', owner: 'acme', name: 'web' };
  directory = s.service.localHost.installation.directoryOf(of);
  head = git(directory, 'rev-parse', 'topic');
  log = recordGit();
});
afterAll(async () => {
  log.end();
  await s.close();
});
beforeEach(async () => {
  before = await made();
  log.take();
});

/** All refs of the repository, and the number of rows of what names of branches could make. */
async function made(): Promise<unknown> {
  const tables = ['repository', 'pull_request', 'local_pull_request', 'queue', 'backport', 'runbook', 'embed_link'];
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ');
  return { refs: refsIn('refs'), rows: await s.rows(`select ${counts}`) };
}

/** The files of refs, with their content. Reading them takes less time than starting git. */
function refsIn(path: string): string[] {
  return readdirSync(join(directory, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name);
    return entry.isDirectory() ? refsIn(inside) : [`${inside} ${readFileSync(join(directory, inside), 'utf8')}`];
  });
}

/** The arguments of programs that could be the name. */
function argumentsLike(name: string): string[] {
  if (name === '') return [];
  return log
    .take()
    .flatMap((args) =>
      args.filter((arg) => arg === name || arg.endsWith(`/${name}`) || (name.length > 3 && arg.includes(name))),
    );
}

interface Refusal {
  readonly way: string;
  readonly code: string | number;
  readonly names: string | undefined;
}

const repository = { owner: 'acme', name: 'web' };

async function mutate(way: string, type: string, input: object): Promise<Refusal> {
  const { errors } = await s.graphql(`mutation ($input: ${type}!) { ${way}(input: $input) { __typename } }`, { input });
  const [error] = errors;
  return { way, code: error?.extensions.code ?? 'accepted', names: error?.extensions.field ?? error?.message };
}

async function send(way: string, path: string, body: object): Promise<Refusal> {
  const answer = await s.rest('POST', path, { body });
  const said = (await answer.json()) as { error: string; message?: string };
  return { way, code: answer.status, names: said.message ?? said.error };
}

/** The ways that take the name of a branch, and not a pattern. */
const ways: Readonly<Record<string, (name: string) => Promise<Refusal>>> = {
  'the head of a pull request': async (headBranch) =>
    await mutate('openPullRequest', 'OpenPullRequestInput', { repository, title: 'T', headBranch, baseBranch: 'main' }),
  'the base of a pull request': async (baseBranch) =>
    await mutate('openPullRequest', 'OpenPullRequestInput', {
      repository,
      title: 'T',
      headBranch: 'topic',
      baseBranch,
    }),
  'the default branch of a repository': async (defaultBranch) =>
    await mutate('createRepository', 'CreateRepositoryInput', {
      owner: 'acme',
      name: 'new',
      host: 'LOCAL',
      defaultBranch,
    }),
  'the branch of an embed link': async (baseBranch) =>
    await mutate('createEmbedLink', 'CreateEmbedLinkInput', { repository, baseBranch }),
  'the queue to halt': async (baseBranch) =>
    await mutate('haltQueue', 'HaltQueueInput', { repository, baseBranch, reason: 'Test' }),
  'the queue to reset': async (baseBranch) => await mutate('resetQueue', 'QueueRefInput', { repository, baseBranch }),
  'the target of a backport': async (target_branch) =>
    await send('backport', '/api/v1/pull_request/backport', {
      target_branch,
      source_pull: { number: 1, repository: { org: 'acme', name: 'web' } },
    }),
  'the target of a runbook': async (target_branch) =>
    await send('runbook', '/api/v1/runbook', {
      repository: { org: 'acme', name: 'web' },
      prompt: 'Tidy up',
      target_branch,
    }),
  'the usual target of runbooks': async (targetBranch) =>
    await mutate('updateRunbookDefaults', 'UpdateRunbookDefaultsInput', { repository, targetBranch }),
};

/** Names of fields, as the ways spell them. A branch that is looked up is named by its kind. */
const fields =
  /(?:headBranch|baseBranch|defaultBranch|targetBranch|target_branch)|(?:Base|Target) branch|^Queue not found$/;

/** The report of a push that makes the ref, as text. */
async function push(ref: string): Promise<string> {
  const line = Buffer.from(`${zero} ${head} ${ref}\0 report-status`);
  const length = (line.length + 4).toString(16).padStart(4, '0');
  const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');
  const response = await fetch(`${s.url}/git/acme/web.git/git-receive-pack`, {
    method: 'POST',
    headers: { authorization: `Bearer ${s.token}`, 'content-type': 'application/x-git-receive-pack-request' },
    body: Buffer.concat([Buffer.from(length), line, Buffer.from('0000'), emptyPack]),
  });
  return `${response.status} ${await response.text()}`;
}

describe('a request that names as a branch', () => {
  it.each(hostileNames)('$what is refused by every way, and starts no git', async ({ name }) => {
    for (const [way, ask] of Object.entries(ways)) {
      const { code, names } = await ask(name);
      expect([way, ['BAD_INPUT', 'NOT_FOUND', 400, 404].includes(code as string)], String(names)).toEqual([way, true]);
      expect([way, names]).toEqual([way, expect.stringMatching(fields)]);
    }
    expect(log.take()).toEqual([]);
    expect(await made()).toEqual(before);
  });

  // In a push, a NUL ends the name, and push.fuzz.test.ts has names that are not UTF-8.
  const pushable = hostileNames.filter(({ isValidForGit }) => isValidForGit !== null);
  it.each(pushable)('$what is refused by a push, and moves no ref', async ({ name }) => {
    const answer = await push(`refs/heads/${name}`);
    expect(answer).toMatch(/^400 |ng refs\/heads\//);
    expect(answer).not.toContain('ok refs/');
    expect(log.take()).toEqual([]);
    expect(await made()).toEqual(before);
  });

  it.each(hostileNames)('$what finds no queue and no pull request', async ({ name }) => {
    const found = await s.graphql(
      'query ($name: String!) { repository(owner: "acme", name: "web") { queue(baseBranch: $name) { id } pullRequest(headBranch: $name) { id } } }',
      { name },
    );
    const isText = name.isWellFormed() && !name.includes('\0');
    expect(isText ? found.data : found.errors[0]?.extensions.field).toEqual(
      isText ? { repository: { queue: null, pullRequest: null } } : 'name',
    );
    const query = new URLSearchParams({ org: 'acme', repo: 'web', branch: name }).toString();
    expect([400, 404]).toContain((await s.rest('GET', `/api/v1/pull_request?${query}`)).status);
    expect(log.take()).toEqual([]);
  });

  it.each(lookAlikes)('%s names no branch that exists', async (_what, name) => {
    for (const [way, ask] of Object.entries(ways)) {
      // A repository may have such a default branch, and a link may be for a branch that does not exist yet.
      if (['the default branch of a repository', 'the branch of an embed link'].includes(way)) continue;
      const { code, names } = await ask(name);
      expect([way, ['BAD_INPUT', 'NOT_FOUND', 400, 404].includes(code as string)], String(names)).toEqual([way, true]);
    }
    expect(argumentsLike(name)).toEqual([]);
    expect(await made()).toEqual(before);
  });
});

// A pattern of base branches is compared with names, and never becomes a name itself.
describe('a pattern of base branches', () => {
  it.each(hostileNames)('that is $what is refused or kept as text, and starts no git', async ({ name }) => {
    const isPattern = /^[^\u0000-\u0020\u007f]{1,255}$/u.test(name) && name.isWellFormed();
    for (const [way, type, input] of [
      ['pauseBranches', 'PauseBranchesInput', { repository, pattern: name, paused: false }],
      ['freezeBranches', 'FreezeBranchesInput', { repository, baseBranches: name }],
    ] as const) {
      const { code, names } = await mutate(way, type, input);
      expect([way, code]).toEqual([way, isPattern ? 'accepted' : 'BAD_INPUT']);
      if (!isPattern) expect([way, names]).toEqual([way, expect.stringMatching(/pattern|baseBranches/)]);
    }
    const { code } = await send('branches', '/api/v1/branches', {
      repository: { org: 'acme', name: 'web' },
      pattern: name,
      paused: false,
    });
    expect(code).toBe(isPattern ? 200 : 400);
    expect(log.take()).toEqual([]);
    expect(await made()).toEqual(before);
  });
});

describe('control', () => {
  it('every way accepts a branch that exists, and git is seen', async () => {
    const code = async (way: string, name: string): Promise<unknown> => (await ways[way]?.(name))?.code;
    expect(await code('the default branch of a repository', 'trunk')).toBe('accepted');
    expect(log.take().flat()).toContain('init');
    expect(await code('the branch of an embed link', 'main')).toBe('accepted');
    expect(await code('the queue to halt', 'main')).toBe('accepted');
    expect(await code('the target of a runbook', 'release')).toBe(202);
    expect(await code('the usual target of runbooks', 'release')).toBe('accepted');
    expect(await code('the target of a backport', 'release')).toBe(200);
    expect(await push('refs/heads/fresh')).toContain('ok refs/heads/fresh');
    expect(git(directory, 'rev-parse', 'fresh')).toBe(head);
    expect(
      (
        await s.graphql(
          'mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { headBranch } } }',
          {
            input: { repository, title: 'T', headBranch: 'fresh', baseBranch: 'release' },
          },
        )
      ).data,
    ).toEqual({ openPullRequest: { pullRequest: { headBranch: 'fresh' } } });
  });
});
