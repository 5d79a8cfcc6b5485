// Rules that must hold after every step. They compare the repository, and the answers that people got, with what CI
// really said. The invariants of the product are compared with its rows too.
import { compareWithInvariants } from '../../src/modules/health/invariants/find.ts';
import { invariants, type InvariantName } from '../../src/domain/health/invariants.ts';
import { isLandingHalt } from '../../src/domain/queue/landing/host-retry.ts';
import { createBranchRules } from './branch-rules.ts';
import { hasRelease } from './configurations.ts';
import { lookAtTheRest } from './end-rules.ts';
import { portsOf, type Installation } from './installation.ts';
import { createLandingRules } from './landing-rules.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import { haltReason, holds, startedLandings } from './holds.ts';
import type { Promises } from './promises.ts';
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

/** How many of the newest rows of each table are compared after every step. */
const newestRows = 300;

interface Row {
  readonly number: number;
  readonly status: string;
  readonly text: string | null;
  readonly base: string;
}

interface Judged {
  readonly promises: Promises;
  readonly truth: Truth;
}

export function createRules(i: Installation, { promises, truth }: Judged): Rules {
  const tips = new Map<string, string>();
  const judged = new Set<string>();
  const landedBy = new Map<number, string>();
  let landings = 0;
  /** The base and the writes to all tables when all rules were compared. A step that has changed neither needs no look. */
  let judgedState = '';
  const branchRules = createBranchRules(i, promises);
  const landingRules = createLandingRules(i);
  const liveness = createLiveness(i);

  async function look(): Promise<readonly string[]> {
    await i.kept.refresh('rules');
    return await compareRules();
  }

  async function compareRules(): Promise<readonly string[]> {
    return [
      ...(await lookAtBase('main')),
      ...(i.configurations.some(hasRelease) ? await lookAtBase('release') : []),
      ...(await lookAtStatuses()),
      ...(await lookAtHolds()),
      ...(await lookAtHalt()),
      ...(await lookAtDepth()),
      ...(await lookAtPositions()),
      ...(await branchRules.look()),
      ...(await landingRules.look()),
    ];
  }

  /** Each new commit on the base is a push of a person, or a landing of a tree that CI found green. */
  async function lookAtBase(base: string): Promise<string[]> {
    const now = await i.git.tip(base);
    const tip = tips.get(base) ?? '';
    if (now === tip) return [];
    const problems: string[] = [];
    tips.set(base, now);
    const isDeleted = promises.deleted.delete(base);
    if (now === '') return isDeleted ? [] : [`The base ${base} is gone.`];
    const line = await i.git.firstParents(now);
    if (tip !== '' && !isDeleted && !line.includes(tip))
      problems.push(`The base ${base} was at ${tip}, and ${now} does not contain it.`);
    const landed = new Set((await i.git.refs('refs/interlock/landings/')).map(({ commit }) => commit));
    const greenTrees = new Set<string>();
    for (const commit of truth.green) greenTrees.add(await treeOf(commit));
    for (const commit of line.slice(0, -1)) {
      if (judged.has(commit) || promises.direct.has(commit)) continue;
      judged.add(commit);
      if (!(await truth.isGreen(commit))) problems.push(`${commit} is on the base and is red.`);
      if (!landed.has(commit)) {
        // A landing of several commits has its ref at the last one.
        if (isBelowLanding(commit, line, landed)) continue;
        problems.push(`${commit} is on the base, and no landing has it.`);
        continue;
      }
      landings += 1;
      if (!greenTrees.has(await treeOf(commit)) && !(await isException(commit)))
        problems.push(`${commit} landed, and CI never said that its tree is green.`);
    }
    return problems;
  }

  function isBelowLanding(commit: string, line: readonly string[], landed: ReadonlySet<string>): boolean {
    const above = line.slice(0, line.indexOf(commit)).toReversed();
    const next = above.find((each) => landed.has(each) || promises.direct.has(each));
    return next !== undefined && landed.has(next);
  }

  async function treeOf(commit: string): Promise<string> {
    return (await i.git.readCommit(commit)).tree;
  }

  /**
   * Whether the landing is composed or skipped validation. The proofs of such landings are derived again at the end.
   */
  async function isException(commit: string): Promise<boolean> {
    const rows = await i.rows<{ grade: string }>('select grade from landing where commit = $1', [commit]);
    return rows.length === 0 || rows.some(({ grade }) => grade === 'unvalidated' || grade === 'composed');
  }

  async function lookAtStatuses(): Promise<string[]> {
    const rows = await i.kept.query<Row>(
      `select p.number, p.status, p.status_text as text, q.base_branch as base
       from pull_request p join queue q on q.account_id = p.account_id and q.id = p.queue_id order by p.number`,
    );
    const problems: string[] = [];
    for (const { number, status, base } of rows) {
      if (promises.merged.has(number) && status !== 'merged') problems.push(`#${number} was merged, and is ${status}.`);
      if (status === 'merged' && promises.dequeued.has(number) && !promises.touched.has(number))
        problems.push(`#${number} was dequeued, and is merged.`);
      if (status !== 'merged' || promises.merged.has(number)) continue;
      promises.merged.add(number);
      const pullRequest = promises.pullRequests.find((each) => each.number === number);
      const tip = await i.git.tip(base);
      const files = tip === '' ? null : await i.git.filesOf(tip);
      if (files !== null && pullRequest !== undefined && !files.has(`${pullRequest.branch}.txt`))
        problems.push(`#${number} is merged, and its file is not on the base.`);
    }
    const members = await i.kept.query<{ number: number; status: string; commit: string }>(
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
    const held = holds.map((kind) => [kind, promises.held[kind]] as const).filter(([, before]) => before !== null);
    if (held.length === 0) return [];
    const problems: string[] = [];
    for (const [kind, before] of held)
      for (const id of await startedLandings(i, kind))
        if (before?.has(id) === false) problems.push(`Landing ${id} began during a ${kind}.`);
    return [...problems, ...(promises.held.deactivation === null ? [] : await lookAtInactive())];
  }

  /** A deactivation takes all pull requests out of the line. Those that are landing leave it when the landing ends. */
  async function lookAtInactive(): Promise<string[]> {
    const rows = await i.kept.query<{ number: number; status: string }>(
      `select number, status from pull_request p
       where status in ('pending', 'queued', 'tagged') and not exists (
         select from intent n join batch_member m on m.account_id = n.account_id and m.batch_id = n.batch_id
         where n.kind = 'land' and n.state = 'started' and m.account_id = p.account_id and m.pull_request_id = p.id)
       order by number`,
    );
    return rows.map(({ number, status }) => `#${number} is ${status}, and the repository is inactive.`);
  }

  async function lookAtDepth(): Promise<string[]> {
    const rows = await i.kept.query<{ said: string; counted: string }>(
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
    const rows = await i.kept.query<{ reason: string }>(
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
    const only = (invariant: InvariantName): boolean =>
      isMeant(invariant) && (invariant !== 'absolute_pause' || !i.haveClocksDiffered());
    const found = await compareWithInvariants(portsOf(i, first), { scope, newest: newestRows, only });
    return [...found.violations, ...found.uncompared].map(({ invariant, sentence }) => `${invariant}: ${sentence}`);
  }

  return {
    look,
    async lookAtAll(scope) {
      const state = `${await i.git.tip()} ${await i.git.tip('release')} ${await i.kept.refresh(scope)}`;
      if (scope === 'recent' && state === judgedState) return [];
      judgedState = state;
      return [...(await compareRules()), ...(await lookAtInvariants(scope, always))];
    },
    lookAtTheEnd: async () => [
      ...(await look()),
      ...(await lookAtInvariants('all', () => true)),
      ...(await lookAtTheRest(i, promises, truth)),
      ...(await liveness.lookAtOrphans(0)),
      ...(await liveness.lookAtHost()),
    ],
    landings: () => landings,
    liveness,
  };
}
