// The command status, which shows the line of a queue, once or live.
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../client/api.ts';
import { repositoryOfCheckout, type RepositoryName } from '../client/checkout.ts';
import { follow, readUntilAnswered } from '../client/follow.ts';
import {
  CursorDocument,
  DefaultBranchDocument,
  OverviewDocument,
  QueueChangedDocument,
  StatusDocument,
  type StatusQuery,
} from '../generated/operations.ts';
import type { Outcome } from '../output/failure.ts';
import { table } from '../output/table.ts';
import {
  connect,
  examples,
  nameOf,
  reportConnection,
  repositoryOf,
  unknownRepository,
  type Invocation,
  type Registry,
} from './invocation.ts';

export function addStatusCommand({ program, action }: Registry): void {
  program
    .command('status')
    .description(
      'Shows the line of a base branch, with the status and reason of each pull request. Outside of a checkout it lists all repositories.',
    )
    .option('-b, --branch <name>', 'base branch; the default branch if left out')
    .option('-w, --watch', 'keep running, and show each change')
    .addHelpText(
      'after',
      examples('interlock status', 'interlock status --watch', 'interlock status -b release --json'),
    )
    .action(action(status));
}

interface StatusOptions {
  readonly branch?: string;
  readonly watch?: boolean;
}

interface Place {
  readonly repository: RepositoryName;
  readonly baseBranch: string;
}

const shown = 50;

async function status(invocation: Invocation, { branch, watch }: StatusOptions): Promise<Outcome | void> {
  const api = await connect(invocation);
  if (!watch && branch === undefined && (await isElsewhere(invocation))) return await showOverview(invocation, api);
  const repository = await repositoryOf(invocation);
  const place = { repository, baseBranch: branch ?? (await defaultBranchOf(api, repository)) };
  // The cursor is read before the rows. So a change between these two reads is received later, and the rows are read
  // again.
  const { cursor } = await api.ask(CursorDocument, {});
  await show(invocation, api, { place, isAgain: false, isWatched: watch === true });
  return watch ? await keepShowing(invocation, api, { place, cursor }) : undefined;
}

/** Whether neither an option nor a checkout names a repository. */
async function isElsewhere({ io, global }: Invocation): Promise<boolean> {
  return global.repo === undefined && (await repositoryOfCheckout(io.cwd)) === null;
}

async function showOverview({ say, document }: Invocation, api: Api): Promise<void> {
  const { nodes, totalCount } = (await api.ask(OverviewDocument, {})).repositories;
  const rows = nodes.map((repository) => [
    `${nameOf(repository)} ${repository.defaultBranch}`,
    `${repository.queueDepth.queued} in line`,
    `${repository.queueDepth.processing} in builds`,
    repository.active ? (repository.paused ? 'paused' : '') : 'inactive',
  ]);
  say(table(rows).trimEnd() || 'There are no repositories yet.');
  if (totalCount > nodes.length) say(`… and ${totalCount - nodes.length} more`);
  document({
    total: totalCount,
    repositories: nodes.map(({ defaultBranch, paused, active, queueDepth, ...named }) => ({
      repository: nameOf(named),
      defaultBranch,
      paused,
      active,
      depth: queueDepth,
    })),
  });
}

async function defaultBranchOf(api: Api, repository: RepositoryName): Promise<string> {
  const { repository: found } = await api.ask(DefaultBranchDocument, repository);
  if (found === null) throw unknownRepository(repository);
  return found.defaultBranch;
}

async function keepShowing(
  invocation: Invocation,
  api: Api,
  { place, cursor }: { readonly place: Place; readonly cursor: string },
): Promise<Outcome> {
  const ending = new AbortController();
  const watched = { ...api, signal: AbortSignal.any([api.signal, ending.signal]) };
  const reader = createReader(watched, async () => {
    await show(invocation, api, { place, isAgain: true, isWatched: true });
  });
  const following = follow(watched, {
    document: QueueChangedDocument,
    variables: place,
    after: cursor,
    cursorOf: ({ queueChanged }) => queueChanged.cursor,
    onChange: () => reader.ask(),
    startAgain: async () => {
      const { cursor: newest } = await api.ask(CursorDocument, {});
      reader.ask();
      return newest;
    },
    onConnection: (isThere) => {
      reportConnection(invocation)(isThere);
      if (isThere) reader.ask();
    },
  });
  await Promise.race([following, reader.failed]).finally(() => ending.abort());
  return 'interrupted';
}

