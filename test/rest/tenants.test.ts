// Another account gets the same answer of REST for an existing row as for a row that does not exist. The requests are the
// recorded examples of all operations. In each, the names of rows are replaced: all of them, and each one by itself
// beside rows of the account that asks.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileFacade, loadDocuments, type Operation } from '../../rest-facade/index.ts';
import { loadExamples } from '../../rest-facade/openapi/examples.ts';
import type { Role } from '../../src/context.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { accountOf, tokensOfRoles } from '../accounts/account.ts';
import { contentOf } from '../accounts/content.ts';
import { roles } from '../accounts/roles-of-scopes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { OpenApi } from './contract/openapi.ts';
import { prepareExampleCandidate, prepareHistory, prepareReleases } from './contract/releases.ts';
import { prepareRepository } from './contract/repository.ts';
import { prepareRunbooks } from './contract/runbooks.ts';

type Json = Readonly<Record<string, unknown>>;
/** The values of a name: of a row of the first account, and of a row that does not exist. Both are of the same length. */
type Slot = readonly [theirs: string | number, unknown: string | number];

const version: Slot = ['9.9-rc9', '8.8-rc8'];
const hiddenBranch: Slot = ['hidden-branch', 'absent-branch'];
/** The keys of parameters and bodies that name a row. The commits are filled in once they exist. */
const slots: Record<string, Slot> = {
  name: ['secret', 'absent'],
  repo: ['secret', 'absent'],
  project_name: ['Secret', 'Absent'],
  env_name: ['hidden', 'absent'],
  release_candidate_version: version,
  runbook_number: [41, 77],
  number: [41, 77],
  branch: hiddenBranch,
  target_branch: hiddenBranch,
  base_branch: hiddenBranch,
  author_email: ['hidden@acme.test', 'absent@acme.test'],
  commit: ['', 'e'.repeat(40)],
  commit_sha: ['', 'e'.repeat(40)],
};
/** Keys whose values name no row of an account. The owner of a repository is only a part of its name. */
const withoutRow = new Set(
  `org page per_page start end timezone entity action paused paused_message pattern reason force status title prompt draft
   pr_mode description labels affected_targets skip_line skip_line_reason preview_url secrets repository pull_request
   source_pull`.split(/\s+/),
);
/** Operations that name no row. */
const withoutNames = new Set(['ListRepositories', 'ListUserActions']);
/** Names that an operation only compares or creates, and does not look up. It answers them all alike. */
const notLookedUp = new Set([
  'CreateRelease release_candidate_version',
  'ListQueuedPullRequests base_branch',
  'RegisterPreview branch',
  'RegisterPreview commit_sha',
  'DeregisterPreview branch',
]);

const examples = loadExamples();
const operations = compileFacade({ schema: interlockSchema(), documents: loadDocuments() });

interface Asked {
  readonly operation: Operation;
  readonly parameters: Json;
  readonly body: unknown;
}

const asked: readonly Asked[] = operations.map((operation) => {
  const { parameters = {}, request } = (examples[operation.name] ?? {}) as { parameters?: Json; request?: unknown };
  return { operation, parameters, body: request };
});

/** All keys of parameters and bodies, at any depth. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, each]) => (key === 'secrets' ? [key] : [key, ...keysOf(each)]));
}

const slotsOf = ({ parameters, body }: Asked): string[] =>
  [...new Set([...keysOf(parameters), ...keysOf(body)])].filter((key) => key in slots);

/** The value with the named slots filled: by index 0 with rows of the first account, by index 1 with unknown ones. */
function filled(value: unknown, names: readonly string[], at: 0 | 1, key = ''): unknown {
  if (names.includes(key)) {
    const [theirs, unknown] = slots[key] as Slot;
    const name = at === 0 ? theirs : unknown;
    if (typeof value !== 'string') return name;
    return value.includes('/') ? `acme/${name}` : String(name);
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, names, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, filled(each, names, at, inner)]));
}

let s: TestServer;
let tokens: ReadonlyMap<Role, string>;
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  s = await startServer();
  await prepareOwner();
  const other = await s.otherAccount();
  await prepareWorld(other);
  tokens = await tokensOfRoles(s, other.token);
  before = await contentOf(s, s.accountId);
});
afterAll(async () => await s.close());

/** Makes what the recorded examples name. */
async function prepareWorld(account: { readonly token: string; readonly accountId: string }): Promise<void> {
  const at: TestServer = {
    ...s,
    ...account,
    rest: async (method, path, options = {}) => await s.rest(method, path, { token: account.token, ...options }),
  };
  const repository = await prepareRepository(at);
  const releases = await prepareReleases(at, repository);
  await prepareExampleCandidate(at, releases);
  await prepareHistory(at, releases);
  await prepareRunbooks(at, repository);
  for (const name of ['web', 'idle']) {
    const path = `/api/v1/config?org=acme&repo=${name}`;
    const answer = await at.rest('POST', path, { body: 'verify: {preview: [{method: endpoint}]}' });
    if (answer.status !== 200) throw new Error(await answer.text());
  }
}

