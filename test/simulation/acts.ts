// What people do: each act makes requests to the service or to the host, and records its answers as promises that the
// service must keep.
import { DomainError } from '../../src/domain/errors.ts';
import {
  closePullRequest,
  dequeuePullRequest,
  openPullRequest,
  queuePullRequest,
  reopenPullRequest,
  updatePullRequest,
} from '../../src/modules/queue/index.ts';
import { worldName } from '../support/world-template.ts';
import { admin, isAnswered, isAway, member } from './acting.ts';
import { hasRelease, hasStacks, isTargeted } from './configurations.ts';
import type { Draws } from './draws.ts';
import { setHold, startedLandings, type Hold } from './holds.ts';
import type { Installation, Process } from './installation.ts';

export type Nature = 'good' | 'bad' | 'half' | 'conflicting';

export interface PullRequest {
  readonly branch: string;
  readonly nature: Nature;
  readonly targets: readonly string[];
  /** The base branch of the pull request, or of the stack to which it belongs. */
  base: string;
  /** Whether its base branch was ever another one than `main`. */
  wasElsewhere: boolean;
  /** The pull requests on whose branches this one was ever based. */
  readonly below: PullRequest[];
  /** Null: the request to open it was not answered. */
  number: number | null;
  pushes: number;
}

/** What the service has answered, and therefore must keep. */
export interface Promises {
  readonly pullRequests: PullRequest[];
  /** Queued with an answer, and nobody has tried to change that since. */
  readonly asked: Set<number>;
  /** Dequeued with an answer, and nobody has tried to queue it since. */
  readonly dequeued: Set<number>;
  /**
   * Landings that had started when the pause, freeze or halt in force was answered. Null: none is in force, or it was not
   * answered.
   */
  held: Record<Hold, ReadonlySet<string> | null>;
  /** Holds that somebody asked for and whose end was not answered since. Each of them may be in force. */
  readonly stopped: Set<Hold>;
  /** Pull requests that the rules have seen as merged. */
  readonly merged: Set<number>;
  /** Commits that people pushed to the base. */
  readonly direct: Set<string>;
  /** Base branches that were deleted or made again since the rules have looked. */
  readonly deleted: Set<string>;
  /** The commit of `release` when it was last deleted. */
  deletedRelease: string;
  /**
   * Pull requests that were labelled, pushed to or closed. Such changes reach the queue by hints at any later time, and
   * may undo later requests.
   */
  readonly touched: Set<number>;
}

export const noPromises = (): Promises => ({
  pullRequests: [],
  asked: new Set(),
  dequeued: new Set(),
  held: { pause: null, 'branch pause': null, freeze: null, halt: null, deactivation: null },
  stopped: new Set(),
  merged: new Set(),
  direct: new Set(),
  deleted: new Set(),
  deletedRelease: '',
  touched: new Set(),
});

export interface Act {
  readonly name: string;
  /**
   * What the act is about. Two acts about the same subject never run at once, because their answers would not show
   * which act was later.
   */
  readonly subject: string;
  readonly work: () => Promise<void>;
}

export interface Setting {
  readonly i: Installation;
  readonly promises: Promises;
  readonly draw: Draws;
  readonly by: Process;
}

/** The pull request and all that are or were above it. */
function withAbove({ pullRequests }: Promises, pullRequest: PullRequest): readonly PullRequest[] {
  return pullRequests.filter((each) => each === pullRequest || allBelow(each).includes(pullRequest));
}

/** All pull requests that are or were below this one. */
export function allBelow({ below }: PullRequest): readonly PullRequest[] {
  return [...new Set(below.flatMap((each) => [each, ...allBelow(each)]))];
}

/** A change of a pull request also changes the ones above it. */
function touch(promises: Promises, pullRequest: PullRequest): void {
  for (const { number } of withAbove(promises, pullRequest)) if (number !== null) promises.touched.add(number);
}

/** Draws the pull request below a new one. Null: the new one is based on the base branch. */
function drawBelow({ i, promises, draw }: Setting): PullRequest | null {
  const open = promises.pullRequests.filter(({ number }) => number !== null && !promises.merged.has(number));
  return open.length > 0 && i.configurations.some(hasStacks) && draw.chance(0.4) ? draw.pick(open) : null;
}

function drawBase({ i, draw }: Setting): string {
  return i.configurations.some(hasRelease) && draw.chance(0.4) ? 'release' : 'main';
}

