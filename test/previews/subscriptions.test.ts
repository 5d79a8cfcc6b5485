// Events of previews and verifications over sockets.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.ts';
import { sha } from '../graphql/seed.ts';
import { started, follow } from '../support/follow.ts';
import { head, previewsApi, type PreviewsApi } from './previews-api.ts';
import { addLog, addVerification } from './verification-rows.ts';

let api: PreviewsApi;
beforeAll(async () => {
  api = await previewsApi();
});
afterAll(async () => await api[Symbol.asyncDispose]());
beforeEach(async () => {
  await api.s.rows('delete from verification');
  await api.s.rows('delete from preview_registration');
});

const shop = 'repository: {owner: "acme", name: "shop"}';
interface Change {
  readonly cursor: string;
  readonly action: string;
  readonly registration?: { readonly url: string; readonly endReason: string | null } | null;
  readonly verification?: { readonly attempt: number; readonly status: string } | null;
}
const previews = (args: string): string =>
  `subscription ($after: String) { previewChanged(${shop} ${args} after: $after) { cursor action registration { url endReason } verification { status } } }`;

it('previewChanged sends registrations and their ends, of one pull request or of all, and continues after a cursor', async () => {
  await using all = follow<Change>(api.s, previews(''));
  await using one = follow<Change>(api.s, previews('number: 1'));
  await started(all, one);
  await api.register({ pr_number: 2, commit_sha: sha(2), preview_url: 'https://two.example.test/' });
  await api.register();
  await api.deregister();
  const changes = await all.until(3);
  expect(changes.map(({ action, registration }) => [action, registration?.url])).toEqual([
    ['preview_registered', 'https://two.example.test/'],
    ['preview_registered', 'https://one.example.test/'],
    ['preview_deregistered', 'https://one.example.test/'],
  ]);
  expect(changes[2]?.registration?.endReason).toBe('DEREGISTERED');
  expect((await one.until(2)).map(({ action }) => action)).toEqual(['preview_registered', 'preview_deregistered']);
  await using resumed = follow<Change>(api.s, previews(''), { after: changes[0]?.cursor });
  expect((await resumed.until(2)).map(({ action }) => action)).toEqual(['preview_registered', 'preview_deregistered']);
});

it('verificationChanged sends the begin of a verification and the request to cancel it', async () => {
  await using changes = follow<Change>(
    api.s,
    `subscription { verificationChanged(${shop} number: 1) { cursor action verification { attempt status } } }`,
  );
  await started(changes);
  await api.register();
  const [run] = await api.runs();
  await api.ask('mutation ($id: ID!) { cancelVerification(input: {id: $id}) { verification { id } } }', {
    id: encodeNodeId('Verification', run?.id ?? ''),
  });
  expect((await changes.until(2)).map(({ action, verification }) => [action, verification])).toEqual([
    ['verification_pending', { attempt: 1, status: 'PENDING' }],
    ['verification_cancel_requested', { attempt: 1, status: 'PENDING' }],
  ]);
});

it('verificationLog sends the log from its beginning and as it is written, until the verification has ended', async () => {
  const row = await addVerification(api.s, { head, status: 'driving' });
  const id = encodeNodeId('Verification', row);
  await addLog(api.s, row, 'before\n');
  await using log = follow<{ cursor: string; text: string }>(
    api.s,
    'subscription ($id: ID!) { verificationLog(verification: $id) { cursor text } }',
    { id },
  );
  await log.until(1);
  await addLog(api.s, row, 'after\n');
  await log.until(2);
  await api.setRun("status = 'passed', ended_at = now()");
  await log.completed;
  expect(log.payloads.map(({ text }) => text)).toEqual(['before\n', 'after\n']);
  await using rest = follow<{ text: string }>(
    api.s,
    'subscription ($id: ID!, $after: String) { verificationLog(verification: $id, after: $after) { text } }',
    { id, after: log.payloads[0]?.cursor },
  );
  await rest.completed;
  expect(rest.payloads).toEqual([{ text: 'after\n' }]);
});

it.each([
  ['previewChanged', `previewChanged(${shop} number: 99) { cursor }`],
  ['verificationChanged', `verificationChanged(${shop} number: 99) { cursor }`],
])('%s is refused for an unknown pull request', async (_, field) => {
  await using refused = follow(api.s, `subscription { ${field} }`);
  await refused.until(1);
  expect(refused.errors).toMatchObject([{ message: 'Pull request not found', extensions: { code: 'NOT_FOUND' } }]);
});
