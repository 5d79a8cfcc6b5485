// The commands pause, resume, freeze and unfreeze.
import type { Api } from '../client/api.ts';
import {
  FreezeBranchesDocument,
  FreezeEnvironmentDocument,
  PauseBranchesDocument,
  PauseRepositoryDocument,
  UnfreezeBranchesDocument,
  UnfreezeEnvironmentDocument,
} from '../generated/operations.ts';
import { Failure } from '../output/failure.ts';
import {
  connect,
  examples,
  isConfirmed,
  nameOf,
  repositoryOf,
  addHarmOptions,
  type HarmOptions,
  type Invocation,
  type Registry,
} from './invocation.ts';

const branches = 'a base branch, or a glob of base branches';

export function addHaltCommands({ program, action }: Registry): void {
  addHarmOptions(program.command('pause'))
    .description('Stops validating and merging, in the repository or into some base branches.')
    .argument('[branches]', `${branches}; if left out, the whole repository`)
    .option('--message <text>', 'the message for the pull request at the top of the line; needs [branches]')
    .addHelpText('after', examples('interlock pause --yes', "interlock pause 'release/*' --message 'Waiting for QA'"))
    .action(action(pause));
  program
    .command('resume')
    .description('Ends a pause.')
    .argument('[branches]', `${branches}; if left out, the whole repository`)
    .addHelpText('after', examples('interlock resume', "interlock resume 'release/*'"))
    .action(action(resume));
  addHarmOptions(program.command('freeze'))
    .description('Forbids landings on base branches, or deployments to an environment.')
    .argument('<where>', `${branches}; with --project the name of an environment`)
    .option('--project <name>', 'release project of the environment')
    .option('--reason <text>', 'the reason, which everybody who waits can read')
    .option('--until <time>', 'when the freeze ends by itself, as 2031-01-31T18:00:00Z; if left out, it has no end')
    .addHelpText(
      'after',
      examples("interlock freeze main --reason 'Holidays' --yes", 'interlock freeze production --project shop'),
    )
    .action(action(freeze));
  program
    .command('unfreeze')
    .description('Ends a freeze that was made by hand. Freezes by a schedule stay.')
    .argument('<where>', `${branches}; with --project the name of an environment`)
    .option('--project <name>', 'release project of the environment')
    .addHelpText('after', examples('interlock unfreeze main', 'interlock unfreeze production --project shop'))
    .action(action(unfreeze));
}

interface PauseOptions extends HarmOptions {
  readonly message?: string;
}

/** The result of a command: the place, a sentence about the new state of the place, and a sentence about the impact. */
interface Halted {
  readonly where: string;
  readonly sentence: string;
  readonly impact: string | null;
  /** Whether the command only showed its impact, because of `--dry-run`. */
  readonly isDry?: boolean;
}

function report({ say, document }: Invocation, { where, sentence, impact, isDry = false }: Halted): void {
  if (!isDry) say(withImpact(sentence, impact));
  document({ where, done: !isDry, impact });
}

function withImpact(sentence: string, impact: string | null): string {
  return impact ? `${sentence} ${impact}` : sentence;
}

async function pause(invocation: Invocation, options: PauseOptions, pattern?: string): Promise<void> {
  const repository = await repositoryOf(invocation);
  if (pattern === undefined && options.message !== undefined)
    throw new Failure('usage', '--message belongs to a pause of branches. Name them: interlock pause <branches>', {
      field: 'message',
    });
  const set = await pausing(await connect(invocation), { repository, pattern, message: options.message });
  const where = pattern === undefined ? nameOf(repository) : `${nameOf(repository)} ${pattern}`;
  const { impact } = await set({ paused: true, preview: true });
  if (!(await isConfirmed(invocation, options, withImpact(`${where} would be paused.`, impact))))
    return report(invocation, { where, sentence: '', impact, isDry: true });
  await set({ paused: true, preview: false });
  report(invocation, { where, sentence: `${where} is paused.`, impact });
}

async function resume(invocation: Invocation, _: object, pattern?: string): Promise<void> {
  const repository = await repositoryOf(invocation);
  const set = await pausing(await connect(invocation), { repository, pattern, message: undefined });
  const where = pattern === undefined ? nameOf(repository) : `${nameOf(repository)} ${pattern}`;
  const { impact, isRepositoryPaused } = await set({ paused: false, preview: false });
  const sentence = isRepositoryPaused
    ? `No pause of branches holds ${where} any more, but all of ${nameOf(repository)} is paused. End that by: interlock resume`
    : `The pause of ${where} has ended.`;
  report(invocation, { where, sentence, impact });
}

