import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
beforeAll(async () => {
  w = await emulatorWorld();
});
afterEach(() => w.expectNoMistakes());
afterAll(async () => await w[Symbol.asyncDispose]());

async function report(sha: string, name: string, conclusion: 'success' | 'failure'): Promise<number> {
  const { data } = await w.bot.checks.create({ ...w.place, name, head_sha: sha, conclusion });
  return data.id;
}

describe('check runs', () => {
  it('can be written only by Apps, and changed only by the App that created them', async () => {
    const sha = await w.clone.push('apps-alone', { 'a.txt': 'a\n' });
    await expect(w.person.checks.create({ ...w.place, name: 'lint', head_sha: sha })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('You must authenticate via a GitHub App.') as string,
    });
    const id = await report(sha, 'lint', 'failure');
    await expect(w.person.checks.update({ ...w.place, check_run_id: id, conclusion: 'success' })).rejects.toMatchObject(
      { status: 403 },
    );
    const { data } = await w.bot.checks.update({ ...w.place, check_run_id: id, status: 'in_progress' });
    expect(data).toMatchObject({ status: 'in_progress', conclusion: null, app: { slug: w.emulator.slug } });
  });

  it('are refused for an unknown commit', async () => {
    const sha = 'a'.repeat(40);
    await expect(w.bot.checks.create({ ...w.place, name: 'lint', head_sha: sha })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining(`No commit found for SHA: ${sha}`) as string,
    });
  });

  it('are listed with only the newest run of each name, or with all runs', async () => {
    const sha = await w.clone.push('newest', { 'n.txt': 'n\n' });
    const first = await report(sha, 'lint', 'failure');
    const second = await report(sha, 'lint', 'success');
    const listed = async (filter: 'latest' | 'all'): Promise<number[]> => {
      const { data } = await w.bot.checks.listForRef({ ...w.place, ref: sha, filter });
      return data.check_runs.map(({ id }) => id);
    };
    expect(await listed('latest')).toEqual([second]);
    expect(await listed('all')).toEqual([second, first]);
  });

  it('belong to a suite that is created at each push, and complete it', async () => {
    const sha = await w.clone.push('suites', { 's.txt': 's\n' });
    const suite = async () => (await w.bot.checks.listSuitesForRef({ ...w.place, ref: sha })).data.check_suites[0];
    expect(await suite()).toMatchObject({ status: 'queued', conclusion: null, latest_check_runs_count: 0 });
    await report(sha, 'one', 'success');
    await report(sha, 'two', 'failure');
    expect(await suite()).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      head_branch: 'suites',
      latest_check_runs_count: 2,
    });
  });

  it('can be requested again, which makes their suite queued', async () => {
    const sha = await w.clone.push('again', { 'r.txt': 'r\n' });
    const id = await report(sha, 'lint', 'failure');
    await w.person.checks.rerequestRun({ ...w.place, check_run_id: id });
    const { data } = await w.bot.checks.listSuitesForRef({ ...w.place, ref: sha });
    expect(data.check_suites[0]).toMatchObject({ status: 'queued', conclusion: null });
  });
});

describe('commit statuses', () => {
  it('count with their newest value for each context', async () => {
    const sha = await w.clone.push('statuses', { 't.txt': 't\n' });
    const say = async (context: string, state: 'success' | 'failure' | 'pending') =>
      await w.person.repos.createCommitStatus({ ...w.place, sha, context, state });
    const combined = async () => (await w.bot.repos.getCombinedStatusForRef({ ...w.place, ref: sha })).data;
    expect(await combined()).toMatchObject({ state: 'pending', total_count: 0 });
    await say('build', 'failure');
    await say('lint', 'success');
    expect((await combined()).state).toBe('failure');
    await say('build', 'success');
    expect(await combined()).toMatchObject({ state: 'success', total_count: 2 });
  });

  it('cannot be written by an App without the permission', async () => {
    const sha = await w.clone.push('unpermitted', { 'u.txt': 'u\n' });
    await expect(
      w.bot.repos.createCommitStatus({ ...w.place, sha, context: 'build', state: 'success' }),
    ).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration') as string,
    });
  });
});
