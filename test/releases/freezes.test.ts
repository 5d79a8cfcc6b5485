import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { loadFreezeInForce } from '../../src/modules/releases/freezes.frozen.ts';
import { announceDueFreezes } from '../../src/modules/releases/freezes.timer.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { environmentOf, type TestEnvironment } from './environment.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

const hour = 3_600_000;

async function environment(project: string, ...versions: string[]): Promise<TestEnvironment> {
  const made = await environmentOf(s, project);
  for (const version of versions) await made.candidate(version);
  return made;
}

interface Frozen {
  readonly until: string | null;
  readonly reason: string | null;
  readonly createdBy: string;
  readonly sentence: string;
  readonly freeze: { readonly id: string; readonly source: string };
}

async function freezeState({ project, name }: TestEnvironment) {
  const { data, text, errors } = await s.graphql<{
    releaseProject: {
      environment: { frozen: Frozen | null; freezes: { id: string; source: string; cronStart: string | null }[] };
    };
  }>(
    `query ($project: String!, $name: String!) { releaseProject(name: $project) { environment(name: $name) {
       frozen { until reason createdBy sentence freeze { id source } } freezes { id source cronStart } } } }`,
    { project, name },
  );
  if (errors.length > 0) throw new Error(text);
  return data.releaseProject.environment;
}

async function mutate(name: string, input: object, selection: string, token?: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const { data, errors } = await s.graphql<Record<string, Record<string, unknown>>>(
    `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`,
    { input },
    token,
  );
  return errors[0]?.message ?? data[name];
}

const refTo = ({ project, name }: TestEnvironment) => ({ project, environment: name });

async function freezeEvents({ id }: TestEnvironment): Promise<string[]> {
  const rows = await s.rows<{ action: string }>(
    `select action from event where environment_id = $1 and action ~ '(freeze|frozen)' order by id`,
    [id],
  );
  return rows.map(({ action }) => action);
}

async function passTo(instant: Date): Promise<void> {
  await announceDueFreezes({ ...s.ports, clock: () => instant });
}

const schedule = (start: Date, end: Date) => ({
  cronStart: `${start.getUTCMinutes()} ${start.getUTCHours()} ${start.getUTCDate()} ${start.getUTCMonth() + 1} *`,
  cronEnd: `${end.getUTCMinutes()} ${end.getUTCHours()} ${end.getUTCDate()} ${end.getUTCMonth() + 1} *`,
  timezone: 'UTC',
});
// All times count from the hour in which the file started, so that the end of an hour changes nothing.
const startedIn = Math.floor(Date.now() / hour);
const wholeHour = (hours: number) => new Date((startedIn + hours) * hour);