async function show(
  invocation: Invocation,
  api: Api,
  { place, isAgain, isWatched }: { readonly place: Place; readonly isAgain: boolean; readonly isWatched: boolean },
): Promise<void> {
  const { repository, baseBranch } = place;
  const { repository: found } = await api.ask(StatusDocument, { ...repository, baseBranch, first: shown });
  if (found === null) throw unknownRepository(repository);
  const { io, say, document, record } = invocation;
  // A terminal is cleared before the line is shown again. Any other output gets one text after the other.
  if (isAgain && io.stdout.isTTY && !invocation.isJson) io.stdout.write('\u001B[2J\u001B[3J\u001B[H');
  say(draw(invocation, place, found));
  (isWatched ? record : document)(documentOf(place, found));
}

type Found = NonNullable<StatusQuery['repository']>;

function draw({ color }: Invocation, { repository, baseBranch }: Place, { queue, active, paused }: Found): string {
  const heading = color.bold(`${nameOf(repository)} ${baseBranch}`);
  const halts = haltsOf({ queue, active, paused }).map((sentence) => color.yellow(sentence));
  if (queue === null) return [`${heading}  nothing was ever queued`, ...halts].join('\n');
  const { depth, line } = queue;
  const rows = line.nodes.map(({ position, pullRequest, explain }) => [
    String(position),
    `#${pullRequest.number}`,
    pullRequest.title,
    color.dim(pullRequest.author),
    explain.sentence,
  ]);
  const rest = line.totalCount - line.nodes.length;
  return [
    `${heading}  ${depth.queued} in line, ${depth.processing} in builds`,
    ...halts,
    table(rows).trimEnd(),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function haltsOf({ queue, active, paused }: Pick<Found, 'queue' | 'active' | 'paused'>): string[] {
  const message = queue?.pause?.message;
  return [
    ...(active ? [] : ['Inactive: nobody can queue pull requests before an admin activates it.']),
    ...(paused || queue?.paused ? [message ? `Paused: ${message}` : 'Paused.'] : []),
    ...(queue?.haltedAt ? [`Halted: ${queue.haltedReason ?? 'no reason was given'}`] : []),
    ...(queue?.frozen ? [queue.frozen.sentence] : []),
  ];
}

function documentOf({ repository, baseBranch }: Place, { queue, active, paused }: Found): object {
  return {
    repository: nameOf(repository),
    baseBranch,
    active,
    paused: paused || (queue?.paused ?? false),
    halted: queue?.haltedReason ?? null,
    frozen: queue?.frozen?.sentence ?? null,
    depth: queue?.depth ?? { queued: 0, processing: 0, waiting: 0 },
    total: queue?.line.totalCount ?? 0,
    line: (queue?.line.nodes ?? []).map(({ position, pullRequest, explain, eta }) => ({
      position,
      number: pullRequest.number,
      title: pullRequest.title,
      author: pullRequest.author,
      status: pullRequest.status.toLowerCase(),
      sentence: explain.sentence,
      who: explain.who?.toLowerCase() ?? null,
      mergesAt: eta?.p50 ?? null,
    })),
  };
}

const restMs = 300;

interface Reader {
  readonly ask: () => void;
  /** Rejects when a read is refused, and another attempt cannot change that. */
  readonly failed: Promise<never>;
}

/**
 * Makes a reader that reads again after `ask`. Only one read runs at a time, and a pause follows each read, so that
 * many changes cause only one read. If the service does not answer, the read is tried again.
 */
function createReader(api: Pick<Api, 'signal'>, read: () => Promise<void>): Reader {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let isAsked = false;
  let isReading = false;
  const run = async (): Promise<void> => {
    isReading = true;
    while (isAsked) {
      isAsked = false;
      await readUntilAnswered(api, read);
      await delay(restMs);
    }
    isReading = false;
  };
  return {
    failed,
    ask() {
      isAsked = true;
      if (!isReading) run().catch(reject);
    },
  };
}
