// The command runbook. A runbook is a prompt that an agent turns into pull requests.
import { text as readAll } from 'node:stream/consumers';
import type { Api } from '../client/api.ts';
import { follow } from '../client/follow.ts';
import {
  CancelRunbookDocument,
  ContinueRunbookDocument,
  CreateRunbookDocument,
  RunbookDocument,
  RunbookLogDocument,
  RunbooksDocument,
  type PrMode,
  type RunbookQuery,
  type RunbookRowFragment,
} from '../generated/operations.ts';
import { Failure, type Outcome } from '../output/failure.ts';
import { table } from '../output/table.ts';
import {
  connect,
  examples,
  isConfirmed,
  repositoryOf,
  reportConnection,
  unknownRepository,
  addHarmOptions,
  type HarmOptions,
  type Invocation,
  type Registry,
} from './invocation.ts';

const modes = { manual: 'MANUAL', single_pr: 'SINGLE_PR', stacked_pr: 'STACKED_PR' } as const satisfies Record<
  string,
  PrMode
>;

export function addRunbookCommands({ program, action }: Registry): void {
  const runbook = program.command('runbook').description('Turns prompts into pull requests.');
  const prompt = 'what is to be done; - reads the standard input';
  runbook
    .command('start')
    .description('Begins a runbook: an agent plans steps for the prompt and carries them out.')
    .argument('<prompt>', prompt)
    .option('--title <text>', 'the title; if left out, it is made from the prompt')
    .option('--target <branch>', 'the base branch of the pull requests; if left out, the default branch')
    .option('--pr-mode <mode>', Object.keys(modes).join(', '))
    .option('--label <name...>', 'labels for the pull requests')
    .option('--queue-when-green', 'queue the pull requests when they are ready')
    .option('--wait', 'show its log, and wait until no work is left')
    .addHelpText('after', examples("interlock runbook start 'Update the licence headers' --wait"))
    .action(action(start));
  runbook
    .command('continue')
    .description('Adds a prompt to a runbook.')
    .argument('<number>', 'of the runbook')
    .argument('<prompt>', prompt)
    .option('--wait', 'show its log, and wait until no work is left')
    .addHelpText('after', examples("interlock runbook continue 7 'Also the tests' --wait"))
    .action(action(addPrompt));
  runbook
    .command('list')
    .description('Shows the newest runbooks of the repository.')
    .addHelpText('after', examples('interlock runbook list --json'))
    .action(action(list));
  runbook
    .command('show')
    .description('Shows the progress of a runbook.')
    .argument('<number>', 'of the runbook')
    .addHelpText('after', examples('interlock runbook show 7'))
    .action(action(show));
  runbook
    .command('log')
    .description('Shows the log of a runbook as it is written, until no work is left.')
    .argument('<number>', 'of the runbook')
    .addHelpText('after', examples('interlock runbook log 7'))
    .action(action(log));
  addHarmOptions(runbook.command('cancel'))
    .description('Stops a runbook. Its commits and pull requests stay.')
    .argument('<number>', 'of the runbook')
    .addHelpText('after', examples('interlock runbook cancel 7 --yes'))
    .action(action(cancel));
}

interface StartOptions {
  readonly title?: string;
  readonly target?: string;
  readonly prMode?: string;
  readonly label?: readonly string[];
  readonly queueWhenGreen?: boolean;
  readonly wait?: boolean;
}

async function start(invocation: Invocation, options: StartOptions, given = ''): Promise<Outcome | void> {
  const { title, target, label } = options;
  const prMode = modeOf(options.prMode);
  const repository = await repositoryOf(invocation);
  const api = await connect(invocation);
  const input = {
    repository,
    prompt: await promptOf(invocation, given),
    ...(title !== undefined && { title }),
    ...(target !== undefined && { targetBranch: target }),
    ...(prMode !== null && { prMode }),
    ...(label !== undefined && { labels: [...label] }),
    ...(options.queueWhenGreen && { queueWhenGreen: true }),
  };
  const { createRunbook } = await api.ask(CreateRunbookDocument, { input });
  return await waitOrReport(invocation, { api, runbook: createRunbook.runbook, wait: options.wait === true });
}

function modeOf(text: string | undefined): PrMode | null {
  if (text === undefined) return null;
  if (Object.hasOwn(modes, text)) return modes[text as keyof typeof modes];
  throw new Failure('usage', `--pr-mode must be one of ${Object.keys(modes).join(', ')}, not ${text}.`, {
    field: 'prMode',
  });
}

async function promptOf({ io }: Invocation, given: string): Promise<string> {
  return given === '-' ? await readAll(io.stdin) : given;
}

