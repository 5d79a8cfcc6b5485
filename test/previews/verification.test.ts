import { HostUnavailable } from '../../src/hosts/port.ts';
import { atMost } from '../../src/platform/at-most.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { deleteRepository } from '../../src/modules/repositories/deletion.service.ts';
import { setRepositoryActive } from '../../src/modules/queue/index.ts';
import { afterEach, expect, test } from 'vitest';
import { advanceVerification, findSandboxBySlug } from '../../src/modules/previews/index.ts';
import { registerPreview } from '../../src/modules/previews/registrations/registrations.service.ts';
import { generateSecrets } from '../../src/modules/accounts/index.ts';
import { grantPreviewSecret, setPreviewSecret } from '../../src/modules/previews/secrets/secrets.service.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { parallel } from '../support/world.ts';
import {
  app,
  endpoint,
  feature,
  sandboxOf,
  skillPath,
  verificationWorld,
  type VerificationWorld,
} from './verification-world.ts';

let w: VerificationWorld;
afterEach(async () => await w[Symbol.asyncDispose]());

const home = (parts: string): string => `## Home\n\n- \`GET /\`\n${parts}`;

const startsApp = { '.service/scripts/preview-setup.sh': 'node app.cjs &\n' };

test('a head is verified in the preview that CI registers for it, and the check shows the verdict', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  const waiting = await w.comesTo(number, 'waiting');
  expect(await w.check(waiting.head)).toMatchObject({ state: 'pending' });

  const url = await w.app((_, response) => response.end('Welcome'));
  await w.register(number, url);
  const passed = await w.comesTo(number, 'passed');
  expect(passed).toMatchObject({
    attempt: 1,
    degraded: false,
    summary: '1 step passed.',
    steps: ['passed It answers: GET /'],
  });
  await w.until(async () => (await w.check(passed.head))?.state === 'success');
  expect(await w.check(passed.head)).toMatchObject({
    title: 'Verified',
    summary: expect.stringContaining('Preview `default`.'),
  });
  expect((await w.events()).map(([action]) => action)).toEqual(
    expect.arrayContaining([
      'verification_pending',
      'verification_waiting',
      'verification_driving',
      'verification_passed',
    ]),
  );
});

test('a verification fails with a message if the app does not do what the skill file expects', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', { [skillPath]: home('  - expect body contains `Welcome`\n- `GET /next`\n') });
  const url = await w.app((_, response) => response.end('Go away'));
  await w.comesTo(number, 'waiting');
  await w.register(number, url);
  const failed = await w.comesTo(number, 'failed');
  expect(failed.steps).toEqual(['failed Home: `GET /`', 'skipped Home: `GET /next`']);
  await w.until(async () => (await w.check(failed.head))?.state === 'failure');
  expect((await w.check(failed.head))?.summary).toContain('expect body contains `Welcome`: The body begins: Go away');
  const { details } = (await advanceVerification(w.ctx, failed.id)).summary;
  expect(details).toContain(
    "- Home: `'GET /'` **failed** · expect body contains \\`Welcome\\`: The body begins: Go away",
  );
  expect(details).toContain("- Home: `'GET /next'` **skipped**");
});

test('a skill file with a wrong line ends in an error that names the line, and no request is sent', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', { [skillPath]: '# Shop\n\n## Home\n\n- look around\n' });
  let requests = 0;
  const url = await w.app((_, response) => response.end(String((requests += 1))));
  await w.comesTo(number, 'waiting');
  await w.register(number, url);
  const ended = await w.comesTo(number, 'error');
  expect(ended.summary).toContain(`${skillPath}, line 5: expected a request`);
  expect(requests).toBe(0);
});

