// Verifications in GraphQL, and the mutations of users about them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { verificationLogForgetting } from '../../src/modules/previews/index.ts';
import { sha } from '../graphql/seed.ts';
import { head, previewsApi, repository, type PreviewsApi } from './previews-api.ts';
import { addLog, addStep, addVerification } from './verification-rows.ts';
import { forget } from '../support/forget.ts';

let api: PreviewsApi;
beforeAll(async () => {
  api = await previewsApi();
});
afterAll(async () => await api[Symbol.asyncDispose]());
beforeEach(async () => {
  await api.s.rows('delete from verification');
  await api.s.rows('delete from preview_registration');
});

async function ofPullRequest<Data>(selection: string, number = 1): Promise<Data> {
  const data = await api.ask<{ repository: { pullRequest: Data } }>(
    `query ($number: Int!) { repository(owner: "acme", name: "shop") { pullRequest(number: $number) { ${selection} } } }`,
    { number },
  );
  return data.repository.pullRequest;
}

describe('a verification', () => {
  it('shows its status, and the URL of its sandbox once it is ready and after it has ended', async () => {
    const id = await addVerification(api.s, { head, status: 'driving' });
    await api.s.rows(
      `insert into preview_sandbox (account_id, verification_id, name, kind, state, slug, port, expires_at, created_at)
       values ($1, $2, 'x', 'process', 'booting', 'abc123', 80, $3, now())`,
      [api.s.accountId, id, new Date(api.now().getTime() + 60_000).toISOString()],
    );
    const preview = 'preview { name method url expiresAt endedAt }';
    const previewNow = async (): Promise<unknown> =>
      (await ofPullRequest<{ verification: { preview: unknown } }>(`verification { ${preview} }`)).verification.preview;
    const named = { name: 'default', method: 'SANDBOX' };
    expect(await previewNow()).toEqual({ ...named, url: null, expiresAt: null, endedAt: null });
    await api.s.rows("update preview_sandbox set state = 'ready', ready_at = now()");
    const { verification } = await ofPullRequest<{ verification: Record<string, unknown> }>(
      `verification { status cause attempt headCommit degraded cancelRequested summary problem waitUntil registration { url }
         createdBy createdAt pullRequest { number } ${preview} }`,
    );
    expect(verification).toEqual({
      status: 'DRIVING',
      cause: 'HEAD',
      attempt: 1,
      headCommit: head,
      degraded: false,
      cancelRequested: false,
      summary: null,
      problem: null,
      waitUntil: null,
      registration: null,
      createdBy: 'interlock',
      createdAt: '2026-01-02T03:04:05.000Z',
      pullRequest: { number: 1 },
      preview: {
        ...named,
        url: 'http://abc123.preview.localhost:4000',
        expiresAt: expect.stringMatching(/Z$/),
        endedAt: null,
      },
    });
    const over = { ...named, url: 'http://abc123.preview.localhost:4000', expiresAt: null };
    await api.s.rows("update preview_sandbox set state = 'ending', gone_at = '2026-01-02T03:05:00Z'");
    expect(await previewNow()).toEqual({ ...over, endedAt: '2026-01-02T03:05:00.000Z' });
    await api.s.rows("update preview_sandbox set state = 'gone'");
    expect(await previewNow()).toEqual({ ...over, endedAt: '2026-01-02T03:05:00.000Z' });
    // The sandbox still runs, although its run has ended or its time is over.
    await api.setRun("status = 'error', ended_at = '2026-01-02T03:07:00Z'");
    await api.s.rows("update preview_sandbox set state = 'ready', gone_at = null");
    expect(await previewNow()).toEqual({ ...over, endedAt: '2026-01-02T03:07:00.000Z' });
    await api.s.rows("update preview_sandbox set state = 'ready', gone_at = null, expires_at = '2026-01-02T03:06:00Z'");
    expect(await previewNow()).toEqual({ ...over, endedAt: '2026-01-02T03:06:00.000Z' });
  });

  it('shows the URL that CI registered, and the time at which the registration ended', async () => {
    const registered = await api.register();
    await api.setRun(
      `status = 'driving', preview = '{"method": "endpoint", "name": "default"}',
       registration_id = (select max(id) from preview_registration)`,
    );
    const url = async (): Promise<unknown> =>
      (
        await ofPullRequest<{ verification: unknown }>(
          'verification { preview { url endedAt } registration { id endReason } }',
        )
      ).verification;
    expect(await url()).toEqual({
      preview: { url: 'https://one.example.test/', endedAt: null },
      registration: { id: registered.registration_id, endReason: null },
    });
    await api.deregister();
    expect(await url()).toEqual({
      preview: { url: 'https://one.example.test/', endedAt: expect.stringMatching(/Z$/) },
      registration: { id: registered.registration_id, endReason: 'DEREGISTERED' },
    });
  });

  it('is listed in its repository, the newest first, in pages', async () => {
    await addVerification(api.s, { head, status: 'error' });
    await addVerification(api.s, { number: 2, head: sha(2), status: 'failed' });
    await addVerification(api.s, { head, status: 'driving', attempt: 2 });
    const list = async (page: string): Promise<unknown> =>
      (
        await api.ask<{ repository: { verifications: unknown } }>(
          `{ repository(owner: "acme", name: "shop") {
               verifications(${page}) { nodes { status pullRequest { number } } pageInfo { hasNextPage endCursor } } } }`,
        )
      ).repository.verifications;
    const first = (await list('first: 2')) as { pageInfo: { endCursor: string } };
    expect(first).toMatchObject({
      nodes: [
        { status: 'DRIVING', pullRequest: { number: 1 } },
        { status: 'FAILED', pullRequest: { number: 2 } },
      ],
      pageInfo: { hasNextPage: true },
    });
    expect(await list(`after: "${first.pageInfo.endCursor}"`)).toMatchObject({
      nodes: [{ status: 'ERROR' }],
      pageInfo: { hasNextPage: false },
    });
  });

  it('is listed for its pull request, the newest first, in pages, with those of another pull request with the same head', async () => {
    await addVerification(api.s, { head: sha(7), status: 'canceled' });
    await addVerification(api.s, { head, status: 'error' });
    await addVerification(api.s, { head, status: 'passed', attempt: 2 });
    await addVerification(api.s, { number: 2, head: sha(2), status: 'failed' });
    await api.s.rows('update pull_request set head_sha = $1 where number = 3', [head]);
    const list = async (number: number, page: string): Promise<unknown> =>
      (
        await ofPullRequest<{ verifications: unknown }>(
          `verifications(${page}) { nodes { status attempt } pageInfo { hasNextPage endCursor } }`,
          number,
        )
      ).verifications;
    const first = (await list(1, 'first: 2')) as { pageInfo: { endCursor: string } };
    expect(first).toMatchObject({
      nodes: [
        { status: 'PASSED', attempt: 2 },
        { status: 'ERROR', attempt: 1 },
      ],
      pageInfo: { hasNextPage: true },
    });
    expect(await list(1, `after: "${first.pageInfo.endCursor}"`)).toMatchObject({
      nodes: [{ status: 'CANCELED' }],
      pageInfo: { hasNextPage: false },
    });
    expect(await list(3, 'first: 5')).toMatchObject({ nodes: [{ status: 'PASSED' }, { status: 'ERROR' }] });
    expect(await ofPullRequest('verification { status }', 3)).toEqual({ verification: { status: 'PASSED' } });
    expect(await ofPullRequest('verification { status } verifications { nodes { id } }', 4)).toEqual({
      verification: null,
      verifications: { nodes: [] },
    });
    await api.s.rows('update pull_request set head_sha = $1 where number = 3', [sha(3)]);
  });

  it('has its steps and its log in order', async () => {
    const id = await addVerification(api.s, { head, status: 'passed' });
    for (const ordinal of [2, 1, 3]) await addStep(api.s, id, ordinal);
    for (const text of ['one\n', 'two\n']) await addLog(api.s, id, text);
    const { verification } = await ofPullRequest<{
      verification: { steps: { pageInfo: { endCursor: string } }; log: unknown };
    }>(
      'verification { steps(first: 2) { nodes { ordinal scenario step conclusion detail durationMs } pageInfo { endCursor } } log { nodes { text } } }',
    );
    expect(verification).toMatchObject({
      steps: {
        nodes: [
          { ordinal: 1, scenario: 'Shop', step: 'Step 1', conclusion: 'PASSED', detail: null, durationMs: 12 },
          { ordinal: 2 },
        ],
      },
      log: { nodes: [{ text: 'one\n' }, { text: 'two\n' }] },
    });
    const rest = await ofPullRequest(
      `verification { steps(after: "${verification.steps.pageInfo.endCursor}") { nodes { ordinal } } }`,
    );
    expect(rest).toEqual({ verification: { steps: { nodes: [{ ordinal: 3 }] } } });
  });

  it('of another account cannot be read', async () => {
    const id = encodeNodeId('Verification', await addVerification(api.s, { head, status: 'passed' }));
    const other = await api.s.otherAccount('stranger');
    const read = 'query ($id: ID!) { node(id: $id) { ... on Verification { status } } }';
    expect(await api.ask(read, { id })).toEqual({ node: { status: 'PASSED' } });
    expect(await api.ask(read, { id }, other.token)).toEqual({ node: null });
  });
});

