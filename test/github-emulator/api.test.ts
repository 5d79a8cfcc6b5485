import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
beforeAll(async () => void (w = await emulatorWorld()));
afterEach(async () => {
  await w.emulator.controls.clear();
  w.expectNoMistakes();
});
afterAll(async () => await w[Symbol.asyncDispose]());

async function call(
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const headers = { authorization: `token ${w.emulator.token}`, ...init.headers };
  return await fetch(`${w.emulator.apiUrl}${path}`, { ...init, headers });
}

describe('the API', () => {
  it('refuses unknown fields, unknown paths and missing fields with GitHub’s messages', async () => {
    const body = JSON.stringify({ title: 't', head: 'h', base: 'main', colour: 'red' });
    const foreign = await call(`/repos/${w.owner}/${w.repo}/pulls`, { method: 'POST', body });
    expect(foreign.status).toBe(422);
    expect(await foreign.json()).toMatchObject({ message: 'Invalid request.\n\n"colour" is not a permitted key.' });
    const unknown = await call(`/repos/${w.owner}/${w.repo}/sausages`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ message: 'Not Found', documentation_url: expect.any(String) });
    const missing = await call(`/repos/${w.owner}/${w.repo}/labels`, { method: 'POST', body: '{}' });
    expect(await missing.json()).toMatchObject({ message: 'Invalid request.\n\n"name" wasn\'t supplied.' });
  });

  it('accepts JSON with the content type that curl sends by default', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = JSON.stringify({ name: 'by-curl', color: 'ededed' });
    const made = await call(`/repos/${w.owner}/${w.repo}/labels`, { method: 'POST', body, headers });
    expect([made.status, await made.json()]).toMatchObject([201, { name: 'by-curl' }]);
  });

  it('hides private repositories from strangers, and refuses writes of users who may only read', async () => {
    const stranger = w.octokitOf(w.emulator.addPerson('stranger').token);
    await expect(stranger.repos.get(w.place)).rejects.toMatchObject({ status: 404 });
    const reader = w.octokitOf(w.emulator.addPerson('reader', 'member').token);
    expect((await reader.repos.get(w.place)).data.permissions).toMatchObject({ pull: true, push: false });
    const { number } = await w.open('guarded');
    await expect(reader.issues.addLabels({ ...w.place, issue_number: number, labels: ['x'] })).rejects.toMatchObject({
      status: 403,
    });
    const permission = await reader.repos.getCollaboratorPermissionLevel({ ...w.place, username: 'stranger' });
    expect(permission.data).toMatchObject({ permission: 'none', role_name: 'none' });
    await expect(w.octokitOf('ghp_wrong').repos.get(w.place)).rejects.toMatchObject({ status: 401 });
  });

  it('links pages by the header Link, and answers an unchanged read with 304, which costs nothing', async () => {
    for (const name of ['p1', 'p2', 'p3']) await w.person.issues.createLabel({ ...w.place, name });
    const names = await w.person.paginate(w.person.issues.listLabelsForRepo, { ...w.place, per_page: 2 });
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['bug', 'p1', 'p2', 'p3']));
    const first = await call(`/repos/${w.owner}/${w.repo}/pulls`);
    const etag = first.headers.get('etag') ?? '';
    const again = await call(`/repos/${w.owner}/${w.repo}/pulls`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(again.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'));
    expect(again.headers.get('x-github-request-id')).not.toBe(first.headers.get('x-github-request-id'));
    expect(again.headers.get('x-github-enterprise-version')).toMatch(/^3\./);
  });

  it('returns commits, comparisons and files, and changes refs', async () => {
    const { sha } = await w.open('compared', { 'compared.txt': 'one\ntwo\n' });
    const { data: commit } = await w.person.repos.getCommit({ ...w.place, ref: sha });
    expect(commit).toMatchObject({ sha, stats: { additions: 2, deletions: 0 }, author: { login: 'octocat' } });
    const basehead = 'main...compared';
    const { data: comparison } = await w.person.repos.compareCommitsWithBasehead({ ...w.place, basehead });
    expect(comparison).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ filename: 'compared.txt' }] });
    const { data: file } = await w.person.repos.getContent({ ...w.place, path: 'compared.txt', ref: 'compared' });
    expect(file).toMatchObject({ type: 'file', content: Buffer.from('one\ntwo\n').toString('base64') });
    await w.person.git.createRef({ ...w.place, ref: 'refs/heads/made/here', sha });
    await expect(w.person.git.createRef({ ...w.place, ref: 'refs/heads/made/here', sha })).rejects.toMatchObject({
      status: 422,
    });
    expect((await w.person.git.getRef({ ...w.place, ref: 'heads/made/here' })).data.object.sha).toBe(sha);
    const base = await w.clone.git('rev-parse', 'origin/main');
    const moved = { ...w.place, ref: 'heads/made/here', sha: base };
    await expect(w.person.git.updateRef(moved)).rejects.toMatchObject({ status: 422 });
    await w.person.git.updateRef({ ...moved, force: true });
    await w.person.git.deleteRef({ ...w.place, ref: 'heads/made/here' });
    await expect(w.person.git.getRef({ ...w.place, ref: 'heads/made/here' })).rejects.toMatchObject({ status: 404 });
  });
});

