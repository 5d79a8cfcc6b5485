// Registrations of previews by CI: which registration counts, to which pull request it belongs, and when it ends.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { expireDueRegistrations, openRegistration } from '../../src/modules/previews/index.ts';
import { accountOf } from '../accounts/account.ts';
import { sha } from '../graphql/seed.ts';
import { head, previewsApi, repository, rowsContaining, type PreviewsApi } from './previews-api.ts';

let api: PreviewsApi;
beforeAll(async () => {
  api = await previewsApi();
});
afterAll(async () => await api[Symbol.asyncDispose]());
beforeEach(async () => {
  await api.s.rows('delete from verification');
  await api.s.rows('delete from preview_registration');
  await api.s.rows("delete from event where action like 'preview%' or action like 'verification%'");
});

const canary = 'canary-51f0e2c7';
const idOf = ({ registration_id }: { readonly registration_id: string }): string =>
  Buffer.from(registration_id, 'base64url').toString().split(':')[1] ?? '';
const ctx = () => systemContext(api.s.ports, api.s.accountId);
const expire = async (): Promise<void> => await expireDueRegistrations(api.s.ports);

describe('a registration', () => {
  it('lasts as long as the configuration says, and belongs to the pull request with its commit as head', async () => {
    const before = api.now().getTime();
    const registered = await api.register();
    expect(registered).toMatchObject({ status: 'attached', message: 'Attached to pull request #1.' });
    const lasts = new Date(registered.expires_at).getTime() - before;
    expect(lasts).toBeGreaterThanOrEqual(600_000);
    expect(lasts).toBeLessThan(660_000);
    const [node] = (
      await api.ask<{ nodes: unknown[] }>(
        'query ($id: ID!) { nodes(ids: [$id]) { ... on PreviewRegistration { url commit prNumber branch createdBy pullRequest { number } } } }',
        { id: registered.registration_id },
      )
    ).nodes;
    expect(node).toEqual({
      url: 'https://one.example.test/',
      commit: head,
      prNumber: 1,
      branch: null,
      createdBy: 'service@acme.test',
      pullRequest: { number: 1 },
    });
  });

  it('lasts as long as the request says, even for a day', async () => {
    const expiresAt = new Date(api.now().getTime() + 86_000_000);
    expect((await api.register({ expires_at: expiresAt.toISOString() })).expires_at).toBe(expiresAt.toISOString());
  });

  it('is buffered until the pull request of its branch has its commit', async () => {
    const buffered = { pr_number: undefined, branch: 'topic-6', commit_sha: sha('9') };
    expect(await api.register(buffered)).toMatchObject({
      status: 'buffered',
      message: `The registration waits until ${sha('9').slice(0, 10)} is the head of an open pull request of topic-6, or until it expires.`,
    });
    await api.s.rows("update pull_request set head_sha = $1 where head_branch = 'topic-6'", [sha('9')]);
    expect(await api.registrations()).toMatchObject([{ status: 'ATTACHED', pullRequest: { number: 6 } }]);
    await api.s.rows("update pull_request set head_sha = $1 where head_branch = 'topic-6'", [sha(6)]);
    expect(await api.registrations()).toMatchObject([{ status: 'BUFFERED', pullRequest: null }]);
  });

  it('belongs to the pull request of its number, also if it names another branch', async () => {
    expect(await api.register({ branch: 'topic-2' })).toMatchObject({ status: 'attached' });
    expect(await api.registrations()).toMatchObject([{ pullRequest: { number: 1 } }]);
  });

  it('of a merged pull request belongs to no pull request', async () => {
    expect(await api.register({ pr_number: 5, commit_sha: sha(5) })).toMatchObject({ status: 'buffered' });
  });

  it('is made once for one idempotency key, however often it is sent', async () => {
    const key = { 'idempotency-key': 'ci-run-7' };
    const first = await api.register({}, key);
    expect(await api.register({}, key)).toEqual(first);
    expect(await api.registrations()).toHaveLength(1);
  });
});