describe('a request', () => {
  const verify = async (number = 1) =>
    await api.s.graphql<{ verifyPullRequest: { verification: { id: string; attempt: number } } }>(
      'mutation ($input: PullRequestRefInput!) { verifyPullRequest(input: $input) { verification { id attempt cause status } } }',
      { input: { repository, number } },
    );

  it('for another verification starts a run once the run before has ended', async () => {
    await addVerification(api.s, { head, status: 'passed' });
    const asked = await verify();
    expect(asked.data).toMatchObject({
      verifyPullRequest: { verification: { attempt: 2, cause: 'ASKED', status: 'PENDING' } },
    });
    expect((await verify()).data).toEqual(asked.data);
  });

  it('for a verification of a merged or unknown pull request, or without a preview, is refused', async () => {
    expect((await verify(5)).errors).toMatchObject([
      { message: 'Pull request is already merged', extensions: { code: 'BAD_INPUT' } },
    ]);
    expect((await verify(99)).errors).toMatchObject([{ message: 'Pull request not found' }]);
    await api.configure('merge_rules: {labels: {trigger: go}}');
    expect((await verify()).errors[0]?.message).toContain('declare one under verify.preview');
    await api.configure('verify: {preview: [{method: endpoint, expires_default_sec: 600}]}');
  });

  it('to cancel reaches the run once, while it lasts', async () => {
    const asked = await verify();
    const id = asked.data.verifyPullRequest.verification.id;
    const cancel = async () =>
      await api.s.graphql(
        'mutation ($id: ID!) { cancelVerification(input: {id: $id}) { verification { cancelRequested } } }',
        { id },
      );
    for (let time = 0; time < 2; time += 1)
      expect((await cancel()).data).toEqual({ cancelVerification: { verification: { cancelRequested: true } } });
    expect(await api.events('verification\\_cancel\\_requested')).toHaveLength(1);
    await api.setRun("status = 'passed', ended_at = now(), cancel_requested_at = null");
    expect((await cancel()).errors).toMatchObject([
      { message: 'The verification has ended: passed.', extensions: { code: 'CONFLICT' } },
    ]);
  });
});

