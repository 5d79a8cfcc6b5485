// The commands queue, dequeue and why.
import type { Api } from '../client/api.ts';
import { follow } from '../client/follow.ts';
import {
  CursorDocument,
  DequeuePullRequestDocument,
  ExplainDocument,
  ProgressDocument,
  PullRequestChangedDocument,
  QueuePullRequestDocument,
  type ExplainQuery,
  type ExplanationActor,
  type QueuePullRequestInput,
} from '../generated/operations.ts';
import { type Outcome } from '../output/failure.ts';
import {
  connect,
  examples,
  isConfirmed,
  nameOf,
  completeRefusal,
  pullRequestOf,
  reportConnection,
  unknownPullRequest,
  unknownRepository,
  addHarmOptions,
  type ChosenPullRequest,
  type HarmOptions,
  type Invocation,
  type Registry,
} from './invocation.ts';

export function addPullRequestCommands({ program, action }: Registry): void {
  const named = 'number or link; if left out, the pull request of the current branch';
  addHarmOptions(program.command('queue'))
    .description('Queues a pull request. A second call changes nothing.')
    .argument('[pull-request]', named)
    .option('--wait', 'wait until the pull request is merged or has left the queue')
    .option('--skip-line', 'put the pull request at the front of the line')
    .option('--skip-validation', 'land the pull request without its checks')
    .option('--reason <text>', 'why the pull request skips the line')
    .addHelpText('after', examples('interlock queue', 'interlock queue 42 --wait', 'interlock queue 42 --dry-run'))
    .action(action(queue));
  addHarmOptions(program.command('dequeue'))
    .description('Takes a pull request out of the queue.')
    .argument('[pull-request]', named)
    .addHelpText('after', examples('interlock dequeue 42', 'interlock dequeue 42 --yes'))
    .action(action(dequeue));
  program
    .command('why')
    .description('Explains why a pull request is not merged, and who acts next.')
    .argument('[pull-request]', named)
    .addHelpText('after', examples('interlock why 42', 'interlock why 42 --json'))
    .action(action(why));
}

interface Chosen extends ChosenPullRequest {
  readonly api: Api;
}

async function choose(invocation: Invocation, text: string | undefined): Promise<Chosen> {
  const api = await connect(invocation);
  return { api, ...(await pullRequestOf(invocation, api, text)) };
}

function named({ repository, number }: Chosen): string {
  return `#${number} of ${nameOf(repository)}. Give the number of a pull request there, or another repository by --repo.`;
}

interface QueueOptions extends HarmOptions {
  readonly wait?: boolean;
  readonly skipLine?: boolean;
  readonly skipValidation?: boolean;
  readonly reason?: string;
}

async function queue(invocation: Invocation, options: QueueOptions, text?: string): Promise<Outcome | void> {
  const chosen = await choose(invocation, text);
  const { api, repository, number } = chosen;
  const input: QueuePullRequestInput = {
    repository,
    number,
    ...(options.skipLine && { skipLine: true }),
    ...(options.skipValidation && { skipValidation: true }),
    ...(options.reason !== undefined && { skipLineReason: options.reason }),
  };
  // Skipping the line or the checks affects other people, so it needs a confirmation. Plain queueing needs none.
  if (options.dryRun || options.skipLine || options.skipValidation) {
    const { queuePullRequest } = await completeRefusal(
      named(chosen),
      api.ask(QueuePullRequestDocument, { input: { ...input, preview: true } }),
    );
    const impact = queuePullRequest.impact?.sentence ?? '';
    if (!(await isConfirmed(invocation, options, impact))) return invocation.document(documentOf(chosen, { impact }));
  }
  const { queuePullRequest } = await completeRefusal(named(chosen), api.ask(QueuePullRequestDocument, { input }));
  if (options.wait) {
    invocation.printProgress(`#${number}: ${queuePullRequest.pullRequest.explain.sentence}`);
    return await waitForEnd(invocation, chosen);
  }
  report(invocation, chosen, queuePullRequest);
  return queuePullRequest.pullRequest.status === 'BLOCKED' ? 'refused' : 'done';
}

async function dequeue(invocation: Invocation, options: HarmOptions, text?: string): Promise<void> {
  const chosen = await choose(invocation, text);
  const { api, repository, number } = chosen;
  const preview = await completeRefusal(
    named(chosen),
    api.ask(DequeuePullRequestDocument, { input: { repository, number, preview: true } }),
  );
  const impact = preview.dequeuePullRequest.impact?.sentence ?? '';
  const sentence = `#${number} of ${nameOf(repository)} would leave the queue. ${impact}`;
  if (!(await isConfirmed(invocation, options, sentence))) return invocation.document(documentOf(chosen, { impact }));
  const { dequeuePullRequest } = await api.ask(DequeuePullRequestDocument, { input: { repository, number } });
  report(invocation, chosen, dequeuePullRequest);
}

interface Answered {
  readonly pullRequest: { readonly status: string; readonly explain: { readonly sentence: string } };
  readonly impact: { readonly sentence: string } | null;
}