test('if no preview is registered in time, the code is analysed; a late registration starts another run', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', { 'good.json': '{}\n' });
  await w.comesTo(number, 'waiting');
  w.pass(1_801_000);
  const degraded = await w.comesTo(number, 'passed');
  expect(degraded).toMatchObject({ degraded: true, summary: expect.stringContaining('No preview was registered') });

  const url = await w.app((_, response) => response.writeHead(500).end());
  await w.register(number, url);
  const second = await w.comesTo(number, 'failed', 2);
  expect(second).toMatchObject({ cause: 'registration', degraded: false });
  await w.until(async () => (await w.check(second.head))?.state === 'failure');
});

test('a registration for a head that a push has replaced starts no requests, whether or not the push was reported', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  const old = await w.comesTo(number, 'waiting');
  const tree = await w.git('rev-parse', 'feature^{tree}');
  const next = await w.git('commit-tree', tree, '-p', old.head, '-m', 'A push without an event');
  await w.git('update-ref', 'refs/heads/feature', next);
  let requests = 0;
  const url = await w.app((_, response) => response.end(String((requests += 1))));
  const registered = await registerPreview(w.ctx, w.secrets, {
    repository: w.repository,
    commitSha: old.head,
    previewUrl: url,
    branch: 'feature',
  });
  expect(registered.attachedTo).toBeNull();
  await w.comesTo(number, 'waiting', 1);
  await w.until(async () => (await w.runs(number))[0]?.status === 'canceled');
  expect((await w.runs(number)).map(({ head, status }) => [head, status])).toEqual([
    [old.head, 'canceled'],
    [next, 'waiting'],
  ]);
  expect(requests).toBe(0);

  const late = await registerPreview(w.ctx, w.secrets, {
    repository: w.repository,
    commitSha: next,
    previewUrl: url,
    prNumber: number,
  });
  expect(late.attachedTo).toBe(number);
  expect(await w.comesTo(number, 'passed')).toMatchObject({ head: next });
});

test('a verification ends if its worker was lost and its registration ended meanwhile', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const { driving } = w.loop.verifications;
  const gone = await w.open('gone', feature);
  const over = await w.open('over', { 'over.txt': 'new\n' });
  for (const number of [gone, over]) await w.comesTo(number, 'waiting');
  // In this world no worker drives verifications.
  w.loop.verifications.driving = null;
  const url = await w.app((_, response) => response.end());
  await w.register(gone, url);
  await w.register(over, url, { expiresAt: new Date(w.ctx.clock().getTime() + 600_000) });
  for (const number of [gone, over]) await w.comesTo(number, 'driving');
  await w.deregister(gone);
  w.pass(601_000);
  w.loop.verifications.driving = driving;
  expect((await w.comesTo(gone, 'error')).summary).toContain('deregistered or replaced during the verification');
  expect((await w.comesTo(over, 'error')).summary).toContain('expired during the verification');
});

test('a registration that expires just after it was read ends its verification in the first attempt', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  const disarm = onFailpoint('verification:registration_opened', async () => w.pass(600_001));
  try {
    const expiresAt = new Date(w.ctx.clock().getTime() + 600_000);
    await w.register(number, await w.app((_, response) => response.end()), { expiresAt });
    const ended = await w.comesTo(number, 'error');
    expect(ended.summary).toContain('expired during the verification');
    expect(await w.log(ended)).not.toContain('attempt 2');
  } finally {
    disarm();
  }
});

test('a newer head cancels the run of the older head, closing cancels the run of the pull request, and deactivating the repository cancels all', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  const first = await w.comesTo(number, 'waiting');
  await w.commit('feature', { 'more.txt': 'more\n' });
  const second = await w.comesTo(number, 'waiting', 1);
  await w.until(async () => (await w.runs(number))[0]?.status === 'canceled');
  expect(second.head).not.toBe(first.head);

  const hosted = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
  await w.service.localHost.closePullRequest(hosted, number);
  await w.service.drain();
  await w.comesTo(number, 'canceled');
  await w.service.localHost.reopenPullRequest(hosted, number);
  await w.service.drain();
  const again = await w.comesTo(number, 'waiting', 2);
  expect(again.head).toBe(second.head);

  await setRepositoryActive(w.ctx, { repository: w.repository, active: false });
  expect((await w.comesTo(number, 'canceled', 2)).summary).toBe('The repository is inactive.');
});

