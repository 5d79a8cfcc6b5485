// `npm run recover`: makes a restored database consistent with its newer repositories. It only prints the changes
// unless `--yes` is given.
import { Command, Option } from 'commander';
import color from 'picocolors';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { recoverDatabase, surveyInstallation, type Survey } from './modules/queue/index.ts';
import { countOpenDeployments, closeOpenDeployments } from './modules/releases/index.ts';
import { countOpenRunbooks, stopOpenRunbooks } from './modules/runbooks/index.ts';
import { runTool, withService } from './tool.ts';

const program = new Command(calledAs('recover'))
  .description(
    'After a backup of the database was restored: takes over the landings since the backup, and lets the queues continue.',
  )
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--yes', 'make the changes; without --yes, only print them', false)
  .addHelpText('after', examplesOf('recover', '--data .interlock-restored', '--data .interlock-restored --yes'));

async function main(): Promise<number> {
  program.parse();
  const { data, databaseUrl, yes } = program.opts<{ data: string; databaseUrl?: string; yes: boolean }>();
  return await withService({ dataDir: data, databaseUrl }, async (service) => {
    if (!yes) {
      const survey = await surveyInstallation(service.ports);
      if (!survey.isNeeded) return sayNothing();
      console.log('The database is older than its repositories. To recover:');
      for (const line of describeSurvey(survey)) console.log(`  ${line}`);
      const open = await countOpenDeployments(service.ports);
      if (open > 0) console.log(`  ${describeOpen(open)}`);
      const runbooks = await countOpenRunbooks(service.ports);
      if (runbooks > 0) console.log(`  ${describeRunbooks(runbooks)}`);
      console.log(`Nothing was changed. Make the changes with: ${calledAs('recover')} --yes`);
      return 0;
    }
    const recovered = await recoverDatabase(service.ports);
    if (recovered === null) return sayNothing();
    for (const line of describeSurvey(recovered.survey)) console.log(`  ${line}`);
    const open = await closeOpenDeployments(service.ports);
    if (open > 0) console.log(`  ${describeOpen(open)}`);
    const runbooks = await stopOpenRunbooks(service.ports);
    if (runbooks > 0) console.log(`  ${describeRunbooks(runbooks)}`);
    console.log(
      color.green(
        `Recovered: epoch ${recovered.epoch}. The queues go on; npm run verify counts what was taken over as external.`,
      ),
    );
    return 0;
  });
}

function sayNothing(): number {
  console.log('Nothing to recover: the database knows everything that its repositories contain.');
  return 0;
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

function describeOpen(open: number): string {
  return `set ${count(open, 'open deployment')} to unknown: report how they ended, or deploy again`;
}

function describeRunbooks(open: number): string {
  return `stop ${count(open, 'open runbook')}: look at the branches, then retry`;
}

function count(n: number, what: string): string {
  return n === 1 ? `one ${what}` : `${n} ${what}s`;
}

runTool(main);
