// Rules that must hold after every step. They compare the repository, and the answers that people got, with what CI
// really said. The invariants of the product are compared with its rows too.
import { findViolations } from '../../src/modules/health/invariants/find.ts';
import { verifyRepository } from '../../src/modules/queue/landing/verify.ts';
import { webhookActions } from '../../src/domain/events/subscription.ts';
import { invariants, type InvariantName } from '../../src/domain/health/invariants.ts';
import { isLandingHalt } from '../../src/domain/queue/landing/host-retry.ts';
import { findRepository } from '../../src/modules/repositories/index.ts';
import { worldName } from '../support/world-template.ts';
import { portsOf, type Installation } from './installation.ts';
import { createLandingRules } from './landing-rules.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import { haltReason, startedLandings } from './holds.ts';
import type { Promises } from './people.ts';
import type { Truth } from './truth.ts';

export interface Rules {
  /** Looks at what has changed since the last call. Returns a sentence for each problem. */
  look(): Promise<readonly string[]>;
  /** Like `look`, and also compares the invariants that must hold at every moment: of the newest rows, or of all. */
  lookAtAll(scope: 'recent' | 'all'): Promise<readonly string[]>;
  /** Compares all rules and invariants, when all work has ended and no fault happens any more. */
  lookAtTheEnd(): Promise<readonly string[]>;
  landings(): number;
  readonly liveness: Liveness;
}

/** Faults may delay what the other invariants about progress require. */
const always = (invariant: InvariantName): boolean =>
  invariants[invariant].kind === 'safety' || invariant === 'no_starvation';

interface Row {
  readonly number: number;
  readonly status: string;
  readonly text: string | null;
}