describe('several registrations', () => {
  it('of one commit replace each other, and a replaced one loses its secrets', async () => {
    const first = await api.register({ secrets: { TOKEN: canary } });
    await api.register({ preview_url: 'https://two.example.test/' });
    expect((await api.registrations()).map(({ url, endReason }) => [url, endReason])).toEqual([
      ['https://two.example.test/', null],
      ['https://one.example.test/', 'REPLACED'],
    ]);
    expect(await api.s.rows('select secrets from preview_registration where id = $1', [idOf(first)])).toEqual([
      { secrets: null },
    ]);
    expect(await api.events()).toEqual(['preview_registered', 'preview_replaced', 'preview_registered']);
  });

  it('of different commits, previews or pull requests do not replace each other', async () => {
    await api.configure('verify: {preview: [{name: a, method: endpoint}, {name: b, method: endpoint}]}');
    for (const more of [{}, { commit_sha: sha(8) }, { name: 'b' }, { pr_number: 2, commit_sha: sha(2) }])
      await api.register({ name: 'a', ...more });
    await api.configure('verify: {preview: [{method: endpoint, expires_default_sec: 600}]}');
    expect((await api.registrations()).map(({ endReason }) => endReason)).toEqual([null, null, null, null]);
  });

  it('of one pull request replace each other, by branch or by number', async () => {
    await api.register();
    await api.register({ pr_number: undefined, branch: 'topic-1' });
    await api.register();
    expect((await api.registrations()).map(({ endReason }) => endReason)).toEqual([null, 'REPLACED', 'REPLACED']);
  });
});

describe('deregistering', () => {
  it('ends all registrations of the pull request, by number or branch, once', async () => {
    await api.register();
    await api.register({ commit_sha: sha(8) });
    await api.register({ pr_number: undefined, branch: 'topic-1', commit_sha: sha(9) });
    await api.register({ pr_number: 2, commit_sha: sha(2) });
    expect(await api.deregister()).toEqual({ deleted: 3 });
    expect(await api.deregister()).toEqual({ deleted: 0 });
    expect((await api.registrations()).map(({ endReason }) => endReason)).toEqual([
      null,
      'DEREGISTERED',
      'DEREGISTERED',
      'DEREGISTERED',
    ]);
    expect(await api.deregister({ pr_number: undefined, branch: 'topic-2' })).toEqual({ deleted: 1 });
  });

  it.each([
    ['by branch', { pr_number: undefined, branch: 'topic-1' }],
    ['by number and branch', { branch: 'topic-1' }],
  ])('leaves what was registered %s for another fork whose branch has the same name', async (_how, subject) => {
    await api.s.rows("update pull_request set head_branch = 'topic-1', head_fork = 'rob/shop' where number = 2");
    try {
      expect(await api.register(subject)).toMatchObject({ status: 'attached' });
      expect(await api.deregister({ pr_number: 2 })).toEqual({ deleted: 0 });
      expect(await api.registrations()).toMatchObject([{ status: 'ATTACHED', pullRequest: { number: 1 } }]);
      expect(await api.deregister()).toEqual({ deleted: 1 });
    } finally {
      await api.s.rows("update pull_request set head_branch = 'topic-2', head_fork = null where number = 2");
    }
  });

  it('also ends the registration of a preview that is no longer in the configuration', async () => {
    await api.configure('verify: {preview: [{name: old, method: endpoint}]}');
    await api.register({ name: 'old' });
    await api.configure('verify: {preview: [{method: endpoint, expires_default_sec: 600}]}');
    expect(await api.deregister({ name: 'old' })).toEqual({ deleted: 1 });
  });
});

describe('the expiry of a registration', () => {
  it('applies at its instant for every reader, and is announced once', async () => {
    const first = await api.register({ secrets: { TOKEN: canary } });
    const countActive = async (): Promise<number> =>
      (
        await api.ask<{ repository: { previewRegistrations: { nodes: unknown[] } } }>(
          '{ repository(owner: "acme", name: "shop") { previewRegistrations { nodes { id } } } }',
        )
      ).repository.previewRegistrations.nodes.length;
    expect(await openRegistration(ctx(), api.s.secrets, idOf(first))).toMatchObject({ secrets: { TOKEN: canary } });
    expect(await countActive()).toBe(1);
    api.pass(600_000);
    expect(await openRegistration(ctx(), api.s.secrets, idOf(first))).toBeNull();
    expect(await countActive()).toBe(0);
    await Promise.all([expire(), expire()]);
    await expire();
    expect(await api.registrations()).toMatchObject([{ endReason: 'EXPIRED', endedAt: first.expires_at }]);
    expect(await api.s.rows('select secrets from preview_registration')).toEqual([{ secrets: null }]);
    expect(await api.events()).toEqual(['preview_registered', 'preview_expired']);
  });

  it('comes by itself, without a request', async () => {
    await api.register({ secrets: { TOKEN: canary }, expires_at: new Date(api.now().getTime() + 500).toISOString() });
    await expect
      .poll(async () => await api.s.rows('select end_reason, secrets from preview_registration'))
      .toEqual([{ end_reason: 'expired', secrets: null }]);
  });
});