/** Makes the same in the first account, and gives every row a name that the other account does not have. */
async function prepareOwner(): Promise<void> {
  await prepareWorld(s);
  await accountOf(s).add('hidden');
  const [web] = await s.rows<{ id: string }>(`select id::text from repository where name = 'web'`);
  const of = { accountId: s.accountId, id: web?.id ?? '', owner: 'acme', name: 'web' };
  const directory = s.service.localHost.installation.directoryOf(of);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test', ...args], {
      cwd: directory,
      encoding: 'utf8',
    }).trim();
  const commit = git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Hidden');
  git('update-ref', 'refs/heads/hidden-branch', commit);
  slots['commit'] = [commit, 'e'.repeat(40)];
  slots['commit_sha'] = slots['commit'];
  for (const statement of [
    `update repository set name = 'secret' where account_id = $1 and name = 'web'`,
    `update release_project set name = 'Secret' where account_id = $1`,
    `update environment set name = 'hidden' where account_id = $1 and name = 'production'`,
    `update release_candidate set version = '9.9-rc9' where account_id = $1 and version = '1.2-rc1'`,
    `update runbook set number = number + 40 where account_id = $1`,
    `update pull_request set number = 41, head_branch = 'hidden-branch' where account_id = $1 and number = 1`,
    `update local_pull_request set number = 41, head_branch = 'hidden-branch' where account_id = $1 and number = 1`,
  ])
    await s.rows(statement, [s.accountId]);
}

/** What each new row has of its own. */
const ofEachRow = /"registration_id":"\w+"|"expires_at":"[^"]+"/g;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that differ between any two requests. */
const ofEachRequest = /^(?:date|x-request-id|ratelimit.*|x-ratelimit.*)$/;

/** Sends the example with the named slots filled. The names themselves are replaced in the answer. */
async function send(
  { operation, parameters, body }: Asked,
  names: readonly string[],
  at: 0 | 1,
  token: string,
): Promise<Answer> {
  const given = filled(parameters, names, at) as Json;
  const isInPath = (key: string): boolean => operation.path.includes(`{${key}}`);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(given[key])));
  const inQuery = Object.entries(given).filter(([key]) => !isInPath(key));
  const query = new URLSearchParams(inQuery.map(([key, value]): [string, string] => [key, String(value)])).toString();
  const response = await s.rest(operation.method, query === '' ? path : `${path}?${query}`, {
    token,
    ...(body !== undefined && { body: filled(body, names, at) }),
  });
  const answer = await response.text();
  const named = names.map((key) => String(slots[key]?.[at])).filter((value) => !/^\d+$/.test(value));
  // Sentences have the first ten digits of a commit.
  const values = named.flatMap((value) => (value.length === 40 ? [value, value.slice(0, 10)] : [value]));
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !ofEachRequest.test(name))),
    body: values.reduce((text, value) => text.replaceAll(value, '…'), answer.replaceAll(ofEachRow, '')),
  };
}

it('every operation of the document has an example here, and every key of the examples is known', () => {
  const routes = [...new Set(operations.map(({ method, path }) => `${method} ${path}`))];
  expect(routes.sort()).toEqual(new OpenApi().operations.sort());
  const withoutExample = asked.filter(({ parameters, body }) => body === undefined && keysOf(parameters).length === 0);
  expect(withoutExample.map(({ operation }) => operation.name)).toEqual([]);
  const keys = asked.flatMap(({ parameters, body }) => [...keysOf(parameters), ...keysOf(body)]);
  expect(keys.filter((key) => !(key in slots) && !withoutRow.has(key))).toEqual([]);
  const nameless = asked.filter((each) => slotsOf(each).length === 0).map(({ operation }) => operation.name);
  expect(nameless).toEqual([...withoutNames]);
});

const rows = asked
  .filter(({ operation }) => !withoutNames.has(operation.name))
  .map((each) => ({ ...each, title: each.operation.name }));

describe.each(roles)('to the role %s of another account', (role) => {
  it.each(rows)('$title answers as if none of the named rows existed', async (each) => {
    const token = tokens.get(role) ?? '';
    const answer = await send(each, slotsOf(each), 0, token);
    expect(answer).toEqual(await send(each, slotsOf(each), 1, token));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });
});

const single = rows.flatMap((each) => slotsOf(each).map((slot) => ({ ...each, slot })));

describe('beside rows of its own', () => {
  it.each(single)(
    'another account gets from $title with a foreign $slot the answer for an unknown one',
    async ({ slot, ...each }) => {
      const token = tokens.get('admin') ?? '';
      const answer = await send(each, [slot], 0, token);
      expect(answer).toEqual(await send(each, [slot], 1, token));
      if (!notLookedUp.has(`${each.title} ${slot}`)) expect([400, 404]).toContain(answer.status);
    },
  );
});

describe('control', () => {
  it('another account has changed nothing by all these requests', async () => {
    expect(await contentOf(s, s.accountId)).toEqual(before);
  });

  it.each(rows)('$title answers the owner otherwise than for unknown rows', async (each) => {
    const answer = await send(each, slotsOf(each), 0, s.token);
    expect(answer).not.toEqual(await send(each, slotsOf(each), 1, s.token));
  });
});