/** The lines of an output of git. An empty output has none. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

export function createRules(i: Installation, promises: Promises, truth: Truth): Rules {
  let tip = '';
  const judged = new Set<string>();
  const merged = new Set<number>();
  const landedBy = new Map<number, string>();
  let landings = 0;
  /** The base and the last transaction when all rules were compared. A step that has changed neither needs no look. */
  let judgedState = '';
  const landingRules = createLandingRules(i);
  const liveness = createLiveness(i);

  async function look(): Promise<readonly string[]> {
    return [
      ...(await lookAtBase()),
      ...(await lookAtStatuses()),
      ...(await lookAtHolds()),
      ...(await lookAtHalt()),
      ...(await lookAtDepth()),
      ...(await lookAtPositions()),
      ...(await landingRules.look()),
    ];
  }

  /** Each new commit on the base is a push of a person, or a landing of a tree that CI found green. */
  async function lookAtBase(): Promise<string[]> {
    const now = await i.tip();
    if (now === tip) return [];
    const problems: string[] = [];
    const line = (await i.git('rev-list', '--first-parent', 'refs/heads/main')).trim().split('\n');
    if (tip !== '' && !line.includes(tip)) problems.push(`The base was at ${tip}, and ${now} does not contain it.`);
    tip = now;
    const refs = (await i.git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/interlock/landings/')).trim();
    const landed = new Map(linesOf(refs).map((row) => row.split(' ') as [string, string]));
    const greenTrees = new Set<string>();
    for (const commit of truth.green) greenTrees.add(await truth.treeOf(commit));
    for (const commit of line.slice(0, -1)) {
      if (judged.has(commit) || promises.direct.has(commit)) continue;
      judged.add(commit);
      if (!(await truth.isGreen(commit))) problems.push(`${commit} is on the base and is red.`);
      if (!landed.has(commit)) {
        // A landing of several commits has its ref at the last one.
        if (await isBelowLanding(commit, landed)) continue;
        problems.push(`${commit} is on the base, and no landing has it.`);
        continue;
      }
      landings += 1;
      if (!greenTrees.has(await truth.treeOf(commit)) && !(await isException(commit)))
        problems.push(`${commit} landed, and CI never said that its tree is green.`);
    }
    return problems;
  }

  async function isBelowLanding(commit: string, landed: ReadonlyMap<string, string>): Promise<boolean> {
    const above = (await i.git('rev-list', '--first-parent', '--reverse', `${commit}..refs/heads/main`)).trim();
    const next = linesOf(above).find((each) => landed.has(each) || promises.direct.has(each));
    return next !== undefined && landed.has(next);
  }

  /**
   * Whether the landing is composed or skipped validation. The proofs of such landings are derived again at the end.
   */
  async function isException(commit: string): Promise<boolean> {
    const rows = await i.rows<{ grade: string }>('select grade from landing where commit = $1', [commit]);
    return rows.length === 0 || rows.some(({ grade }) => grade === 'unvalidated' || grade === 'composed');
  }

  async function lookAtStatuses(): Promise<string[]> {
    const rows = await i.rows<Row>('select number, status, status_text as text from pull_request order by number');
    const problems: string[] = [];
    for (const { number, status } of rows) {
      if (merged.has(number) && status !== 'merged') problems.push(`#${number} was merged, and is ${status}.`);
      if (status === 'merged' && promises.dequeued.has(number) && !promises.touched.has(number))
        problems.push(`#${number} was dequeued, and is merged.`);
      if (status !== 'merged' || merged.has(number)) continue;
      merged.add(number);
      const pullRequest = promises.pullRequests.find((each) => each.number === number);
      const files = await truth.filesOf(await i.tip());
      if (pullRequest !== undefined && !files.has(`${pullRequest.branch}.txt`))
        problems.push(`#${number} is merged, and its file is not on the base.`);
    }
    const members = await i.rows<{ number: number; status: string; commit: string }>(
      `select p.number, p.status, l.commit from landed_member m join landing l on l.account_id = m.account_id and l.id = m.landing_id
       join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id`,
    );
    for (const { number, status, commit } of members) {
      if (status !== 'merged') problems.push(`#${number} landed by ${commit}, and is ${status}.`);
      const before = landedBy.get(number) ?? commit;
      if (before !== commit) problems.push(`#${number} landed twice, by ${before} and by ${commit}.`);
      landedBy.set(number, before);
    }
    return problems;
  }

  async function lookAtHolds(): Promise<string[]> {
    const held = Object.entries(promises.held).filter(([, before]) => before !== null);
    if (held.length === 0) return [];
    const started = await startedLandings(i);
    return held.flatMap(([kind, before]) =>
      [...started].filter((id) => before?.has(id) === false).map((id) => `Landing ${id} began during a ${kind}.`),
    );
  }

  async function lookAtDepth(): Promise<string[]> {
    const rows = await i.rows<{ said: string; counted: string }>(
      `select waiting || ' + ' || tagged as said,
              (select count(*) from pull_request p where p.queue_id = q.id and p.status = 'queued') || ' + ' ||
              (select count(*) from pull_request p where p.queue_id = q.id and p.status = 'tagged') as counted
       from queue q`,
    );
    return rows.flatMap(({ said, counted }) =>
      said === counted ? [] : [`The depth says ${said}, and there are ${counted}.`],
    );
  }

  /** A queue halts itself only if its landing fails for minutes. */
  async function lookAtHalt(): Promise<string[]> {
    const rows = await i.rows<{ reason: string }>(
      'select halted_reason as reason from queue where halted_reason is not null',
    );
    return rows.flatMap(({ reason }) =>
      reason === haltReason || isLandingHalt(reason, null) ? [] : [`The queue is halted: ${reason}`],
    );
  }

  let lastPosition = 0;
  const lastEvents = new Map<string, number>();

  /** Positions have no gap, and events about one subject have them in the order in which they were written. */
  async function lookAtPositions(): Promise<string[]> {
    const events = await i.rows<{ position: number; id: number; subject: string }>(
      `select position::int as position, id::int as id,
              coalesce('pull request ' || pull_request_id, 'batch ' || batch_id, 'repository ' || repository_id, '') as subject
       from event where position > $1 order by position, id`,
      [lastPosition],
    );
    return events.flatMap(({ position, id, subject }) => {
      const isNext = position === lastPosition + 1;
      const isLater = id > (lastEvents.get(subject) ?? 0);
      lastPosition = position;
      lastEvents.set(subject, id);
      return [
        ...(isNext ? [] : [`Event ${id} has the position ${position}, and the one before is not ${position - 1}.`]),
        ...(isLater ? [] : [`Event ${id} of the ${subject} has a position behind a later event.`]),
      ];
    });
  }

  async function lookAtInvariants(
    scope: 'recent' | 'all',
    isMeant: (invariant: InvariantName) => boolean,
  ): Promise<readonly string[]> {
    const [first] = i.processes;
    if (first === undefined) return [];
    const violations = await findViolations(portsOf(i, first), { scope });
    return violations
      .filter(({ invariant }) => isMeant(invariant) && (invariant !== 'absolute_pause' || !i.haveClocksDiffered()))
      .map(({ invariant, sentence }) => `${invariant}: ${sentence}`);
  }

  async function lookAtLine(): Promise<string[]> {
    const rows = await i.rows<Row>('select number, status, status_text as text from pull_request order by number');
    const problems: string[] = [];
    for (const { number, status, text } of rows) {
      if (['queued', 'tagged'].includes(status)) problems.push(`#${number} stays ${status}.`);
      if (['pending', 'blocked'].includes(status) && !text) problems.push(`#${number} is ${status} without a reason.`);
      if (status === 'open' && promises.asked.has(number) && !promises.touched.has(number))
        problems.push(`#${number} was queued, and is out of the line without a reason.`);
      if (status === 'blocked' && !promises.touched.has(number) && (await isInnocent(number)))
        problems.push(`#${number} is blocked, and nothing is wrong with it: ${text ?? ''}`);
    }
    return problems;
  }

  /** Whether the pull request is good by itself, and CI has not reported anything untrue about its builds. */
  async function isInnocent(number: number): Promise<boolean> {
    if (promises.pullRequests.find((each) => each.number === number)?.nature !== 'good') return false;
    const builds = await i.rows<{ commit: string }>(
      `select head_sha as commit from pull_request where number = $1
       union select coalesce(b.tested_commit, b.commit) from batch b join batch_member m on m.account_id = b.account_id and m.batch_id = b.id
         join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id where p.number = $1 and b.commit is not null`,
      [number],
    );
    return builds.every(({ commit }) => !truth.wronged.has(commit));
  }

  async function lookAtWebhooks(): Promise<string[]> {
    const rows = await i.rows<{ message: string; state: string; action: string; body: string }>(
      'select message_id as message, state, action, body from webhook_delivery order by id',
    );
    const problems = rows.flatMap(({ message, state, action, body }) => {
      const bodies = i.received.get(message) ?? [];
      if (!['succeeded', 'failed'].includes(state)) return [`The webhook ${message} (${action}) is ${state}.`];
      if (state === 'succeeded' && bodies.length === 0) return [`The webhook ${message} (${action}) never came.`];
      return bodies.every((each) => each === body) ? [] : [`The webhook ${message} (${action}) came with other words.`];
    });
    const known = new Set(rows.map(({ message }) => message));
    const strange = [...i.received.keys()].filter((message) => !known.has(message));
    const counts = await i.rows<{ action: string; events: number; webhooks: number }>(
      `select e.action, count(*)::int as events,
              (select count(*)::int from webhook_delivery d where d.action = e.action) as webhooks
       from event e where e.action = any($1) and e.position > (select min(from_position) from webhook_endpoint)
       group by e.action order by e.action`,
      [webhookActions],
    );
    const lost = counts.flatMap(({ action, events, webhooks }) =>
      events === webhooks ? [] : [`There are ${events} events ${action}, and ${webhooks} webhooks of them.`],
    );
    return [...problems, ...strange.map((message) => `The webhook ${message} came from nowhere.`), ...lost];
  }

  async function lookAtProofs(): Promise<string[]> {
    const [first] = i.processes;
    const repository = first === undefined ? null : await findRepository(first.ctx, worldName);
    if (first === undefined || repository === null) return ['The repository is gone.'];
    const verified = await verifyRepository(first.ctx, repository);
    return verified.flatMap(({ failures }) => failures);
  }

  return {
    look,
    async lookAtAll(scope) {
      const state = `${await i.tip()} ${await i.lastTransaction()}`;
      if (scope === 'recent' && state === judgedState) return [];
      judgedState = state;
      return [...(await look()), ...(await lookAtInvariants(scope, always))];
    },
    lookAtTheEnd: async () => [
      ...(await look()),
      ...(await lookAtInvariants('all', () => true)),
      ...(await lookAtLine()),
      ...(await lookAtWebhooks()),
      ...(await lookAtProofs()),
      ...(await liveness.lookAtOrphans(0)),
      ...(await liveness.lookAtHost()),
    ],
    landings: () => landings,
    liveness,
  };
}