describe('an environment that a user has frozen', () => {
  it('shows reason, end and author, and until the end only a forced deployment runs there', async () => {
    const at = await environment('ByHand', 'v1-rc1', 'v2-rc1');
    await at.report('v1-rc1', 'success');
    const endsAt = wholeHour(2);
    await mutate('freezeEnvironment', { ...refTo(at), reason: ' Release week ', endsAt }, 'freeze { id }');
    expect((await freezeState(at)).frozen).toEqual({
      until: endsAt.toISOString(),
      reason: 'Release week',
      createdBy: 'service@acme.test',
      sentence: `production is frozen until ${endsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, by service@acme.test: Release week`,
      freeze: { id: expect.any(String), source: 'MANUAL' },
    });
    expect((await at.deploy('v2-rc1')).error).toBe('Environment is frozen');
    expect((await at.rollBack()).error).toBe('Environment is frozen');
    expect(await at.line()).toEqual(['v1-rc1 success']);
    expect(await mutate('unfreezeEnvironment', refTo(at), 'deleted environment { frozen { until } }')).toEqual({
      deleted: 1,
      environment: { frozen: null },
    });
    expect((await at.deploy('v2-rc1')).status).toBe('pending');
    expect(await freezeEvents(at)).toEqual([
      'freeze_created',
      'environment_frozen',
      'freeze_ended',
      'environment_unfrozen',
    ]);
  });

  it('is frozen also for a server whose clock is behind the clock of the writer', async () => {
    const at = await environment('Skewed');
    await mutate('freezeEnvironment', refTo(at), 'freeze { id }');
    const ctx = systemContext(s.ports, s.accountId);
    const behind = new Date(Date.now() - 5_000);
    const frozen = await s.ports.db.transaction(
      s.accountId,
      async (tx) => await loadFreezeInForce(ctx, tx, { environmentId: at.id, now: behind }),
    );
    expect(frozen?.freeze.source).toBe('manual');
  });

  it('shows in a preview which deployments the freeze would hold back, and stays as it is', async () => {
    const at = await environment('Previewing', 'v1-rc1', 'v2-rc1');
    await at.deploy('v1-rc1');
    await mutate('freezeEnvironment', { ...refTo(at), reason: 'one' }, 'freeze { id }');
    const before = await freezeState(at);
    const preview = await mutate(
      'freezeEnvironment',
      { ...refTo(at), reason: 'two', preview: true },
      'freeze { reason } environment { frozen { reason } } impact { sentence holdsBack { releaseCandidate { version } status } replaces { reason } }',
    );
    expect(preview).toEqual({
      freeze: { reason: 'two' },
      environment: { frozen: { reason: 'one' } },
      impact: {
        sentence:
          'production is frozen until somebody ends it, by service@acme.test: two. Replaces the freeze by service@acme.test. Holds back v1-rc1.',
        holdsBack: [{ releaseCandidate: { version: 'v1-rc1' }, status: 'PENDING' }],
        replaces: { reason: 'one' },
      },
    });
    expect(await freezeState(at)).toEqual(before);
    expect(await freezeEvents(at)).toEqual(['freeze_created', 'environment_frozen']);
    expect(await mutate('freezeEnvironment', refTo(at), 'impact { sentence }')).toEqual({ impact: null });
  });

  it('shows in a preview which deployments the end of the freeze would let go, and stays frozen', async () => {
    const at = await environment('Lifting', 'v1-rc1');
    await at.deploy('v1-rc1');
    const made = (await mutate('freezeEnvironment', refTo(at), 'freeze { id }')) as { freeze: { id: string } };
    const before = await freezeState(at);
    const impact = 'mpact { sentence holdsBack { id } resumes { releaseCandidate { version } } }';
    const foreseen = {
      sentence: 'production is not frozen any more. No longer holds back v1-rc1.',
      holdsBack: [],
      resumes: [{ releaseCandidate: { version: 'v1-rc1' } }],
    };
    expect(await mutate('unfreezeEnvironment', { ...refTo(at), preview: true }, `deleted i${impact}`)).toEqual({
      deleted: 1,
      impact: foreseen,
    });
    expect(
      await mutate(
        'deleteFreeze',
        { ...made.freeze, preview: true },
        `freeze { id } environmentI${impact} impact { sentence }`,
      ),
    ).toEqual({ freeze: made.freeze, environmentImpact: foreseen, impact: null });
    expect(await freezeState(at)).toEqual(before);
    expect(await freezeEvents(at)).toEqual(['freeze_created', 'environment_frozen']);
    expect(await mutate('deleteFreeze', made.freeze, `environmentI${impact}`)).toEqual({ environmentImpact: null });
  });

  it('has one such freeze: a new one replaces it, without a second announcement', async () => {
    const at = await environment('Replacing');
    const first = await mutate('freezeEnvironment', { ...refTo(at), reason: 'one' }, 'freeze { id }');
    const second = await mutate('freezeEnvironment', { ...refTo(at), reason: 'two' }, 'freeze { id }');
    expect(second).not.toEqual(first);
    const { frozen, freezes } = await freezeState(at);
    expect([frozen?.reason, freezes.length]).toEqual(['two', 1]);
    expect(await freezeEvents(at)).toEqual(['freeze_created', 'environment_frozen', 'freeze_created']);
    const left = (first as { freeze: { id: string } }).freeze.id;
    expect(await mutate('deleteFreeze', { id: left }, 'freeze { id }')).toBe('Freeze not found');
  });

  it('is announced as unfrozen once, when the freeze ends', async () => {
    const at = await environment('Ending');
    const endsAt = wholeHour(2);
    await mutate('freezeEnvironment', { ...refTo(at), endsAt }, 'freeze { id }');
    await passTo(new Date(endsAt.getTime() - 1));
    expect((await freezeEvents(at)).at(-1)).toBe('environment_frozen');
    await Promise.all([passTo(endsAt), passTo(endsAt)]);
    await passTo(endsAt);
    expect(await freezeEvents(at)).toEqual(['freeze_created', 'environment_frozen', 'environment_unfrozen']);
    expect(await s.rows('select next_freeze_change_at as at from environment where id = $1', [at.id])).toEqual([
      { at: null },
    ]);
    await s.rows(
      "update freeze_rule set starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour' where environment_id = $1",
      [at.id],
    );
    expect(await freezeState(at)).toEqual({ frozen: null, freezes: [] });
    expect(await mutate('unfreezeEnvironment', refTo(at), 'deleted')).toEqual({ deleted: 0 });
    await mutate('freezeEnvironment', { ...refTo(at), reason: 'again' }, 'freeze { id }');
    expect((await freezeState(at)).frozen).toMatchObject({ reason: 'again' });
  });

  it('wakes the waiting deployment when the freeze ends', async () => {
    const at = await environment('Waking', 'v1-rc1');
    await at.deploy('v1-rc1');
    const woken: unknown[] = [];
    const looksAt = async (): Promise<unknown> =>
      (await s.rows('select next_look_at from deployment where environment_id = $1', [at.id]))[0];
    const endsAt = wholeHour(2);
    await mutate('freezeEnvironment', { ...refTo(at), endsAt }, 'freeze { id }');
    await s.rows('update deployment set next_look_at = null where environment_id = $1', [at.id]);
    await announceDueFreezes({ ...s.ports, clock: () => endsAt, wake: async (whose) => void woken.push(whose) });
    const [deployment] = await s.rows<{ id: string }>('select id from deployment where environment_id = $1', [at.id]);
    expect(woken).toContainEqual({ accountId: s.accountId, deploymentId: deployment?.id, isRollback: false });
    // If the wake is lost, the relay finds the deployment at this time.
    expect(await looksAt()).toEqual({ next_look_at: new Date(endsAt.getTime() + 2_000) });
  });
});

