import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pastOf } from '../domain/simulation/past.ts';
import { parallel } from '../domain/queue/situation.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { writePast } from './past.ts';
import { seed } from './seed.ts';

let s: TestServer;
const present =
  'merge_rules: {labels: {trigger: a}, merge_mode: {type: parallel, parallel_mode: {max_parallel_builds: 20}}}';
const past = pastOf(
  { seed: 11, count: 200, perHour: 20, failure: 0.05 },
  { ...parallel, maxParallelBuilds: 20, useOptimisticValidation: false },
);

beforeAll(async () => {
  s = await startServer();
  const seeded = await seed(s);
  await s.rows('update repository set configuration_yaml = $1', [present]);
  await writePast(s, seeded, past);
});
afterAll(async () => await s.close());

interface Tally {
  readonly waits: { readonly p50: number; readonly p95: number };
  readonly landed: number;
  readonly builds: number;
  readonly ejected: number;
}
interface Simulated extends Tally {
  readonly red: number;
  readonly ejectedUnjustly: number;
  readonly composed: number;
  readonly simulatedArrivals: number;
  readonly segments: number;
  readonly complete: boolean;
}
interface Answer {
  readonly simulateQueue: {
    readonly accepted: boolean;
    readonly arrivals: number;
    readonly problems: readonly { readonly code: string; readonly line: number | null }[];
    readonly observed: Tally | null;
    readonly present: Simulated | null;
    readonly other: Simulated | null;
    readonly assumptions: readonly string[];
  };
}

const tally = 'waits { p50 p95 } landed builds ejected';
const document = `query ($input: SimulateQueueInput!) { simulateQueue(input: $input) {
  accepted arrivals problems { code line } observed { ${tally} }
  present { ${tally} red ejectedUnjustly composed simulatedArrivals segments complete } other { ${tally} red ejectedUnjustly composed complete } assumptions } }`;

async function ask(input: Readonly<Record<string, unknown>> = {}) {
  const answer = await s.graphql<Answer>(document, {
    input: { repository: { owner: 'acme', name: 'shop' }, ...input },
  });
  return { errors: answer.errors, simulation: answer.data?.simulateQueue };
}

interface Job {
  readonly state: string;
  readonly progress: number;
  readonly problem: string | null;
  readonly createdBy: string;
  readonly outcome: Answer['simulateQueue'] | null;
}

async function start(input: Readonly<Record<string, unknown>> = {}) {
  return await s.graphql<{
    startSimulation: { simulation: Job | null; problems: readonly { readonly code: string }[] };
  }>(
    `mutation ($input: SimulateQueueInput!) { startSimulation(input: $input) { simulation { state progress } problems { code } } }`,
    { input: { repository: { owner: 'acme', name: 'shop' }, ...input } },
  );
}

async function jobs(): Promise<readonly Job[]> {
  const { data, errors } = await s.graphql<{ repository: { simulations: readonly Job[] } }>(
    `{ repository(owner: "acme", name: "shop") { simulations { state progress problem createdBy outcome { arrivals present { ${tally} } other { ${tally} } } } } }`,
  );
  expect(errors).toEqual([]);
  return data.repository.simulations;
}

const ended = async (): Promise<void> =>
  await expect.poll(async () => (await jobs())[0]?.state, { timeout: 60_000 }).not.toBe('RUNNING');

describe('startSimulation', () => {
  it('answers at once, and the result can be read later', async () => {
    const yaml =
      'merge_rules: {labels: {trigger: a}, merge_mode: {type: parallel, parallel_mode: {max_parallel_builds: 2}}}';
    const { data, errors } = await start({ yaml });
    expect(errors).toEqual([]);
    expect(data.startSimulation).toEqual({ simulation: { state: 'RUNNING', progress: 0 }, problems: [] });
    await ended();
    const { simulation } = await ask({ yaml });
    const [job] = await jobs();
    expect(job).toMatchObject({ state: 'DONE', progress: 1, problem: null });
    expect(job?.outcome).toMatchObject({ arrivals: simulation?.arrivals });
    expect(job?.outcome?.other?.landed).toBe(simulation?.other?.landed);
  });

  it('refuses a second simulation of the account, whichever process runs the first', async () => {
    const both = await Promise.all([start(), start()]);
    expect(both.flatMap(({ errors }) => errors.map(({ extensions }) => extensions.code))).toEqual(['RATE_LIMITED']);
    await ended();
    await s.rows(
      `insert into simulation (account_id, repository_id, base_branch, days, leased_until, created_by, created_at)
       select account_id, id, 'main', 30, now() + interval '1 minute', 'ada@acme.test', now() from repository`,
    );
    expect((await start()).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  });

  it('says that a simulation was lost with its process, and allows a new one', async () => {
    await s.rows(`update simulation set leased_until = now() - interval '1 second' where state = 'running'`);
    expect((await jobs())[0]).toMatchObject({
      state: 'LOST',
      outcome: null,
      problem: 'The process that ran the simulation has ended. Start the simulation again.',
    });
    expect((await start()).errors).toEqual([]);
    await ended();
    expect((await jobs()).map(({ state }) => state)).toEqual(['DONE', 'LOST', 'DONE', 'DONE']);
  });

  it('refuses the same input as simulateQueue, and then starts nothing', async () => {
    const count = (await jobs()).length;
    expect((await start({ days: 0 })).errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }]);
    const { data } = await start({ yaml: 'merge_rules:\n  labels: {triger: a}\n' });
    expect(data.startSimulation.simulation).toBeNull();
    expect(data.startSimulation.problems).toContainEqual({ code: 'UNKNOWN_KEY' });
    expect(await jobs()).toHaveLength(count);
  });

  it('keeps the newest twenty simulations of an account', async () => {
    await s.rows(
      `insert into simulation (account_id, repository_id, base_branch, days, state, leased_until, created_by, created_at)
       select account_id, id, 'main', 30, 'lost', now(), 'ada@acme.test', now() from repository, generate_series(1, 30)`,
    );
    await start();
    await ended();
    expect(await s.rows('select 1 from simulation')).toHaveLength(20);
  });
});

