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
import type { Draws } from './draws.ts';
import { setHold, startedLandings, type Hold } from './holds.ts';
import type { Installation, Process } from './installation.ts';

export type Nature = 'good' | 'bad' | 'half' | 'conflicting';

export interface PullRequest {
  readonly branch: string;
  readonly nature: Nature;
  readonly targets: readonly string[];
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
  held: { pause: null, 'branch pause': null, freeze: null, halt: null },
  stopped: new Set(),
  merged: new Set(),
  direct: new Set(),
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
  readonly isTargeted: boolean;
}

/** Opens a pull request, and mostly queues it at once. */
export function open(setting: Setting): Act {
  const { i, promises, draw, by, isTargeted } = setting;
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
  const pullRequest: PullRequest = { branch, nature, targets, number: null, pushes: 0 };
  promises.pullRequests.push(pullRequest);
  const isQueued = draw.chance(0.6);
  const files: Record<string, string> = { [`${branch}.txt`]: `${branch}\n` };
  if (nature === 'bad') files[`bad-${branch}`] = 'red\n';
  if (nature === 'half') files[`pair-${halves.length >> 1}-${halves.length % 2 === 0 ? 'left' : 'right'}`] = 'half\n';
  if (nature === 'conflicting') files['shared.txt'] = `${branch}\n`;
  return {
    name: `open ${branch} (${nature})`,
    subject: branch,
    work: async () => {
      await i.git.commit({ branch, onto: 'main', files, message: `Add ${branch}` });
      const opened = openPullRequest(admin(by.ctx), {
        repository: worldName,
        title: `Add ${branch}`,
        headBranch: branch,
        baseBranch: 'main',
      });
      if (!(await isAnswered(opened))) return;
      const [row] = await i.rows<{ number: number }>('select number from pull_request where id = $1', [
        (await opened).pullRequestId,
      ]);
      pullRequest.number = row?.number ?? null;
      if (isTargeted && pullRequest.number !== null)
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
      promises.dequeued.delete(number);
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

export function label({ i, promises, by }: Setting, pullRequest: PullRequest, isSet: boolean): Act {
  const number = numberOf(pullRequest);
  return {
    name: `${isSet ? 'label' : 'take the label off'} #${number}`,
    subject: pullRequest.branch,
    work: async () => {
      promises.touched.add(number);
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
      promises.touched.add(number);
      const files = isMend ? { [`bad-${branch}`]: null } : { [`${branch}-push-${nth}.txt`]: 'more\n' };
      await i.git.commit({ branch, onto: branch, files, message: `Change ${branch}` });
      await isAnswered(by.service.localHost.reconcile(i.repository));
    },
  };
}

export function pushToBase({ i, promises, by }: Setting): Act {
  return {
    name: 'push to the base',
    subject: 'main',
    work: async () => {
      const files = { [`direct-${promises.direct.size}.txt`]: 'direct\n' };
      promises.direct.add(await i.git.commit({ branch: 'main', onto: 'main', files, message: 'Past the queue' }));
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
      promises.touched.add(number);
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
      promises.touched.add(number);
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
      if (await isAnswered(setHold(by, kind, true))) promises.held[kind] = await startedLandings(i);
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