/** The host takes no checks until the returned function is called, because the App has no access any more. */
function loseAccess(): () => void {
  const error = new HostUnavailable('The App has no access to the repository.');
  return onFailpoint('verification:published', async () => await Promise.reject(error));
}

async function deactivateUntilIdle(): Promise<void> {
  await setRepositoryActive(w.ctx, { repository: w.repository, active: false });
  await w.until(async () => {
    w.pass(61_000);
    return (await w.rows('select 1 from verification where next_look_at is not null')).length === 0;
  });
}

test('a verification ends although the host takes no check of its inactive repository, which can then be deleted', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  const regainAccess = loseAccess();
  await deactivateUntilIdle().finally(regainAccess);
  expect(await w.runs(number)).toMatchObject([{ status: 'canceled', published_check: 'pending' }]);
  await deleteRepository(w.ctx, w.repository);
  expect(await w.rows('select 1 from repository where deleted_at is not null')).toHaveLength(1);
});

test('a check that the host did not take is published after the repository is active again', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  await w.register(number, await w.app((_, response) => response.end()));
  const regainAccess = loseAccess();
  try {
    await w.comesTo(number, 'passed');
    await deactivateUntilIdle();
  } finally {
    regainAccess();
  }
  expect(await w.runs(number)).toMatchObject([{ status: 'passed', published_check: 'pending' }]);
  await setRepositoryActive(w.ctx, { repository: w.repository, active: true });
  const { reconcileAll } = await import('../../src/reconciler.ts');
  await reconcileAll(w.service.ports);
  await w.until(async () => (await w.runs(number))[0]?.published_check === 'success');
});

test('a preview that is deregistered while it is driven ends the run', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  // The app never answers.
  const url = await w.app(() => asked());
  await w.register(number, url);
  await w.comesTo(number, 'driving');
  await isAsked;
  await w.deregister(number);
  expect(await w.comesTo(number, 'error')).toMatchObject({
    summary: expect.stringContaining('deregistered or replaced'),
  });
});

test('a pull request that changes only exempt paths needs no verification', async () => {
  w = await verificationWorld();
  await w.verify(`${endpoint}  exempt_paths:\n    - docs/**\n`);
  const exempt = await w.open('docs', { 'docs/a/b.md': 'words\n' });
  const other = await w.open('both', { 'docs/c.md': 'words\n', 'src.txt': 'code\n' });
  const skipped = await w.comesTo(exempt, 'skipped');
  await w.until(async () => (await w.check(skipped.head))?.state === 'success');
  expect(await w.comesTo(other, 'waiting')).toMatchObject({ attempt: 1 });
});

test('heads from before the configuration had previews are verified only if it is required, later heads always', async () => {
  w = await verificationWorld();
  const { reconcileAll } = await import('../../src/reconciler.ts');
  const [old, blocked] = [await w.open('feature', feature), await w.open('broken', { bad: 'bad\n' })];
  await w.queue(blocked);
  await w.settled(blocked);
  expect((await w.status(blocked)).status).toBe('blocked');
  await w.verify(endpoint);
  await reconcileAll(w.service.ports);
  // Changes another fact of the pull request than its head.
  const host = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
  await w.service.localHost.setLabel(host, old, { label: 'nice', present: true });
  await w.service.drain();
  expect([await w.runs(old), await w.runs(blocked)]).toEqual([[], []]);

  await w.commit('feature', { 'more.txt': 'more\n' });
  await w.comesTo(old, 'waiting');
  const idle = await w.open('idle', { 'idle.txt': 'new\n' });
  await w.comesTo(idle, 'waiting');
  await w.rows('delete from verification');
  await w.verify(endpoint, `${parallel()}preconditions:\n  required_checks: ['interlock/*']\n`);
  await reconcileAll(w.service.ports);
  await w.comesTo(old, 'waiting');
  expect(await w.runs(blocked)).toEqual([]);
});