async function addPrompt(
  invocation: Invocation,
  { wait }: { readonly wait?: boolean },
  text = '',
  given = '',
): Promise<Outcome | void> {
  const number = numberOf(text);
  const api = await connect(invocation);
  const prompt = await promptOf(invocation, given);
  const { continueRunbook } = await api.ask(ContinueRunbookDocument, { input: { number, prompt } });
  // The answer has the status before the prompt is planned, which may be `completed`.
  if (!wait) invocation.say('The prompt is added, and its steps are planned next.');
  return await waitOrReport(invocation, { api, runbook: continueRunbook.runbook, wait: wait === true });
}

async function waitOrReport(
  invocation: Invocation,
  { api, runbook, wait }: { readonly api: Api; readonly runbook: RunbookRowFragment; readonly wait: boolean },
): Promise<Outcome | void> {
  if (!wait) return report(invocation, runbook);
  invocation.printProgress(`Runbook ${runbook.number}: ${runbook.url}`);
  await followLog(invocation, api, { number: runbook.number, write: invocation.io.stderr });
  const ended = await read(api, runbook.number);
  report(invocation, ended);
  return ended.status === 'COMPLETED' ? 'done' : 'refused';
}

async function list(invocation: Invocation): Promise<void> {
  const api = await connect(invocation);
  const repository = await repositoryOf(invocation);
  const { repository: found } = await api.ask(RunbooksDocument, { ...repository, first: 20 });
  if (found === null) throw unknownRepository(repository);
  const rows = found.runbooks.nodes;
  const text = table(rows.map(({ number, title, status }) => [String(number), status.toLowerCase(), title])).trimEnd();
  invocation.say(text || 'There are no runbooks yet. Begin one: interlock runbook start <prompt>');
  invocation.document(rows.map(documentOf));
}

async function show(invocation: Invocation, _: object, text = ''): Promise<void> {
  const number = numberOf(text);
  const runbook = await read(await connect(invocation), number);
  report(invocation, runbook, { isLogThere: runbook.log.nodes.length > 0 });
}

async function log(invocation: Invocation, _: object, text = ''): Promise<void> {
  const number = numberOf(text);
  const api = await connect(invocation);
  const { log: found } = await read(api, number);
  if (found.nodes.length === 0)
    invocation.printProgress(`Runbook ${number} has no log yet, or its log was deleted because of its age.`);
  await followLog(invocation, api, { number, write: invocation.io.stdout });
}

async function followLog(
  invocation: Invocation,
  api: Api,
  { number, write }: { readonly number: number; readonly write: { readonly write: (text: string) => unknown } },
): Promise<void> {
  await follow(api, {
    document: RunbookLogDocument,
    variables: { number },
    after: null,
    cursorOf: ({ runbookLog }) => runbookLog.cursor,
    onChange: ({ runbookLog }) => {
      const { isJson } = invocation;
      write.write(isJson ? `${JSON.stringify({ text: runbookLog.text })}\n` : runbookLog.text);
    },
    onConnection: reportConnection(invocation),
  });
}

async function cancel(invocation: Invocation, options: HarmOptions, text = ''): Promise<void> {
  const number = numberOf(text);
  const api = await connect(invocation);
  const preview = await api.ask(CancelRunbookDocument, { input: { number, preview: true } });
  if (!(await isConfirmed(invocation, options, preview.cancelRunbook.impact?.sentence ?? '')))
    return invocation.document(documentOf(preview.cancelRunbook.runbook));
  const { cancelRunbook } = await api.ask(CancelRunbookDocument, { input: { number } });
  report(invocation, cancelRunbook.runbook);
}

async function read(api: Api, number: number): Promise<NonNullable<RunbookQuery['runbook']>> {
  const { runbook } = await api.ask(RunbookDocument, { number });
  if (runbook === null) throw new Failure('refused', `There is no runbook ${number}.`, { code: 'NOT_FOUND' });
  return runbook;
}

function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number < 2 ** 31) return number;
  throw new Failure('usage', `A runbook is named by its number, not ${text}.`, { field: 'number' });
}

function report({ say, document }: Invocation, runbook: RunbookRowFragment, { isLogThere = true } = {}): void {
  const { number, title, status, stepCounts, problem, pullRequests, url } = runbook;
  say(`Runbook ${number} ${title}: ${status.toLowerCase()}, ${stepCounts.completed} of ${stepCounts.total} steps`);
  if (problem !== null) say(problem);
  else if (status === 'FAILED')
    say(
      isLogThere
        ? `The log says why: interlock runbook log ${number}`
        : 'It has no log, or its log was deleted because of its age.',
    );
  for (const pullRequest of pullRequests) say(`#${pullRequest.number}  ${pullRequest.url}`);
  say(url);
  document(documentOf(runbook));
}

function documentOf({ number, title, status, url, problem, stepCounts, pullRequests }: RunbookRowFragment): object {
  return {
    number,
    title,
    status: status.toLowerCase(),
    url,
    problem,
    steps: stepCounts,
    pullRequests: pullRequests.map((pullRequest) => ({ number: pullRequest.number, url: pullRequest.url })),
  };
}