describe('a freeze schedule', () => {
  it('freezes repeatedly, is announced each time, and continues after the environment was unfrozen', async () => {
    const at = await environment('Scheduled', 'v1-rc1');
    const [start, end] = [wholeHour(-1), wholeHour(2)];
    const input = { environment: refTo(at), schedule: schedule(start, end), reason: 'nightly' };
    const made = (await mutate('createFreezeSchedule', input, 'freeze { id source cronStart startsAt }')) as {
      freeze: { id: string };
    };
    expect(made.freeze).toMatchObject({ source: 'SCHEDULE', cronStart: input.schedule.cronStart, startsAt: null });
    expect((await freezeState(at)).frozen).toMatchObject({ until: end.toISOString(), reason: 'nightly' });
    expect(await mutate('unfreezeEnvironment', refTo(at), 'deleted environment { frozen { reason } }')).toEqual({
      deleted: 0,
      environment: { frozen: { reason: 'nightly' } },
    });
    expect((await at.deploy('v1-rc1')).error).toBe('Environment is frozen');
    const year = new Date(start);
    year.setUTCFullYear(start.getUTCFullYear() + 1);
    await passTo(end);
    expect(await s.rows('select next_freeze_change_at as at from environment where id = $1', [at.id])).toEqual([
      { at: year },
    ]);
    await passTo(year);
    expect(await freezeEvents(at)).toEqual([
      'freeze_created',
      'environment_frozen',
      'environment_unfrozen',
      'environment_frozen',
    ]);
    await mutate('deleteFreeze', { id: made.freeze.id }, 'freeze { id }');
    expect(await freezeState(at)).toEqual({ frozen: null, freezes: [] });
  });

  it('shows in a preview what it holds back at once, or when it begins', async () => {
    const at = await environment('Planned', 'v1-rc1');
    await at.deploy('v1-rc1');
    const foreseen = async (when: object) =>
      await mutate(
        'createFreezeSchedule',
        { environment: refTo(at), schedule: when, preview: true },
        'freeze { source } environmentImpact { sentence holdsBack { releaseCandidate { version } } } impact { sentence }',
      );
    const text = (instant: Date) => `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const v1 = { releaseCandidate: { version: 'v1-rc1' } };
    expect([
      await foreseen(schedule(wholeHour(-1), wholeHour(2))),
      await foreseen(schedule(wholeHour(2), wholeHour(3))),
    ]).toEqual([
      {
        freeze: { source: 'SCHEDULE' },
        environmentImpact: {
          sentence: `production is frozen until ${text(wholeHour(2))}, by a schedule of service@acme.test. Holds back v1-rc1.`,
          holdsBack: [v1],
        },
        impact: null,
      },
      {
        freeze: { source: 'SCHEDULE' },
        environmentImpact: { sentence: `production is frozen next from ${text(wholeHour(2))} on.`, holdsBack: [] },
        impact: null,
      },
    ]);
    expect(await freezeState(at)).toEqual({ frozen: null, freezes: [] });
  });

  it('uses the wall clock of its time zone', async () => {
    const at = await environment('Zoned');
    const now = new Date();
    const inAuckland = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Pacific/Auckland',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    const hourThere = Number(inAuckland.format(now));
    const when = {
      cronStart: `0 ${hourThere} * * *`,
      cronEnd: `0 ${(hourThere + 1) % 24} * * *`,
      timezone: 'Pacific/Auckland',
    };
    await mutate('createFreezeSchedule', { environment: refTo(at), schedule: when }, 'freeze { id }');
    expect(new Date((await freezeState(at)).frozen?.until ?? 0).getTime()).toBe(
      (Math.floor(now.getTime() / hour) + 1) * hour,
    );
  });

  it('of base branches is made and ended in the same way', async () => {
    await environment('Branches');
    const repository = { owner: 'acme', name: 'branches' };
    const branches = { repository, baseBranches: 'release/*' };
    const when = schedule(wholeHour(-1), wholeHour(2));
    const made = (await mutate('createFreezeSchedule', { branches, schedule: when }, 'freeze { id baseBranches }')) as {
      freeze: { id: string };
    };
    expect(made.freeze).toMatchObject({ baseBranches: 'release/*' });
    const listed = async () =>
      (
        await s.graphql<{ repository: { freezes: { id: string }[] } }>(
          '{ repository(owner: "acme", name: "branches") { freezes { id } } }',
        )
      ).data.repository.freezes;
    expect(await listed()).toEqual([{ id: made.freeze.id }]);
    const impact = 'impact { landingsHeld sentence } environmentImpact { sentence }';
    const nothing = { landingsHeld: [], sentence: 'The change affects no build and no landing.' };
    const another = { branches: { repository, baseBranches: 'main' }, schedule: when, preview: true };
    expect(await mutate('createFreezeSchedule', another, `freeze { baseBranches } ${impact}`)).toEqual({
      freeze: { baseBranches: 'main' },
      impact: nothing,
      environmentImpact: null,
    });
    expect(await mutate('deleteFreeze', { id: made.freeze.id, preview: true }, impact)).toEqual({
      impact: nothing,
      environmentImpact: null,
    });
    expect(await listed()).toEqual([{ id: made.freeze.id }]);
    const { data } = await s.graphql('query ($id: ID!) { node(id: $id) { __typename id } }', { id: made.freeze.id });
    expect(data).toEqual({ node: { __typename: 'Freeze', id: made.freeze.id } });
    await mutate('deleteFreeze', { id: made.freeze.id }, 'freeze { id }');
    expect(await listed()).toEqual([]);
  });
});

describe('after a rollback', () => {
  async function rolledBack(project: string, seconds: number | null): Promise<TestEnvironment> {
    const at = await environment(project, 'v1-rc1', 'v2-rc1');
    await s.rows('update environment set freeze_after_rollback = true, freeze_after_rollback_sec = $2 where id = $1', [
      at.id,
      seconds,
    ]);
    for (const version of ['v1-rc1', 'v2-rc1']) await at.report(version, 'success');
    await at.rollBack();
    return at;
  }

  it('an environment is frozen when the rollback succeeds, if it is set so, until it is unfrozen', async () => {
    const at = await rolledBack('AfterRollback', null);
    expect((await freezeState(at)).frozen).toBeNull();
    await at.report('v1-rc1', 'success');
    expect(await at.line()).toEqual(['v1-rc1 success', 'v2-rc1 success', 'v1-rc1 success']);
    expect((await freezeState(at)).frozen).toMatchObject({
      until: null,
      sentence: 'production is frozen until somebody ends it, after a rollback by service@acme.test',
      freeze: { source: 'ROLLBACK' },
    });
    expect((await at.deploy('v2-rc1')).error).toBe('Environment is frozen');
    expect(await mutate('unfreezeEnvironment', refTo(at), 'deleted')).toEqual({ deleted: 1 });
    expect((await at.deploy('v2-rc1')).status).toBe('pending');
  });

  it('an environment stays frozen for the set time, and the freeze of another rollback replaces the first', async () => {
    const at = await rolledBack('AfterRollbackFor', 600);
    const before = Date.now();
    await at.report('v1-rc1', 'success');
    const until = new Date((await freezeState(at)).frozen?.until ?? 0).getTime();
    expect(until).toBeGreaterThanOrEqual(before + 600_000);
    expect(until).toBeLessThanOrEqual(Date.now() + 600_000);
    await at.report('v1-rc1', 'failure');
    await at.report('v1-rc1', 'success');
    expect((await freezeState(at)).freezes).toHaveLength(1);
  });

  it('an environment is frozen even if it has as many freezes as users can make', async () => {
    const at = await rolledBack('AfterRollbackFull', null);
    await s.rows(
      `insert into freeze_rule (account_id, environment_id, source, cron_start, cron_end, timezone, created_by, created_at)
       select $1, $2, 'schedule', '0 0 29 2 *', '1 0 29 2 *', 'UTC', 'ada@example.test', now() from generate_series(1, 100)`,
      [s.accountId, at.id],
    );
    expect(await mutate('freezeEnvironment', refTo(at), 'freeze { id }')).toBe(
      'An environment or a repository has at most 100 freezes',
    );
    expect((await at.report('v1-rc1', 'success')).status).toBe('success');
    expect((await freezeState(at)).frozen).toMatchObject({ freeze: { source: 'ROLLBACK' } });
  });

  it('an environment is not frozen when a forward deployment succeeds', async () => {
    const at = await rolledBack('Forward', null);
    await at.report('v2-rc1', 'success');
    expect((await freezeState(at)).frozen).toBeNull();
  });
});

describe('a freeze is refused', () => {
  it('with a message for each fault', async () => {
    const at = await environment('Refusals');
    const when = schedule(wholeHour(2), wholeHour(3));
    const scheduled = (more: object) =>
      mutate('createFreezeSchedule', { environment: refTo(at), schedule: { ...when, ...more } }, 'freeze { id }');
    expect([
      await mutate('freezeEnvironment', { ...refTo(at), endsAt: wholeHour(-1) }, 'freeze { id }'),
      await mutate('freezeEnvironment', { ...refTo(at), reason: 'x'.repeat(1001) }, 'freeze { id }'),
      await mutate('freezeEnvironment', { project: at.project, environment: 'Production' }, 'freeze { id }'),
      await mutate('createFreezeSchedule', { schedule: when }, 'freeze { id }'),
      await scheduled({ cronStart: '0 25 * * *' }),
      await scheduled({ cronEnd: '0 0 31 2 *' }),
      await scheduled({ cronStart: '0 18 * * 5', cronEnd: ' 0  18 * * 5' }),
    ]).toEqual([
      'ends_at must be in the future',
      'reason must be at most 1000 characters',
      'Release environment not found',
      'input must name either environment or branches',
      expect.stringMatching(/^cron_start must be a cron expression of five fields: /),
      'cron_end must have a next run',
      'cron_end must differ from cron_start, because the freeze would never end. Make a freeze without end without a schedule',
    ]);
    expect(await freezeEvents(at)).toEqual([]);
  });

  it('in another account as if the environment did not exist', async () => {
    const at = await environment('Mine');
    const made = (await mutate('freezeEnvironment', refTo(at), 'freeze { id }')) as { freeze: { id: string } };
    const { token } = await s.otherAccount('freezing');
    expect([
      await mutate('freezeEnvironment', refTo(at), 'freeze { id }', token),
      await mutate('unfreezeEnvironment', refTo(at), 'deleted', token),
      await mutate('deleteFreeze', { id: made.freeze.id }, 'freeze { id }', token),
    ]).toEqual(['Release project not found', 'Release project not found', 'Freeze not found']);
    expect((await freezeState(at)).frozen).not.toBeNull();
  });
});