describe('the root of the API', () => {
  it('lists its URLs, and names the scopes of the token', async () => {
    const root = await call('/');
    expect(root.headers.get('x-oauth-scopes')).toContain('repo');
    expect(await root.json()).toMatchObject({ current_user_url: `${w.emulator.apiUrl}/user` });
  });
});

describe('rate limits', () => {
  it('apply to requests in an hour, points in a minute and new content in a minute', async () => {
    const person = w.octokitOf(w.emulator.addPerson('busy', 'member').token);
    const { number } = await w.open('limited');
    w.emulator.controls.limits({ contentPerMinute: 1 });
    const comment = async () => await person.issues.createComment({ ...w.place, issue_number: number, body: 'b' });
    await comment();
    await expect(comment()).rejects.toMatchObject({
      status: 403,
      response: { headers: { 'retry-after': expect.stringMatching(/^\d+$/) } },
    });
    w.emulator.controls.limits({ pointsPerMinute: 6 });
    await expect(person.repos.get(w.place)).resolves.toMatchObject({ status: 200 });
    await expect(person.repos.get(w.place)).rejects.toMatchObject({ status: 403 });
    w.emulator.controls.limits({ pointsPerMinute: 900, restPerHour: 2 });
    await expect(person.repos.get(w.place)).rejects.toMatchObject({
      response: { headers: { 'x-ratelimit-remaining': '0' } },
    });
  });
});

describe('injected faults', () => {
  it('can close the connection in the middle of a body', async () => {
    w.emulator.controls.fail({ status: 'cut', times: 1 });
    const cut = await call('/');
    expect([cut.status, cut.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    await expect(cut.text()).rejects.toThrow('terminated');
    expect((await call('/')).status).toBe(200);
  });

  it('lose the answer after the work was done, or fail the call before any work', async () => {
    const operation = 'POST /repos/{owner}/{repo}/labels';
    const make = async (name: string) => await w.person.issues.createLabel({ ...w.place, name });
    w.emulator.controls.fail({ operation, when: 'after', times: 1 });
    await expect(make('after')).rejects.toMatchObject({ status: 502 });
    await expect(make('after')).rejects.toMatchObject({ status: 422 });
    w.emulator.controls.fail({ operation, when: 'before', times: 1, status: 503 });
    await expect(make('before')).rejects.toMatchObject({ status: 503 });
    await make('before');
  });

  it('are the same for the same seed, and can be set over HTTP', async () => {
    const fates = async (): Promise<string> => {
      await using other = await emulatorWorld({ seed: 7 });
      other.emulator.controls.fail({ operation: '/meta', rate: 0.5 });
      const statuses: number[] = [];
      for (let at = 0; at < 12; at += 1) statuses.push((await fetch(`${other.emulator.apiUrl}/meta`)).status);
      return statuses.join(' ');
    };
    const [first, second] = [await fates(), await fates()];
    expect(first).toBe(second);
    expect(first).toContain('502');
    expect(first).toContain('200');
    const post = async (body: object) =>
      await fetch(`${w.emulator.url}/_emulator/controls`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post({ fail: [{ operation: 'GET /meta', times: 1 }] })).status).toBe(204);
    expect((await call('/meta')).status).toBe(502);
    expect((await call('/meta')).status).toBe(200);
    expect((await post({ explode: [] })).status).toBe(400);
  });
});
