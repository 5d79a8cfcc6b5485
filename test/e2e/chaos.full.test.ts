// `npm run chaos`: random kills, network faults, full disks and wrong clocks while pull requests are queued, deployments
// and runbooks run, and webhooks are sent. After each fault every invariant holds. At the end each good pull request has
// landed once, each webhook was received, and every proof is derived again.
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { invariants, type Findings, type Violation } from '../../src/domain/health/invariants.ts';
import { startInstallation, type Installation } from './chaos.ts';
import { planFaults, type Fault } from './chaos-faults.ts';
import { startLoad, type Load } from './chaos-load.ts';
import { reportOf, textOf, type Round } from './chaos-report.ts';
import { until } from './interlock.ts';

const kills = Number(process.env['CHAOS_KILLS'] ?? 12);
const seed = Number(process.env['CHAOS_SEED'] ?? 1);
/** How many pull requests are queued in all. A few more are queued if nothing waits when a fault is over. */
const queued = Number(process.env['CHAOS_QUEUED'] ?? 2 * kills);
const jsonFile = process.env['CHAOS_JSON'];
/** The part of the pull requests that is in line before the first fault. */
const queuedAtStart = Math.ceil(queued / 4);
const roundsPerDeployment = 3;
const roundsPerRunbook = 4;

let installation: Installation;
let load: Load;

beforeAll(async () => {
  installation = await startInstallation({ diskMegabytes: 96 + Math.ceil(queued / 4) });
  load = await startLoad(installation);
}, 120_000);
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await load[Symbol.asyncDispose]();
}, 120_000);

it(`after ${kills} kills and other faults drawn with the seed ${seed}, nothing is lost and nothing has happened twice`, {
  timeout: 6 * 3_600_000,
}, async () => {
  const plan = planFaults(seed, kills).filter(
    ({ kind }) => (kind !== 'disk' || installation.hasDisk) && (kind !== 'clock' || installation.hasClocks),
  );
  const rounds: Round[] = [];
  await load.queueAtOnce(queuedAtStart);
  for (const [index, fault] of plan.entries()) {
    const number = index + 1;
    const planned = queuedAtStart + Math.round(((queued - queuedAtStart) * number) / plan.length);
    await load.queue(Math.max(0, planned - load.queued()));
    if (number % roundsPerDeployment === 0) await load.deploy(`${number}.0-rc1`);
    if (number % roundsPerRunbook === 0) await load.startRunbook(`round-${number}`);
    const round = await measure(fault);
    rounds.push(round);
    console.log(
      `${String(number).padStart(3)}. ${fault.name}: ready after ${(round.readyMs / 1000).toFixed(1)} s, a landing after ${(round.landedMs / 1000).toFixed(1)} s`,
    );
    await expectInvariants(`After fault ${number}, "${fault.name}"`, fault);
  }
  await load.settle();
  const report = reportOf(rounds, { seed, pullRequests: load.queued() });
  console.log(textOf(report));
  if (jsonFile !== undefined) await writeFile(jsonFile, JSON.stringify(report, null, 2));
  await load.expectAllIsWell();
  for (const args of [['verify', load.shop.name], ['doctor']]) {
    const [name = '', ...rest] = args;
    const { code, said } = await installation.runProgram(name, ...rest);
    expect(code, said).toBe(0);
    console.log(said.trim().split('\n').slice(-1).join('\n'));
  }
});

async function measure(fault: Fault): Promise<Round> {
  await delay(fault.afterMs);
  const before = await load.countMerged();
  await installation.inject(fault);
  const overAt = performance.now();
  await installation.mend();
  const readyMs = performance.now() - overAt;
  await load.nextLanding(before, { withinMs: 180_000 + delayOf(fault) });
  return { fault: { kind: fault.kind, name: fault.name }, readyMs, landedMs: performance.now() - overAt };
}

/** By how much a fault may delay work after its end: a clock that was ahead has set due times that are late. */
function delayOf({ kind, offsetMs }: Fault): number {
  return kind === 'clock' ? offsetMs : 0;
}

/**
 * Asks the doctor. What was held up by the fault may be late for two minutes: the invariants of the kind `liveness`
 * have that time to hold again.
 */
async function expectInvariants(when: string, fault: Fault): Promise<void> {
  let found: readonly Violation[] = [];
  const holdsOrIsWrong = async (): Promise<boolean> => {
    const { violations, uncompared } = await compare();
    found = [...violations, ...uncompared];
    return uncompared.length === 0 && violations.every(({ invariant }) => invariants[invariant].kind === 'safety');
  };
  await until(holdsOrIsWrong, { withinMs: 120_000 + delayOf(fault), everyMs: 2_000 }).catch(() => {});
  const sentences = found.map(({ invariant, sentence }) => `${invariant}: ${sentence}`);
  if (found.length > 0) throw new Error(`${when}, an invariant does not hold:\n${sentences.join('\n')}`);
}

async function compare(): Promise<Findings> {
  const { said } = await installation.runProgram('doctor', '--json');
  try {
    return JSON.parse(said) as Findings;
  } catch (error) {
    throw new Error(`The doctor did not answer with a document: ${said}`, { cause: error });
  }
}