/** Opens a pull request, and mostly queues it at once. */
export function open(setting: Setting): Act {
  const { i, promises, draw, by } = setting;
  const nth = promises.pullRequests.length + 1;
  const nature = draw.weighted<Nature>([
    [70, 'good'],
    [14, 'bad'],
    [10, 'half'],
    [6, 'conflicting'],
  ]);
  const halves = promises.pullRequests.filter((each) => each.nature === 'half');
  const branch = `p${nth}`;
  const targets = nature === 'half' ? ['pair'] : ['api', 'web', 'docs'].filter(() => draw.chance(0.5));
  const below = drawBelow(setting);
  const baseBranch = below?.branch ?? drawBase(setting);
  const pullRequest: PullRequest = {
    base: below?.base ?? baseBranch,
    wasElsewhere: baseBranch !== 'main',
    branch,
    nature,
    targets,
    below: below === null ? [] : [below],
    number: null,
    pushes: 0,
  };
  promises.pullRequests.push(pullRequest);
  const isQueued = draw.chance(0.6);
  const files: Record<string, string> = { [`${branch}.txt`]: `${branch}\n` };
  if (nature === 'bad') files[`bad-${branch}`] = 'red\n';
  if (nature === 'half') files[`pair-${halves.length >> 1}-${halves.length % 2 === 0 ? 'left' : 'right'}`] = 'half\n';
  if (nature === 'conflicting') files['shared.txt'] = `${branch}\n`;
  return {
    name: `open ${branch} (${nature})${below === null ? '' : ` on ${baseBranch}`}`,
    subject: branch,
    work: async () => {
      if (!(await i.git.hasBranch(baseBranch))) return;
      await i.git.commit({ branch, onto: baseBranch, files, message: `Add ${branch}` });
      const opened = openPullRequest(admin(by.ctx), {
        repository: worldName,
        title: `Add ${branch}`,
        headBranch: branch,
        baseBranch,
      });
      if (!(await isAnswered(opened))) return;
      const [row] = await i.rows<{ number: number }>('select number from pull_request where id = $1', [
        (await opened).pullRequestId,
      ]);
      pullRequest.number = row?.number ?? null;
      if (i.configurations.some(isTargeted) && pullRequest.number !== null)
        await isAnswered(
          updatePullRequest(admin(by.ctx), {
            repository: worldName,
            number: pullRequest.number,
            affectedTargets: targets,
          }),
        );
      if (isQueued && pullRequest.number !== null) await queue(setting, pullRequest, {}).work();
    },
  };
}

function numberOf({ number }: PullRequest): number {
  if (number === null) throw new Error('It was never opened.');
  return number;
}

export function queue(
  { promises, by }: Setting,
  pullRequest: PullRequest,
  options: { readonly skipLine?: boolean; readonly skipValidation?: boolean },
): Act {
  const number = numberOf(pullRequest);
  return {
    subject: pullRequest.branch,
    name: `queue #${number}${options.skipLine ? ' before all' : ''}${options.skipValidation ? ' without validation' : ''}`,
    work: async () => {
      // The request also queues the pull requests below.
      for (const each of [pullRequest, ...allBelow(pullRequest)])
        if (each.number !== null) promises.dequeued.delete(each.number);
      const request = { repository: worldName, number, source: 'graphql_api' as const, ...options };
      if (await isAnswered(queuePullRequest(admin(by.ctx), request))) promises.asked.add(number);
    },
  };
}

export function dequeue({ promises, by }: Setting, pullRequest: PullRequest): Act {
  const number = numberOf(pullRequest);
  return {
    name: `dequeue #${number}`,
    subject: pullRequest.branch,
    work: async () => {
      promises.asked.delete(number);
      if (await isAnswered(dequeuePullRequest(admin(by.ctx), { repository: worldName, number })))
        promises.dequeued.add(number);
    },
  };
}

/** Somebody changes the base branch of a pull request, with stacks also to the branch of an older pull request. */
export function retarget(setting: Setting, pullRequest: PullRequest): Act {
  const number = numberOf(pullRequest);
  const { i, promises, by, draw } = setting;
  const older = promises.pullRequests.slice(0, promises.pullRequests.indexOf(pullRequest));
  const mayStack = older.length > 0 && i.configurations.some(hasStacks);
  const below = mayStack && draw.chance(0.5) ? draw.pick(older) : null;
  const baseBranch = below?.branch ?? drawBase(setting);
  return {
    name: `base #${number} on ${baseBranch}`,
    subject: pullRequest.branch,
    work: async () => {
      if (below !== null) pullRequest.below.push(below);
      pullRequest.base = below?.base ?? baseBranch;
      pullRequest.wasElsewhere ||= baseBranch !== 'main';
      touch(promises, pullRequest);
      await isAnswered(by.service.localHost.setBaseBranch(i.repository, number, baseBranch));
    },
  };
}

export function label({ i, promises, by }: Setting, pullRequest: PullRequest, isSet: boolean): Act {
  const number = numberOf(pullRequest);
  return {
    name: `${isSet ? 'label' : 'take the label off'} #${number}`,
    subject: pullRequest.branch,
    work: async () => {
      touch(promises, pullRequest);
      await isAnswered(
        by.service.localHost.setLabel(i.repository, number, { label: 'mergequeue', present: isSet, by: 'ada' }),
      );
    },
  };
}