/** Returns the impact, and whether the whole repository is paused, whatever the pauses of its branches say. */
type SetPause = (to: {
  readonly paused: boolean;
  readonly preview: boolean;
}) => Promise<{ readonly impact: string | null; readonly isRepositoryPaused: boolean }>;

async function pausing(
  api: Api,
  of: {
    readonly repository: Awaited<ReturnType<typeof repositoryOf>>;
    readonly pattern: string | undefined;
    readonly message: string | undefined;
  },
): Promise<SetPause> {
  const { repository, pattern, message } = of;
  return async (to) => {
    if (pattern === undefined) {
      const { pauseRepository } = await api.ask(PauseRepositoryDocument, { input: { repository, ...to } });
      return { impact: pauseRepository.impact?.sentence ?? null, isRepositoryPaused: to.paused };
    }
    const input = { repository, pattern, ...to, ...(message !== undefined && { pausedMessage: message }) };
    const { pauseBranches } = await api.ask(PauseBranchesDocument, { input });
    const { branchPause, impact } = pauseBranches;
    return { impact: impact?.sentence ?? null, isRepositoryPaused: branchPause.repository.paused };
  };
}

interface FreezeOptions extends HarmOptions {
  readonly project?: string;
  readonly reason?: string;
  readonly until?: string;
}

async function freeze(invocation: Invocation, options: FreezeOptions, where = ''): Promise<void> {
  const { project, reason } = options;
  const endsAt = instantOf(options.until);
  const detail = { ...(reason !== undefined && { reason }), ...(endsAt !== null && { endsAt }) };
  const api = await connect(invocation);
  const repository = project === undefined ? await repositoryOf(invocation) : null;
  const named = repository === null ? `${project}/${where}` : `${nameOf(repository)} ${where}`;
  const set = async (preview: boolean): Promise<string | null> => {
    if (repository === null) {
      const input = { project: project ?? '', environment: where, preview, ...detail };
      return (await api.ask(FreezeEnvironmentDocument, { input })).freezeEnvironment.impact?.sentence ?? null;
    }
    const input = { repository, baseBranches: where, preview, ...detail };
    return (await api.ask(FreezeBranchesDocument, { input })).freezeBranches.impact?.sentence ?? null;
  };
  const impact = await set(true).catch((error: unknown) => {
    throw error instanceof Failure && error.field === 'endsAt'
      ? new Failure(error.outcome, `--until ${options.until} is refused: ${error.message}`, error)
      : error;
  });
  // The impact on an environment names the environment and the freeze. The impact on base branches does not.
  const question = repository === null && impact !== null ? impact : withImpact(`${named} would be frozen.`, impact);
  if (!(await isConfirmed(invocation, options, question)))
    return report(invocation, { where: named, sentence: '', impact, isDry: true });
  await set(false);
  report(invocation, { where: named, sentence: `${named} is frozen.`, impact });
}

function instantOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const at = new Date(text);
  if (Number.isNaN(at.getTime()) || !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text))
    throw new Failure('usage', `--until must be a time with its zone, such as 2031-01-31T18:00:00Z, not ${text}.`, {
      field: 'endsAt',
    });
  return at.toISOString();
}

async function unfreeze(invocation: Invocation, { project }: FreezeOptions, where = ''): Promise<void> {
  const api = await connect(invocation);
  if (project !== undefined) {
    const { unfreezeEnvironment } = await api.ask(UnfreezeEnvironmentDocument, {
      input: { project, environment: where },
    });
    return reportUnfrozen(invocation, `${project}/${where}`, unfreezeEnvironment.deleted);
  }
  const repository = await repositoryOf(invocation);
  const { unfreezeBranches } = await api.ask(UnfreezeBranchesDocument, { input: { repository, baseBranches: where } });
  reportUnfrozen(invocation, `${nameOf(repository)} ${where}`, unfreezeBranches.deleted);
}

function reportUnfrozen(invocation: Invocation, where: string, count: number): void {
  const sentence = count === 0 ? `${where} had no freeze that was made by hand.` : `The freeze of ${where} has ended.`;
  report(invocation, { where, sentence, impact: null });
}