describe('the secrets of a registration', () => {
  it('are in no table as plain text, and can be decrypted only in their own row, by their own account and key', async () => {
    const registered = await api.register({ secrets: { USER: 'demo', PASSWORD: canary } });
    expect(JSON.stringify(registered)).not.toContain(canary);
    expect(await rowsContaining(api.s, canary)).toEqual([]);
    const opened = await openRegistration(ctx(), api.s.secrets, idOf(registered));
    expect(opened?.secrets).toEqual({ USER: 'demo', PASSWORD: canary });
    const other = await api.s.otherAccount(`other-${idOf(registered)}`);
    const theirs = systemContext(api.s.ports, other.accountId);
    expect(await openRegistration(theirs, api.s.secrets, idOf(registered))).toBeNull();
    const moved = await api.register({ pr_number: 2, commit_sha: sha(2), secrets: { USER: 'other' } });
    await api.s.rows(
      'update preview_registration set secrets = (select secrets from preview_registration where id = $1) where id = $2',
      [idOf(registered), idOf(moved)],
    );
    await expect(openRegistration(ctx(), api.s.secrets, idOf(moved))).rejects.toThrow('encrypted with another key');
  });

  it.each([
    [{ '1A': 'x' }, 'called as environment variables are'],
    [{ A: '' }, 'secrets must not be empty: leave A out'],
    [{ A: 'x'.repeat(8193) }, 'at most 8192 characters each: A'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`A${n}`, 'x'])), 'secrets must be at most 50'],
  ])('are refused if they could not be used: case %#', async (secrets, message) => {
    expect((await api.register({ secrets })).error).toContain(message);
  });

  it('are refused without showing their values', async () => {
    expect((await api.register({ secrets: { 'not a name': canary } })).error).not.toContain(canary);
  });
});

describe('a run', () => {
  it('is started if the pull request has none, and is reused by the next registration', async () => {
    await api.register();
    await api.register({ preview_url: 'https://two.example.test/' });
    expect(await api.runs()).toMatchObject([{ attempt: 1, cause: 'registration', status: 'pending' }]);
  });

  it('that waits is looked at again at once', async () => {
    await api.register();
    await api.setRun("status = 'waiting', preview_name = 'default', next_look_at = now() + interval '1 day'");
    await api.register();
    const [run] = await api.s.rows<{ soon: boolean }>('select next_look_at < $1 as soon from verification', [
      new Date(api.now().getTime() + 60_000).toISOString(),
    ]);
    expect([(await api.runs()).length, run?.soon]).toEqual([1, true]);
  });

  it.each([
    ["status = 'passed', degraded = true", 2],
    ["status = 'error'", 2],
    ["status = 'passed'", 1],
  ])('that ended with %s and gets a registration makes %i runs', async (change, count) => {
    await api.register();
    await api.setRun(`${change}, ended_at = now()`);
    await api.register();
    expect(await api.runs()).toHaveLength(count);
    if (count === 2) expect((await api.runs())[1]).toMatchObject({ attempt: 2, cause: 'registration' });
  });

  it('is not started for a commit that is not the head', async () => {
    await api.register({ commit_sha: sha(8) });
    expect(await api.runs()).toEqual([]);
  });
});

it('users can register and deregister by GraphQL, and the audit log shows it without secrets', async () => {
  const account = accountOf(api.s);
  const ada = await account.add('ada', { scopes: ['preview:register', 'queue:read'] });
  const { registration } = await account.run<{ registration: { status: string; pullRequest: unknown } }>(
    'registerPreview',
    { repository, commitSha: head, previewUrl: 'https://a.example.test', prNumber: 1, secrets: { TOKEN: canary } },
    'registration { status pullRequest { number } }',
    ada.token,
  );
  expect(registration).toEqual({ status: 'ATTACHED', pullRequest: { number: 1 } });
  const deregistered = await account.run('deregisterPreview', { repository, prNumber: 1 }, 'deleted', ada.token);
  expect(deregistered).toEqual({ deleted: 1 });
  const { auditLog } = await api.ask<{ auditLog: { nodes: unknown[] } }>(
    '{ auditLog(entity: PREVIEW) { nodes { action target } } }',
  );
  expect(auditLog.nodes).toEqual([
    { action: 'preview_deregistered', target: 'acme/shop#1 default' },
    { action: 'preview_registered', target: 'acme/shop#1 default' },
  ]);
  expect(await rowsContaining(api.s, canary)).toEqual([]);
});

it('a registration of another account is as unknown as an invented one', async () => {
  const registered = await api.register();
  const other = await api.s.otherAccount('stranger');
  const read = async (id: string): Promise<unknown> =>
    await api.ask('query ($id: ID!) { node(id: $id) { id } }', { id }, other.token);
  expect(await read(registered.registration_id)).toEqual({ node: null });
  expect(await read(encodeNodeId('PreviewRegistration', '999999'))).toEqual({ node: null });
});
