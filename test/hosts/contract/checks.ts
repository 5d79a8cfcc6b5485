// What every code host promises about checks, about workflows that are started by name, and about rules of a base
// branch.
import { describe, expect, test } from 'vitest';
import { HostRefused, type CheckReport, type CodeHost } from '../../../src/hosts/port.ts';
import type { Given } from './given.ts';

export function describeChecks(given: () => Given): void {
  const read = async (commit: string): Promise<CheckReport> =>
    await given().host.readChecks(given().repository, commit, { expected: ['test'], movedAt: null });
  const newest = async (commit: string): Promise<unknown> =>
    (await read(commit)).checks.map(({ name, attempt, conclusion }) => [name, attempt, conclusion]);
  /** A head with the check `test`, which runs. */
  async function checked(): Promise<{ readonly number: number; readonly commit: string }> {
    const { host, repository, push, base, ciFiles } = given();
    const commit = await push({ branch: 'checked', from: base, files: { ...ciFiles, 'c.txt': 'c\n' } });
    const { number } = await host.openPullRequest(repository, {
      title: 'Add c',
      body: '',
      author: 'ada',
      headBranch: 'checked',
      baseBranch: 'main',
      draft: false,
    });
    await expect.poll(async () => await newest(commit)).toEqual([['test', 1, 'pending']]);
    return { number, commit };
  }

  describe('checks', () => {
    test('are pending at first, and the report is complete after they have ended', async () => {
      const { commit } = await checked();
      expect(await read(commit)).toMatchObject({ commit, canceled: false });
      await given().conclude({ commit, name: 'test', conclusion: 'success' });
      await expect.poll(async () => await newest(commit)).toEqual([['test', 1, 'success']]);
      const report = await read(commit);
      expect(report).toMatchObject({ complete: true, settlesAt: null, canceled: false });
      expect(report.checks[0]?.completedAt).toBeGreaterThan(0);
    });

    test('that are tried again are a new attempt, and the newest attempt counts', async () => {
      const { host, repository, conclude } = given();
      const { commit } = await checked();
      // A running check and a check that never ran are not started again.
      expect(await host.rerunChecks(repository, commit, ['test', 'unknown'])).toEqual([]);
      await conclude({ commit, name: 'test', conclusion: 'failure' });
      await expect.poll(async () => await newest(commit)).toEqual([['test', 1, 'failure']]);
      expect(await host.rerunChecks(repository, commit, ['test', 'unknown'])).toEqual(['test']);
      await expect.poll(async () => await newest(commit)).toEqual([['test', 2, 'pending']]);
      await conclude({ commit, name: 'test', conclusion: 'success' });
      await expect.poll(async () => await newest(commit)).toEqual([['test', 2, 'success']]);
    });

    test('belong to their commit: the next head has none of them', async () => {
      const { host, repository, conclude, push } = given();
      const { commit, number } = await checked();
      await conclude({ commit, name: 'test', conclusion: 'success' });
      await expect.poll(async () => await newest(commit)).toEqual([['test', 1, 'success']]);
      const next = await push({ branch: 'checked', files: { 'd.txt': 'd\n' } });
      await expect.poll(async () => await newest(next)).toEqual([['test', 1, 'pending']]);
      await expect
        .poll(async () => await host.getPullRequest(repository, number))
        .toMatchObject({ headSha: next, headTip: next });
    });

    test('are stopped, even if this is requested twice', async () => {
      const { host, repository } = given();
      const { commit } = await checked();
      for (let times = 0; times < 2; times += 1) await host.cancelChecks(repository, commit);
      await expect.poll(async () => (await read(commit)).canceled).toBe(true);
    });

    test('of Interlock are updated in place, and are not listed among the checks of CI', async () => {
      const { host, repository } = given();
      const { commit } = await checked();
      const check = { commit, name: 'interlock', title: 'In line', summary: 'Second.', url: null } as const;
      for (const version of [1, 3, 2])
        await host.publishCheck(repository, { ...check, state: 'pending', version, title: `Version ${version}` });
      expect(await newest(commit)).toEqual([['test', 1, 'pending']]);
    });
  });

  describe('a workflow', () => {
    const ask = async (
      commit: string,
      key: string,
      change: Partial<Parameters<CodeHost['dispatchWorkflow']>[1]> = {},
    ) =>
      await given().host.dispatchWorkflow(given().repository, {
        workflow: given().workflow,
        commit,
        key,
        branch: null,
        ...change,
      });

    test('runs once for each key, and is not a check of its commit', async () => {
      const { host, repository } = given();
      const { commit } = await checked();
      const run = await ask(commit, 'gate-1');
      expect(await ask(commit, 'gate-1', { branch: 'checked' })).toBe(run);
      expect(await ask(commit, 'gate-2')).not.toBe(run);
      expect(await host.readWorkflowRun(repository, run)).toMatchObject({ conclusion: 'pending' });
      expect(await newest(commit)).toEqual([['test', 1, 'pending']]);
      for (let times = 0; times < 2; times += 1) await host.cancelWorkflowRun(repository, run);
      await expect
        .poll(async () => await host.readWorkflowRun(repository, run))
        .toMatchObject({ conclusion: 'cancelled' });
    });

    test.each([
      ['that the commit does not have', { workflow: 'unknown' }],
      ['with an input that it does not declare', { inputs: { undeclared: '1' } }],
    ])('%s is refused', async (_what, change) => {
      const { commit } = await checked();
      await expect(ask(commit, 'gate-1', change)).rejects.toThrow(HostRefused);
    });
  });

  test('the rules of a base branch are read at the host, and a branch that does not exist has none', async () => {
    const { host, repository, push, base, ciFiles } = given();
    const none = { requiredChecks: [], push: 'free', why: null, linear: false, signed: false };
    // Each host decides how long an answer counts.
    const { countsForMs: _countsForMs, ...rules } = await host.readBaseRules(repository, 'none');
    expect(rules).toEqual(none);
    await push({ branch: 'main', from: base, files: ciFiles });
    await given().requireChecks('main', ['test']);
    expect(await host.readBaseRules(repository, 'main')).toMatchObject({ requiredChecks: ['test'] });
  });
}