export function push({ i, promises, by, draw }: Setting, pullRequest: PullRequest): Act {
  const number = numberOf(pullRequest);
  const { branch } = pullRequest;
  const isMend = pullRequest.nature === 'bad' && draw.chance(0.3);
  pullRequest.pushes += 1;
  const nth = pullRequest.pushes;
  return {
    name: `push to #${number}`,
    subject: pullRequest.branch,
    work: async () => {
      touch(promises, pullRequest);
      if (!(await i.git.hasBranch(branch))) return;
      const files = isMend ? { [`bad-${branch}`]: null } : { [`${branch}-push-${nth}.txt`]: 'more\n' };
      await i.git.commit({ branch, onto: branch, files, message: `Change ${branch}` });
      await isAnswered(by.service.localHost.reconcile(i.repository));
    },
  };
}

export function pushToBase(setting: Setting): Act {
  const { i, promises, by } = setting;
  const base = drawBase(setting);
  return {
    name: `push to ${base}`,
    subject: base,
    work: async () => {
      if (!(await i.git.hasBranch(base))) return;
      const files = { [`direct-${promises.direct.size}.txt`]: 'direct\n' };
      promises.direct.add(await i.git.commit({ branch: base, onto: base, files, message: 'Past the queue' }));
      await isAnswered(by.service.localHost.reconcile(i.repository));
    },
  };
}

/**
 * Makes the branch `release` again: from `main` if the service knows that it was deleted, otherwise where it was.
 * Another branch that was made again unseen would be a forced push, and would have lost landings.
 */
export async function makeRelease(i: Installation, promises: Promises): Promise<void> {
  const [last] = await i.rows<{ to: string | null }>(
    `select e.payload ->> 'to' as to from event e join queue q on q.account_id = e.account_id and q.id = e.queue_id
     where q.base_branch = 'release' and e.action = 'base_moved' order by e.id desc limit 1`,
  );
  promises.deleted.add('release');
  i.git.writeRef('release', last?.to === null ? await i.git.tip() : promises.deletedRelease);
}

/** Somebody deletes the branch `release`, or makes it again. */
export function changeRelease({ i, promises, by }: Setting): Act {
  return {
    name: 'delete or make release',
    subject: 'release',
    work: async () => {
      for (const each of promises.pullRequests) if (each.base === 'release') touch(promises, each);
      if (await i.git.hasBranch('release')) {
        promises.deleted.add('release');
        promises.deletedRelease = await i.git.tip('release');
        await i.git.run('update-ref', '-d', 'refs/heads/release');
      } else await makeRelease(i, promises);
      await isAnswered(by.service.localHost.reconcile(i.repository));
    },
  };
}

export function close({ promises, by }: Setting, pullRequest: PullRequest, isClosed: boolean): Act {
  const number = numberOf(pullRequest);
  const change = isClosed ? closePullRequest : reopenPullRequest;
  return {
    name: `${isClosed ? 'close' : 'reopen'} #${number}`,
    subject: pullRequest.branch,
    work: async () => {
      touch(promises, pullRequest);
      await isAnswered(change(admin(by.ctx), { repository: worldName, number }));
    },
  };
}

/** Unlike Interlock, the code host closes a pull request at any time, also while it lands. */
export function closeAtHost({ i, promises, by }: Setting, pullRequest: PullRequest): Act {
  const number = numberOf(pullRequest);
  return {
    name: `close #${number} at the host`,
    subject: pullRequest.branch,
    work: async () => {
      touch(promises, pullRequest);
      await isAnswered(by.service.localHost.closePullRequest(i.repository, number));
    },
  };
}

/** A member may not skip, and an admin may. */
export function skip(setting: Setting, pullRequest: PullRequest): Act {
  const { by, draw } = setting;
  const isLine = draw.chance(0.6);
  const options = isLine ? { skipLine: true } : { skipValidation: true };
  // Without validation a red commit would stay on the base branch, and all later commits would be red.
  const isSafe = isLine || pullRequest.nature === 'good';
  if (isSafe && draw.chance(0.6)) return queue(setting, pullRequest, options);
  const number = numberOf(pullRequest);
  return {
    name: `a member queues #${number} ${isLine ? 'before all' : 'without validation'}`,
    subject: pullRequest.branch,
    work: async () => {
      const request = { repository: worldName, number, source: 'graphql_api' as const, ...options };
      const error = await queuePullRequest(member(by.ctx), request).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error instanceof DomainError && error.code === 'FORBIDDEN') return;
      if (error === null) throw new Error(`A member was allowed to queue #${number} ${JSON.stringify(options)}.`);
      if (!isAway(error)) throw error;
    },
  };
}

export function hold({ i, promises, by }: Setting, kind: Hold): Act {
  return {
    name: kind,
    subject: kind,
    work: async () => {
      promises.stopped.add(kind);
      // A deactivation takes all pull requests out of the line.
      if (kind === 'deactivation') for (const each of promises.pullRequests) touch(promises, each);
      if (await isAnswered(setHold(by, kind, true))) promises.held[kind] = await startedLandings(i, kind);
    },
  };
}

export function release({ promises, by }: Setting, kind: Hold): Act {
  return {
    name: `end the ${kind}`,
    subject: kind,
    work: async () => {
      promises.held[kind] = null;
      if (await isAnswered(setHold(by, kind, false))) promises.stopped.delete(kind);
    },
  };
}
