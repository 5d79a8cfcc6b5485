// Draws a queue for a screen on a wall. It shows the state of the queue in a sentence, what lands next, and what landed.
// The page uses plain elements without a framework, so that it loads quickly and runs for months.
import { clockTime, list, numbers, personOf, withoutDirections } from '../design/labels.ts';
import type { CheckConclusion } from '../generated/queue.ts';

interface Member {
  readonly pullRequest: { readonly number: number; readonly title: string };
}

interface Check {
  readonly name: string;
  readonly conclusion: CheckConclusion | null;
  readonly completedAt: string | null;
}

export interface Board {
  readonly version: string;
  readonly repository: string;
  readonly branch: string;
  readonly at: string;
  readonly summary: { readonly tone: 'green' | 'blue' | 'amber' | 'red'; readonly sentence: string };
  readonly queue: {
    readonly baseTip: string | null;
    readonly depth: { readonly queued: number };
    readonly batches: {
      readonly nodes: readonly {
        readonly position: number;
        readonly role: string;
        readonly buildStartedAt: string | null;
        readonly members: readonly Member[];
        readonly checks: readonly Check[];
      }[];
    };
    readonly line: {
      readonly nodes: readonly {
        readonly position: number;
        readonly pullRequest: Member['pullRequest'] & { readonly author: string | null };
        readonly explain: { readonly reason: string };
        readonly eta: { readonly p50: string | null; readonly p90: string | null } | null;
      }[];
    };
    readonly landed: {
      readonly nodes: readonly {
        readonly grade: string | null;
        readonly endedAt: string | null;
        readonly members: readonly Member[];
      }[];
    };
  } | null;
}

type Child = Node | string | null;

function element(name: string, className: string, ...children: readonly Child[]): HTMLElement {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...children.filter((child) => child !== null));
  return made;
}

function time(instant: string, text: string): HTMLElement {
  const made = element('time', '', text);
  made.setAttribute('datetime', instant);
  return made;
}

/** `3 min ago`, by the clock of the server. */
function ago(instant: string, now: number): HTMLElement {
  const minutes = Math.max(0, Math.round((now - Date.parse(instant)) / 60_000));
  if (minutes < 1) return time(instant, 'just now');
  if (minutes < 90) return time(instant, `${minutes} min ago`);
  return time(instant, minutes < 36 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1440)} d ago`);
}

function titleOf({ number, title }: Member['pullRequest']): HTMLElement {
  return element('b', '', `#${number} `, element('bdi', '', withoutDirections(title)));
}

function titles(members: readonly Member[]): HTMLElement {
  const [only] = members;
  if (only !== undefined && members.length === 1) return titleOf(only.pullRequest);
  return element('b', '', numbers(members.map(({ pullRequest }) => pullRequest.number)));
}

function stateOf(checks: readonly Check[]): string {
  const running = checks.filter(({ completedAt }) => completedAt === null).map(({ name }) => name);
  const failed = checks.filter(({ conclusion }) => conclusion === 'FAILURE').map(({ name }) => name);
  if (failed.length > 0) return `${list(failed)} failed`;
  if (checks.length === 0) return 'its checks have not started';
  return running.length === 0 ? 'all checks that reported are done' : `${running.slice(0, 3).join(', ')} running`;
}

function section(title: string, rows: readonly HTMLElement[], otherwise: string): HTMLElement {
  const body = rows.length === 0 ? element('p', 'dim', otherwise) : element('ol', '', ...rows);
  return element('section', '', element('h2', '', title), body);
}

function building(queue: NonNullable<Board['queue']>, now: number): HTMLElement {
  const rows = queue.batches.nodes.map(({ role, members, checks, buildStartedAt }) =>
    element(
      'li',
      role === 'LINE' ? 'build' : 'build beside',
      titles(members),
      element(
        'span',
        'dim',
        stateOf(checks),
        ...(buildStartedAt === null ? [] : [' · started ', ago(buildStartedAt, now)]),
      ),
    ),
  );
  return section('Building', rows, 'No build runs.');
}

function waiting(queue: NonNullable<Board['queue']>): HTMLElement {
  const rows = queue.line.nodes.map(({ position, pullRequest, explain, eta }) => {
    const { author } = pullRequest;
    const when =
      eta?.p50 && eta.p90 ? element('span', 'eta', time(eta.p50, `~${clockTime.format(new Date(eta.p50))}`)) : null;
    return element(
      'li',
      '',
      element('span', 'place', String(position)),
      element(
        'span',
        'grow',
        titleOf(pullRequest),
        element('span', 'dim', author === null ? '' : `${personOf(author)} · `, withoutDirections(explain.reason)),
      ),
      when,
    );
  });
  const more = queue.depth.queued - rows.length;
  if (more > 0) rows.push(element('li', 'dim', `and ${more} more`));
  return section('In line', rows, 'No pull request is in line.');
}

function landed(queue: NonNullable<Board['queue']>, now: number): HTMLElement {
  const rows = queue.landed.nodes.map(({ members, endedAt }) =>
    element(
      'li',
      'landed',
      titles(members),
      endedAt === null ? null : element('span', 'dim', 'landed ', ago(endedAt, now)),
    ),
  );
  return section('Landed', rows, 'Nothing has landed here yet.');
}

/** Draws the board into `into`. `notLiveSince`: when the updates stopped. Null: updates arrive. */
export function draw(
  into: HTMLElement,
  board: Board,
  { notLiveSince, now }: { notLiveSince: number | null; now: number },
): void {
  const { repository, branch, summary, queue } = board;
  document.title = `${branch} of ${repository} · Interlock`;
  const off =
    notLiveSince === null
      ? null
      : element(
          'p',
          'off',
          `Not live since ${clockTime.format(notLiveSince)}. This page shows the state of that time.`,
        );
  off?.setAttribute('role', 'alert');
  const tip = queue?.baseTip ? element('code', '', queue.baseTip.slice(0, 8)) : null;
  into.replaceChildren(
    ...[
      off,
      element(
        'header',
        summary.tone,
        element('p', 'place', `${repository} / ${branch}`, tip === null ? null : ' at ', tip),
        element('h1', '', summary.sentence),
      ),
      queue === null
        ? null
        : element('div', 'columns', waiting(queue), element('div', '', building(queue, now), landed(queue, now))),
    ].filter((part) => part !== null),
  );
}
