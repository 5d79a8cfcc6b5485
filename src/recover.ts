// `npm run recover`: makes a restored database consistent with its newer repositories. It only prints the changes
// unless `--yes` is given.
import { Command, Option } from 'commander';
import color from 'picocolors';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { recoverDatabase, surveyInstallation, type Survey } from './modules/queue/index.ts';
import { countOpenDeployments, closeOpenDeployments } from './modules/releases/index.ts';
import { countOpenRunbooks, stopOpenRunbooks } from './modules/runbooks/index.ts';
import type { Service } from './service.ts';
import { parseArguments, printResult, runTool } from './run-tool.ts';
import { withService } from './tool.ts';

const program = new Command(calledAs('recover'))
  .description(
    'After a backup of the database was restored: takes over the landings since the backup, and lets the queues continue.',
  )
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--yes', 'make the changes; without --yes, only print them', false)
  .option('--json', 'one JSON document instead of text')
  .addHelpText('after', examplesOf('recover', '--data .interlock-restored', '--data .interlock-restored --yes'));

interface Flags {
  readonly data: string;
  readonly databaseUrl?: string;
  readonly yes: boolean;
  readonly json?: boolean;
}

async function main(): Promise<number> {
  parseArguments(program);
  const { data, databaseUrl, yes, json } = program.opts<Flags>();
  return await withService({ dataDir: data, databaseUrl }, async (service) => {
    const { isNeeded, epoch, changes } = yes ? await recover(service) : await survey(service);
    const listed = changes.map((line) => `  ${line}`);
    printResult({ json }, { isNeeded, done: epoch !== null, epoch, changes }, [
      ...(isNeeded ? [] : ['Nothing to recover: the database knows everything that its repositories contain.']),
      ...(isNeeded && !yes ? ['The database is older than its repositories. To recover:'] : []),
      ...listed,
      ...(isNeeded && !yes ? [`Nothing was changed. Make the changes with: ${calledAs('recover')} --yes`] : []),
      ...(epoch === null
        ? []
        : [
            color.green(
              `Recovered: epoch ${epoch}. The queues go on; npm run verify counts what was taken over as external.`,
            ),
          ]),
    ]);
    return 0;
  });
}

interface Recovery {
  readonly isNeeded: boolean;
  /** The new epoch of the event log. Null: nothing was changed. */
  readonly epoch: number | null;
  /** What was changed, or without `--yes` what would be changed. */
  readonly changes: readonly string[];
}

const notNeeded: Recovery = { isNeeded: false, epoch: null, changes: [] };

async function survey({ ports }: Service): Promise<Recovery> {
  const found = await surveyInstallation(ports);
  if (!found.isNeeded) return notNeeded;
  const open = await countOpenDeployments(ports);
  const runbooks = await countOpenRunbooks(ports);
  return { isNeeded: true, epoch: null, changes: [...describeSurvey(found), ...describeOpen(open, runbooks)] };
}

async function recover({ ports }: Service): Promise<Recovery> {
  const recovered = await recoverDatabase(ports);
  if (recovered === null) return notNeeded;
  const open = await closeOpenDeployments(ports);
  const runbooks = await stopOpenRunbooks(ports);
  const changes = [...describeSurvey(recovered.survey), ...describeOpen(open, runbooks)];
  return { isNeeded: true, epoch: recovered.epoch, changes };
}

function describeSurvey({ repositories }: Survey): string[] {
  const lines = [
    'begin a new epoch: cursors into the event log given out before expire; ids go on past all that were used',
  ];
  for (const { repository, queues, strays } of repositories) {
    for (const { baseBranch, landings, pushed, liveBatches, impossible, isHalted } of queues) {
      const at = `${repository} ${baseBranch}:`;
      for (const { ref, commit, merges } of landings) {
        const merged =
          merges.length === 0 ? 'no pull request on record' : merges.map(({ number }) => `#${number}`).join(', ');
        lines.push(`${at} take over ${ref} at ${commit.commit}: ${merged}`);
      }
      for (const { number, commit } of pushed) lines.push(`${at} #${number} is merged, by a push, with ${commit}`);
      if (impossible.length > 0)
        lines.push(`${at} give up ${count(impossible.length, 'landing')} whose number was used by another batch`);
      if (liveBatches > 0)
        lines.push(
          `${at} start ${count(liveBatches, 'build')} again; a landing that had started is ended by the queue`,
        );
      if (isHalted || landings.length > 0) lines.push(`${at} read the tip again and resume`);
    }
    for (const { ref } of strays)
      lines.push(`${repository}: delete ${ref}, which no batch knows, and close its pull request`);
  }
  return lines;
}

function describeOpen(deployments: number, runbooks: number): string[] {
  return [
    ...(deployments > 0
      ? [`set ${count(deployments, 'open deployment')} to unknown: report how they ended, or deploy again`]
      : []),
    ...(runbooks > 0 ? [`stop ${count(runbooks, 'open runbook')}: look at the branches, then retry`] : []),
  ];
}

function count(n: number, what: string): string {
  return n === 1 ? `one ${what}` : `${n} ${what}s`;
}

runTool(main);