function report(
  { say, document }: Invocation,
  { repository, number }: Chosen,
  { pullRequest, impact }: Answered,
): void {
  const status = pullRequest.status.toLowerCase();
  const { sentence } = pullRequest.explain;
  say(`#${number} is ${status}. ${sentence}`);
  document(documentOf({ repository, number }, { status, sentence, impact: impact?.sentence ?? null }));
}

/** The document has the same keys for every outcome. If the status is null, nothing was done. */
function documentOf(
  { repository, number }: Pick<Chosen, 'repository' | 'number'>,
  done: {
    readonly status?: string;
    readonly sentence?: string;
    readonly impact?: string | null;
    readonly mergeCommit?: string | null;
  },
): object {
  const { status = null, sentence = null, impact = null, mergeCommit = null } = done;
  return { repository: nameOf(repository), number, status, sentence, impact, mergeCommit };
}

const ended: readonly string[] = ['MERGED', 'BLOCKED', 'CLOSED', 'OPEN'];

/** Prints each new sentence about the pull request, until it has left the queue. */
async function waitForEnd(invocation: Invocation, { api, repository, number }: Chosen): Promise<Outcome | void> {
  let lastSentence = '';
  let last: Awaited<ReturnType<typeof readProgress>> | null = null;
  const look = async (): Promise<boolean> => {
    last = await readProgress(api, { repository, number });
    if (last.sentence !== lastSentence) invocation.printProgress(`#${number}: ${last.sentence}`);
    lastSentence = last.sentence;
    return ended.includes(last.status);
  };
  const start = async (): Promise<string | null> => {
    const { cursor } = await api.ask(CursorDocument, {});
    return (await look()) ? null : cursor;
  };
  const after = await start();
  if (after !== null)
    await follow(api, {
      document: PullRequestChangedDocument,
      variables: { repository, number },
      after,
      cursorOf: ({ pullRequestChanged }) => pullRequestChanged.cursor,
      onChange: look,
      startAgain: start,
      onConnection: reportConnection(invocation),
    });
  if (last === null || api.signal.aborted) return 'interrupted';
  const { status, sentence, mergeCommit } = last as Awaited<ReturnType<typeof readProgress>>;
  invocation.say(
    mergeCommit === null
      ? `#${number} is ${status.toLowerCase()}. ${sentence}`
      : `#${number} is merged as ${mergeCommit}.`,
  );
  invocation.document(documentOf({ repository, number }, { status: status.toLowerCase(), sentence, mergeCommit }));
  return status === 'MERGED' ? 'done' : 'refused';
}

async function readProgress(
  api: Api,
  { repository, number }: Pick<Chosen, 'repository' | 'number'>,
): Promise<{ readonly status: string; readonly sentence: string; readonly mergeCommit: string | null }> {
  const { repository: found } = await api.ask(ProgressDocument, { ...repository, number });
  if (!found?.pullRequest) throw unknownPullRequest(repository, number);
  const { status, mergeCommit, explain } = found.pullRequest;
  return { status, mergeCommit, sentence: explain.sentence };
}

const nextActor = {
  ADMIN: 'An admin acts next.',
  AUTHOR: 'The author acts next.',
  CI: 'CI acts next.',
  QUEUE: 'The queue acts next.',
  REVIEWER: 'A reviewer acts next.',
} as const satisfies Record<ExplanationActor, string>;

type Explained = NonNullable<NonNullable<ExplainQuery['repository']>['pullRequest']>;
type Condition = Explained['explain']['conditions'][number];

async function why(invocation: Invocation, _: object, text?: string): Promise<void> {
  const { api, repository, number } = await choose(invocation, text);
  const { repository: found } = await api.ask(ExplainDocument, { ...repository, number });
  if (found === null) throw unknownRepository(repository);
  if (found.pullRequest === null) throw unknownPullRequest(repository, number);
  const { title, status, explain } = found.pullRequest;
  const { say, color } = invocation;
  say(`${color.bold(`#${number} ${title}`)}  ${status.toLowerCase()}`);
  say(explain.sentence);
  if (explain.who !== null) say(nextActor[explain.who]);
  if (explain.eta !== null) say(explain.eta.sentence);
  for (const { holds, sentence } of shownConditions(explain.conditions))
    say(`  ${holds ? color.green('✓') : color.red('✗')} ${sentence}`);
  invocation.document({
    repository: nameOf(repository),
    number,
    title,
    status: status.toLowerCase(),
    sentence: explain.sentence,
    who: explain.who?.toLowerCase() ?? null,
    kind: explain.kind.toLowerCase(),
    mergesAt: explain.eta?.p50 ?? null,
    conditions: explain.conditions.map(documentOfCondition),
  });
}

/** A group that does not hold has the sentence of one of its parts, so its parts are shown instead of it. */
function shownConditions(conditions: readonly Condition[]): readonly Pick<Condition, 'holds' | 'sentence'>[] {
  const each = conditions.flatMap((one) => (one.holds || one.conditions.length === 0 ? [one] : one.conditions));
  const last = new Map(each.map(({ sentence }, at) => [sentence, at]));
  return each.filter(({ sentence }, at) => last.get(sentence) === at);
}

function documentOfCondition({ kind, name, holds, sentence, who }: Condition): object {
  return { kind: kind.toLowerCase(), name, holds, sentence, who: who?.toLowerCase() ?? null };
}