test('the check shows the end of a verification at once, even if the host is notified later', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', { ...feature, [skillPath]: '## Home\n\n- `GET /`\n' });
  const run = await w.comesTo(number, 'waiting');
  await w.register(number, await w.app((_, response) => response.writeHead(500).end()));
  const checkOf = async (): Promise<unknown[]> =>
    await w.rows("select conclusion from check_result where name = 'interlock/verify' and commit = $1", [run.head]);
  const seen: unknown[] = [];
  const disarm = onFailpoint('verification:published', async () => {
    const [{ status } = { status: '' }] = await w.runs(number);
    if (status === 'failed') seen.push(...(await checkOf()));
  });
  try {
    await w.comesTo(number, 'failed');
    expect(await checkOf()).toEqual([{ conclusion: 'failure' }]);
    await w.until(async () => seen.length > 0);
  } finally {
    disarm();
  }
  expect(seen).toEqual([{ conclusion: 'failure' }]);
});

test('a sandbox is booted with its secrets, driven and torn down, and no text about it contains a secret', async () => {
  w = await verificationWorld();
  await w.image('node', { kind: 'command', source: 'true' });
  await setPreviewSecret(w.ctx, w.secrets, { key: 'API_TOKEN', value: 'hunter2-hunter2' });
  await grantPreviewSecret(w.ctx, { key: 'API_TOKEN', repository: w.repository });
  await w.verify(sandboxOf('teardown: teardown.sh\nsecrets: [API_TOKEN]\n'));
  const skill = home(
    '  - expect header `X-Token` is `{{secret.API_TOKEN}}`\n  - expect json `/path` is `/`\n  - capture `head` from json `/head`\n- `GET /{{head}}`\n  - expect header `X-Token` is `wrong`\n',
  );
  const number = await w.open('feature', {
    ...startsApp,
    'app.cjs': app,
    'teardown.sh': 'echo the lights go out\n',
    [skillPath]: skill,
  });
  const failed = await w.comesTo(number, 'failed');
  expect(failed.steps).toEqual(['passed Home: `GET /`', 'failed Home: `GET /{{head}}`']);
  const log = await w.log(failed);
  expect(log).toContain('token ***');
  expect(log).toContain('the lights go out');
  const texts = await w.rows<{ text: string }>(
    `select text from verification_log union all select detail from verification_step where detail is not null
     union all select payload::text from event union all select summary from local_status_check`,
  );
  expect(texts.map(({ text }) => text).join('\n')).not.toContain('hunter2');
  expect(await w.rows('select state, address from preview_sandbox')).toEqual([{ state: 'gone', address: null }]);
  // The slug is never used for another sandbox, and its row no longer has the address of a gateway.
  const [{ slug, ready, gone } = { slug: '', ready: null, gone: null }] = await w.rows<{
    slug: string;
    ready: Date | null;
    gone: Date | null;
  }>('select slug, ready_at as ready, gone_at as gone from preview_sandbox');
  expect(gone?.getTime()).toBeGreaterThanOrEqual(ready?.getTime() ?? Infinity);
  expect(await findSandboxBySlug(w.service.ports.db, w.secrets, slug)).toMatchObject({ state: 'gone', route: null });
});

test('a secret that was not granted is an error that names the secret and says what to do', async () => {
  w = await verificationWorld();
  await w.image('node', { kind: 'command', source: 'true' });
  await setPreviewSecret(w.ctx, w.secrets, { key: 'API_TOKEN', value: 'hunter2-hunter2' });
  await w.verify(sandboxOf('secrets: [API_TOKEN]\n'));
  const number = await w.open('feature', { ...startsApp, 'app.cjs': app });
  expect((await w.comesTo(number, 'error')).summary).toBe(
    'The repository has no secret `API_TOKEN`: set it for the account and grant it to this repository.',
  );
});

