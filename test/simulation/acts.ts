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
import { drawBase } from './base-acts.ts';
import { hasRelease, hasStacks, isTargeted } from './configurations.ts';
import type { Installation } from './installation.ts';
import {
  allBelow,
  countRequest,
  touch,
  touchStack,
  type Act,
  type Nature,
  type PullRequest,
  type Setting,
} from './promises.ts';

/**
 * Draws the pull request below a new one, mostly the newest, so that stacks grow. Null: the new one is based on the
 * base branch.
 */
function drawBelow({ i, promises, draw }: Setting): PullRequest | null {
  const open = promises.pullRequests.filter(({ number }) => number !== null && !promises.merged.has(number));
  const newest = open.at(-1);
  if (newest === undefined || !i.configurations.some(hasStacks)) return null;
  if (!draw.chance(beginsWith(i, hasStacks) ? 0.6 : 0.4)) return null;
  return draw.chance(0.6) ? newest : draw.pick(open);
}

/** Whether this holds for the configuration that is in force at the start. */
export function beginsWith({ configurations: [first = ''] }: Installation, holds: (yaml: string) => boolean): boolean {
  return holds(first);
}

/** On what a new pull request is based: a base branch, or the branch of another pull request. */
interface Ground {
  readonly base: string;
  readonly below: PullRequest | null;
  /** Whether it may be queued at once. Default: true. */
  readonly mayQueue?: boolean;
  /** Whether it is red together with the other pull request of its pair. Left out: its nature is drawn. */
  readonly isHalf?: boolean;
}

function drawGround(setting: Setting): Ground {
  const below = drawBelow(setting);
  return { below, base: below?.base ?? drawBase(setting) };
}

/** Opens a pull request, and mostly queues it at once. */
export function open(
  setting: Setting,
  { base, below, mayQueue = true, isHalf = false }: Ground = drawGround(setting),
): Act {
  const { i, promises, draw, by } = setting;
  const nth = promises.pullRequests.length + 1;
  const drawn = draw.weighted<Nature>([
    [70, 'good'],
    [14, 'bad'],
    [10, 'half'],
    [6, 'conflicting'],
  ]);
  const nature = isHalf ? 'half' : drawn;
  const halves = promises.pullRequests.filter((each) => each.nature === 'half');
  const branch = `p${nth}`;
  const targets = nature === 'half' ? ['pair'] : ['api', 'web', 'docs'].filter(() => draw.chance(0.5));
  const baseBranch = below?.branch ?? base;
  const pullRequest: PullRequest = {
    base,
    wasElsewhere: baseBranch !== 'main',
    branch,
    nature,
    targets,
    below: below === null ? [] : [below],
    number: null,
    pushes: 0,
  };
  promises.pullRequests.push(pullRequest);
  const isQueued = draw.chance(0.6) && mayQueue;
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
  { i, promises, by }: Setting,
  pullRequest: PullRequest,
  options: { readonly skipLine?: boolean; readonly skipValidation?: boolean },
): Act {
  const number = numberOf(pullRequest);
  return {
    subject: pullRequest.branch,
    name: `queue #${number}${options.skipLine ? ' before all' : ''}${options.skipValidation ? ' without validation' : ''}`,
    work: async () => {
      // The request also queues the pull requests below.
      const concerned = [pullRequest, ...allBelow(pullRequest)].flatMap((each) => each.number ?? []);
      for (const each of concerned) promises.dequeued.delete(each);
      countRequest(promises, concerned, 1);
      const request = { repository: worldName, number, source: 'graphql_api' as const, ...options };
      const isQueued = await isAnswered(queuePullRequest(admin(by.ctx), request));
      countRequest(promises, concerned, -1);
      // A deactivation that has begun may still take the pull request out of the line.
      if (!isQueued || promises.stopped.has('deactivation')) return;
      promises.asked.add(number);
      // A closed or moved pull request may end the stack.
      const numbers = allBelow(pullRequest).flatMap((each) => each.number ?? []);
      const isStack = [number, ...numbers].every((each) => !promises.touched.has(each));
      if (isStack && i.configurations.every(hasStacks)) for (const each of numbers) promises.asked.add(each);
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
      const isDequeued = await isAnswered(dequeuePullRequest(admin(by.ctx), { repository: worldName, number }));
      // A request for a pull request above may have been answered meanwhile, or may be carried out later.
      promises.asked.delete(number);
      if (isDequeued && (promises.requests.get(number) ?? 0) === 0) promises.dequeued.add(number);
    },
  };
}

function otherBase({ i }: Setting, { base }: PullRequest): string {
  return i.configurations.some(hasRelease) && base === 'main' ? 'release' : 'main';
}

/**
 * Somebody changes the base branch of a pull request, with stacks also to the branch of another pull request, which was
 * never above it. `moment`: before the landing of the pull request has begun, another open pull request is mostly put
 * below it; during the landing, the new base branch is another one. `preferred`: the pull requests of which one is put
 * below, if any of them can be.
 */
export function retarget(
  setting: Setting,
  pullRequest: PullRequest,
  {
    moment = 'any',
    preferred = [],
  }: {
    readonly moment?: 'any' | 'before a landing' | 'in a landing';
    readonly preferred?: readonly PullRequest[];
  } = {},
): Act {
  const number = numberOf(pullRequest);
  const { i, promises, by, draw } = setting;
  const isLanding = moment === 'in a landing';
  const others = promises.pullRequests.filter((each) => each !== pullRequest && !allBelow(each).includes(pullRequest));
  const unmerged = others.filter((each) => each.number === null || !promises.merged.has(each.number));
  const drawn = unmerged.length > 0 && draw.chance(0.8) ? unmerged : others;
  const first = others.filter((each) => preferred.includes(each));
  const possible = first.length > 0 ? first : drawn;
  const mayStack = possible.length > 0 && i.configurations.some(hasStacks);
  const below = mayStack && draw.chance(moment === 'before a landing' ? 0.9 : 0.6) ? draw.pick(possible) : null;
  const baseBranch = below?.branch ?? (isLanding ? otherBase(setting, pullRequest) : drawBase(setting));
  return {
    name: `base #${number} on ${baseBranch}`,
    subject: pullRequest.branch,
    work: async () => {
      // Another act may have stacked them the other way round since.
      if (below !== null && allBelow(below).includes(pullRequest)) return;
      if (below !== null) pullRequest.below.push(below);
      pullRequest.base = below?.base ?? baseBranch;
      pullRequest.wasElsewhere ||= baseBranch !== 'main';
      promises.moved.add(number);
      touchStack(promises, pullRequest);
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
      touchStack(promises, pullRequest);
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

export function close({ promises, by }: Setting, pullRequest: PullRequest, isClosed: boolean): Act {
  const number = numberOf(pullRequest);
  const change = isClosed ? closePullRequest : reopenPullRequest;
  return {
    name: `${isClosed ? 'close' : 'reopen'} #${number}`,
    subject: pullRequest.branch,
    work: async () => {
      promises.moved.add(number);
      touchStack(promises, pullRequest);
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
      promises.moved.add(number);
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
  // Without validation a red commit would stay on the base branch, and all later commits would be red. The head also has
  // the files of the pull requests below.
  const isSafe = isLine || [pullRequest, ...allBelow(pullRequest)].every(({ nature }) => nature === 'good');
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