describe('simulateQueue', () => {
  it('replays the past under the present configuration and under another one', async () => {
    const yaml =
      'merge_rules: {labels: {trigger: a}, merge_mode: {type: parallel, parallel_mode: {max_parallel_builds: 2}}}';
    const { errors, simulation } = await ask({ yaml });
    expect(errors).toEqual([]);
    const { observed, present: now, other } = simulation ?? {};
    if (!observed || !now || !other) throw new Error('Nothing was simulated.');
    expect(simulation).toMatchObject({ accepted: true, arrivals: 200, problems: [] });
    const landed = past.run.outcomes.filter(({ kind }) => kind === 'landed').length;
    // The count includes the two builds that existed before.
    expect(observed).toMatchObject({ landed, ejected: 200 - landed, builds: past.batches.length + 2 });
    expect(now).toMatchObject({
      landed,
      ejected: 200 - landed,
      red: 0,
      ejectedUnjustly: 0,
      composed: 0,
      simulatedArrivals: 200,
      segments: 1,
      complete: true,
    });
    expect(Math.abs(now.waits.p95 - observed.waits.p95) / observed.waits.p95).toBeLessThan(0.05);
    expect(other).toMatchObject({ landed, red: 0, complete: true });
    expect(other.waits.p50).toBeGreaterThan(2 * now.waits.p50);
    expect(simulation?.assumptions).toContain(
      'Builds take as long as in the history, however many run at the same time.',
    );
  });

  it('looks back only the requested days', async () => {
    const hours = ((past.log.at(-1)?.at ?? 0) - (past.log[0]?.at ?? 0)) / 3_600_000;
    await s.rows(
      `update event set at = at - interval '2 days' where action <> 'opened' and id < (select percentile_disc(0.5) within group (order by id) from event)`,
    );
    const { simulation } = await ask({ days: 1 });
    expect(hours).toBeLessThan(24);
    expect(simulation?.arrivals).toBeGreaterThan(50);
    expect(simulation?.arrivals).toBeLessThan(150);
    expect(simulation?.other).toBeNull();
  });

  it('refuses a document that is not a configuration with the message of the parser', async () => {
    const { errors, simulation } = await ask({ yaml: 'merge_rules:\n  labels: {triger: a}\n' });
    expect(errors).toEqual([]);
    expect(simulation).toMatchObject({ accepted: false, observed: null, present: null, other: null });
    expect(simulation?.problems).toContainEqual({ code: 'UNKNOWN_KEY', line: 2 });
  });

  it('refuses an unknown queue, days out of range, a mode without a line, and a second simulation at the same time', async () => {
    const refusals = async (input: Record<string, unknown>) =>
      (await ask(input)).errors.map(({ extensions: { code, field } }) => [code, field]);
    expect(await refusals({ baseBranch: 'nowhere' })).toEqual([['NOT_FOUND', 'baseBranch']]);
    expect(await refusals({ days: 0 })).toEqual([['BAD_INPUT', 'days']]);
    const yaml = 'merge_rules: {labels: {trigger: a}, merge_mode: {type: no-queue}}';
    expect(await refusals({ yaml })).toEqual([['NOT_SUPPORTED', undefined]]);
    const both = await Promise.all([refusals({}), refusals({})]);
    expect(both.flat()).toEqual([['RATE_LIMITED', undefined]]);
    expect(await refusals({})).toEqual([]);
  });
});