test('a secret that was encrypted with another key is an error at once, which says what to do', async () => {
  w = await verificationWorld();
  await w.image('node', { kind: 'command', source: 'true' });
  await setPreviewSecret(w.ctx, w.secrets, { key: 'API_TOKEN', value: 'hunter2-hunter2' });
  await grantPreviewSecret(w.ctx, { key: 'API_TOKEN', repository: w.repository });
  await setPreviewSecret(w.ctx, generateSecrets(), { key: 'API_TOKEN', value: 'hunter2-hunter2' });
  await w.verify(sandboxOf('secrets: [API_TOKEN]\n'));
  const number = await w.open('feature', { ...startsApp, 'app.cjs': app });
  expect((await w.comesTo(number, 'error')).summary).toBe(
    'The secret `API_TOKEN` was encrypted with another key. Set the secret again.',
  );
});

test('without a usable preview the code is analysed, and the summary says why', async () => {
  w = await verificationWorld();
  await w.verify(sandboxOf());
  const number = await w.open('feature', feature);
  expect(await w.comesTo(number, 'passed')).toMatchObject({
    degraded: true,
    summary: expect.stringContaining('The account has no image node. Register the image.'),
  });
});

interface WaitingForHost {
  readonly calls: number;
  readonly call_at: Date | null;
  readonly failing_since: Date | null;
  readonly problem: string | null;
}

async function waitingForHost(): Promise<WaitingForHost> {
  const [row] = await w.rows<WaitingForHost>('select calls, call_at, failing_since, problem from verification');
  if (row === undefined) throw new Error('There is no verification.');
  return row;
}

/** Lets the clock jump to the next time that the verification waits for, at most to `limitMs` from the first failure. */
function skipWaits(limitMs = Infinity): void {
  w.loop.observe = async () => {
    const { call_at, failing_since } = await waitingForHost();
    const at = Math.min(call_at?.getTime() ?? 0, (failing_since?.getTime() ?? 0) + limitMs);
    const leftMs = at - w.ctx.clock().getTime();
    if (leftMs > 0) w.pass(leftMs);
  };
}

/** Opens a pull request whose sandbox starts an app. */
async function openApp(): Promise<number> {
  await w.image('node', { kind: 'command', source: 'true' });
  await w.verify(sandboxOf());
  return await w.open('feature', { ...startsApp, 'app.cjs': app });
}

test('a verification goes on after its code host has failed for a while, and the failures cost no attempt', async () => {
  w = await verificationWorld();
  let failures = 0;
  replaceHostMethod(w, 'checkOut', (original) => async (...of) => {
    if ((failures += 1) <= 4) throw new HostUnavailable('GitHub answered 502.');
    await original(...of);
  });
  skipWaits();
  const passed = await w.comesTo(await openApp(), 'passed');
  expect(passed.attempt).toBe(1);
  expect(await w.log(passed)).not.toContain('attempt 2');
  await w.until(async () => (await w.check(passed.head))?.state === 'success');
});

test('a verification whose code host asks to wait makes no call before that time', async () => {
  w = await verificationWorld();
  const asked: number[] = [];
  const given: number[] = [];
  let isOver = false;
  replaceHostMethod(w, 'checkOut', (original) => async (...of) => {
    const now = w.ctx.clock().getTime();
    asked.push(now);
    if (isOver) return await original(...of);
    given.push(now + 3_600_000);
    throw new HostUnavailable('Too many requests.', { retryAt: now + 3_600_000 });
  });
  const number = await openApp();
  await w.until(async () => (await waitingForHost()).problem === 'Too many requests.');
  expect(await waitingForHost()).toMatchObject({ calls: 0 });
  isOver = true;
  skipWaits();
  await w.comesTo(number, 'passed');
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBeGreaterThanOrEqual(given[0] ?? Infinity);
});

