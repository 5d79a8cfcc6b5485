// Records the output of `explain` for every pull request of a world after each change. Tests later ask `explain` for
// the same moments, and compare.
import { expect } from 'vitest';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { explainAll } from '../../src/modules/queue/api/explain.reads.ts';
import type { Condition, ConditionKind } from '../../src/domain/queue/explain/condition.ts';
import type { World } from './world.ts';

type Explained = Awaited<ReturnType<typeof explainAll>> extends Map<string, infer E> ? E : never;

export interface Answer extends Explained {
  readonly number: number;
}

export interface ExplanationLog extends AsyncDisposable {
  /** Every recorded moment, with the explanations at that moment. */
  readonly pages: readonly { readonly at: Date; readonly answers: readonly Answer[] }[];
  /** Records the present moment. */
  write(): Promise<readonly Answer[]>;
  /** The sentences about one pull request, one after another, without repetitions. */
  sentences(number: number): string[];
  /** The first recorded explanation of the pull request with this sentence. */
  when(number: number, sentence: string | RegExp): Answer;
}

const steps = ['landing:before_gate', 'landing:after_gate', 'landing:after_host', 'landing:after_conclude'] as const;

export async function explainWorld(w: World, asOf: Date | null): Promise<Answer[]> {
  const rows = await w.rows<{ id: string; number: number; createdAt: Date }>(
    'select id, number, created_at as "createdAt" from pull_request order by number',
  );
  const answers = await w.ctx.db.transaction(
    w.ctx.accountId,
    async (tx) => await explainAll(w.ctx, tx, { pullRequests: rows, asOf, isBrief: false }),
  );
  return rows.flatMap(({ id, number }) => {
    const answer = answers.get(id);
    return answer === undefined ? [] : [{ number, ...answer }];
  });
}

/** From now on, records explanations after every step of the engine, and in the middle of a landing. */
export function logExplanations(w: World): ExplanationLog {
  const pages: { readonly at: Date; readonly answers: readonly Answer[] }[] = [];
  let last = '';
  const record = async (): Promise<void> => {
    for (;;) {
      const before = await stateOf(w);
      if (before === last) return;
      await nextMillisecond();
      const at = new Date();
      const answers = await explainWorld(w, null);
      await nextMillisecond();
      // A transaction that is still open may write a date before this moment, and its rows could not be read here.
      if ((await isWritten(w)) || (await stateOf(w)) !== before) continue;
      last = before;
      pages.push({ at, answers });
      return;
    }
  };
  w.loop.observe = record;
  const disarms = steps.map((name) => onFailpoint(name, record));
  return {
    pages,
    async write() {
      await w.service.drain();
      await record();
      return pages.at(-1)?.answers ?? [];
    },
    sentences: (number) => {
      const all = pages.flatMap(({ answers }) => answers.filter((answer) => answer.number === number));
      return all.map(({ sentence }) => sentence).filter((sentence, index, list) => sentence !== list[index - 1]);
    },
    when(number, sentence) {
      const all = pages.flatMap(({ answers }) => answers.filter((answer) => answer.number === number));
      const isSaid = (answer: Answer): boolean =>
        typeof sentence === 'string' ? answer.sentence === sentence : sentence.test(answer.sentence);
      const found = all.find(isSaid);
      if (found === undefined)
        throw new Error(`#${number} was never explained by ${sentence}, but by: ${this.sentences(number).join(' | ')}`);
      return found;
    },
    async [Symbol.asyncDispose]() {
      w.loop.observe = async () => {};
      for (const disarm of disarms) disarm();
    },
  };
}

/** Finds a condition in the tree by the kinds on the path to it. */
export function find(
  answer: { readonly conditions: readonly Condition[] } | undefined,
  ...kinds: readonly ConditionKind[]
): Condition | undefined {
  let found: Condition | undefined;
  let conditions = answer?.conditions ?? [];
  for (const kind of kinds) {
    found = conditions.find((condition) => condition.kind === kind);
    conditions = found?.conditions ?? [];
  }
  return found;
}

/** Expects that `explain` gives the recorded explanation for each recorded moment. */
export async function expectSameLater(w: World, { pages }: ExplanationLog): Promise<void> {
  expect(pages.length).toBeGreaterThan(1);
  for (const { at, answers } of pages) {
    const later = await explainWorld(w, at);
    expect(later.map(withoutInstant), `explanations of ${at.toISOString()}`).toEqual(answers.map(withoutInstant));
  }
}

function withoutInstant({ number, kind, who, sentence, conditions }: Answer): Omit<Answer, 'at'> {
  return { number, kind, who, sentence, conditions };
}

/**
 * A text that changes with each event, and with each change of checks, builds, batches and landings without an event.
 */
async function stateOf(w: World): Promise<string> {
  const [row] = await w.rows<{ state: string }>(
    `select concat_ws(' ', (select max(id) from event), (select max(heard_at) || ' ' || max(end_heard_at) from check_result),
       (select count(*) || ' ' || count(finished_at) from build), (select count(*) || ' ' || count(commit) from batch),
       (select string_agg(state || attempt, ',' order by id) from intent where kind = 'land'),
       (select count(*) || ' ' || max(since) from pull_request_past)) as state`,
  );
  return row?.state ?? '';
}

export async function isWritten(w: World): Promise<boolean> {
  const writers = await w.rows(
    'select 1 from pg_stat_activity where datname = current_database() and backend_xid is not null',
  );
  return writers.length > 0;
}

async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() <= now + 1) await new Promise((resolve) => setImmediate(resolve));
}