it('logs and unused registrations are deleted 90 days after their end, and verdicts are kept', async () => {
  const add = async (daysAgo: number | null, attempt: number): Promise<void> => {
    const ended = daysAgo === null ? 'null' : `now() - make_interval(days => ${daysAgo})`;
    const id = await addVerification(api.s, { head, status: 'passed', attempt, more: `ended_at = ${ended}` });
    await addStep(api.s, id, 1);
    await addLog(api.s, id, `${daysAgo}`);
    await api.s.rows('update verification_log set at = now() - make_interval(days => $2) where verification_id = $1', [
      id,
      daysAgo ?? 0,
    ]);
    await api.register();
    await api.s.rows(
      `update preview_registration set ended_at = ${ended}, end_reason = case when ${ended} is null then null else 'expired' end
       where id = (select max(id) from preview_registration)`,
    );
  };
  await add(91, 1);
  await add(91, 2);
  await api.setRun('registration_id = (select max(id) from preview_registration)');
  await add(89, 3);
  await add(null, 4);
  expect(await forget(api.s.ports.db, verificationLogForgetting)).toBe(3);
  expect(await api.s.rows('select text from verification_log order by id')).toEqual([{ text: '89' }, { text: 'null' }]);
  expect(await api.s.rows('select 1 from verification_step')).toHaveLength(4);
  expect(await api.s.rows('select 1 from preview_registration')).toHaveLength(3);
});
