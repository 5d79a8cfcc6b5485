// `npm run recover`: makes a restored database consistent with its newer repositories. It only prints the changes
// unless `--yes` is given.
import { Command, Option } from 'commander';
import color from 'picocolors';
import { calledAs, examplesOf, installationFlags } from './launcher/called-as.ts';
import { recoverInstallation, surveyRecovery, type Recovery } from './installation-recovery.ts';
import { parseArguments, printResult, runTool } from './run-tool.ts';
import { withService } from './tool.ts';

const program = new Command(calledAs('recover'))
  .description(
    'After a backup of the database was restored: takes over the landings since the backup, closes open deployments and builds of release candidates, stops open runbooks, and lets the queues continue. Run it only then.',
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
  const call = `${calledAs('recover')} ${installationFlags({ data, databaseUrl })} --yes`;
  return await withService({ dataDir: data, databaseUrl }, async ({ ports }) => {
    const { isNeeded, epoch, changes, left } = await (yes ? recoverInstallation : surveyRecovery)(ports);
    const listed = changes.map((line) => `  ${line}`);
    printResult({ json }, { isNeeded, done: epoch !== null, epoch, changes, left }, [
      ...left.map(leftText),
      ...(isNeeded
        ? []
        : [
            left.length > 0
              ? 'Nothing else to recover.'
              : 'Nothing to recover: the database knows everything that its repositories contain, and no deployment, build of a release candidate or runbook is open.',
          ]),
      ...(isNeeded && !yes ? ['To recover the restored database:'] : []),
      ...listed,
      ...(isNeeded && !yes ? [`Nothing was changed. Make the changes with: ${call}`] : []),
      ...(epoch === null
        ? []
        : [
            color.green(
              `Recovered: epoch ${epoch}. The queues go on; npm run verify counts what was taken over as external.`,
            ),
          ]),
    ]);
    return left.some(({ isActive }) => isActive) ? 1 : 0;
  });
}

function leftText({ repository, reason, isActive }: Recovery['left'][number]): string {
  const cure = isActive
    ? 'Run this command again when its code host answers, best before Interlock starts.'
    : 'It is inactive, so nothing lands in it.';
  return color.yellow(`${repository} cannot be recovered: ${reason} ${cure}`);
}

runTool(main);