test('the time limit of a sandbox counts from its boot, also if an earlier attempt had one and this one waits for room', async () => {
  w = await verificationWorld();
  const { driving } = w.loop.verifications;
  if (driving === null) throw new Error('No worker drives verifications.');
  const inTurn = atMost(1);
  w.loop.verifications.driving = { ...driving, inTurn };
  const others = Promise.withResolvers<void>();
  let failures = 0;
  replaceHostMethod(w, 'checkOut', (original) => async (...of) => {
    if ((failures += 1) > 1) return await original(...of);
    void inTurn(async () => await others.promise);
    throw new HostUnavailable('GitHub answered 502.');
  });
  skipWaits();
  try {
    const number = await openApp();
    const run = await w.comesTo(number, 'booting');
    await w.until(async () => (await w.log(run)).includes('The preview waits until this worker has room for it.'));
    expect(await w.rows('select expires_at from verification')).toEqual([{ expires_at: null }]);
    others.resolve();
    await w.comesTo(number, 'passed');
  } finally {
    others.resolve();
  }
});

test('a verification whose code host fails for a day ends, and its check names the failure', async () => {
  w = await verificationWorld();
  replaceHostMethod(w, 'checkOut', () => async () => {
    const retryAt = w.ctx.clock().getTime() + 7 * 3_600_000;
    await Promise.reject(new HostUnavailable('GitHub answered 502.', { retryAt }));
  });
  const number = await openApp();
  await w.until(async () => (await waitingForHost()).problem === 'GitHub answered 502.');
  expect(await waitingForHost()).toMatchObject({ calls: 0 });
  // A sandbox that could not boot is not shown as one that boots.
  expect(await w.rows('select state from preview_sandbox')).toEqual([{ state: 'gone' }]);
  skipWaits(24 * 3_600_000);
  const ended = await w.comesTo(number, 'error');
  expect(ended.summary).toBe('The code host has failed for 24 hours. The last failure: GitHub answered 502.');
  await w.until(async () => (await w.check(ended.head))?.state === 'failure');
  expect((await w.check(ended.head))?.summary).toContain('GitHub answered 502.');
});

test('a verification that fails three times names the last failure, not a lost worker', async () => {
  w = await verificationWorld();
  await w.verify(endpoint);
  const number = await w.open('feature', feature);
  await w.comesTo(number, 'waiting');
  const disarm = onFailpoint('verification:registration_opened', async () => {
    throw new Error('a surprise');
  });
  try {
    await w.register(number, await w.app((_, response) => response.end()));
    const ended = await w.comesTo(number, 'error');
    expect(ended.summary).toMatch(
      /^The verification was started 3 times without a result\. The last failure: a surprise/,
    );
  } finally {
    disarm();
  }
});

test('a preview waits while the worker runs as many as it may, ends at once if it is canceled, and boots when there is room', async () => {
  w = await verificationWorld();
  const { driving } = w.loop.verifications;
  if (driving === null) throw new Error('No worker drives verifications.');
  w.loop.verifications.driving = { ...driving, inTurn: atMost(1) };
  await w.image('node', { kind: 'command', source: 'true' });
  await w.verify(sandboxOf());
  const held = Promise.withResolvers<void>();
  const disarm = onFailpoint('verification:after_boot', async () => await held.promise);
  try {
    const open = async (branch: string, until: string): Promise<number> => {
      const number = await w.open(branch, { ...startsApp, 'app.cjs': app, [`${branch}.txt`]: 'new\n' });
      const run = await w.comesTo(number, 'booting');
      await w.until(async () => (await w.log(run)).includes(until));
      return number;
    };
    const waits = 'The preview waits until this worker has room for it.';
    const first = await open('first', 'boots as');
    const second = await open('second', waits);
    const third = await open('third', waits);
    const hosted = { accountId: w.ctx.accountId, id: w.repositoryId, ...w.repository };
    await w.service.localHost.closePullRequest(hosted, second);
    await w.service.drain();
    await w.comesTo(second, 'canceled');
    expect((await w.runs(third)).at(-1)).toMatchObject({ status: 'booting' });
    expect(await w.rows('select 1 from preview_sandbox')).toHaveLength(1);
    held.resolve();
    await w.comesTo(first, 'passed');
    await w.comesTo(third, 'passed');
  } finally {
    held.resolve();
    disarm();
  }
});
