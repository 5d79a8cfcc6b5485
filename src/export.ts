// `npm run export -- <owner/name> --to <dir>`: exports data, for example before an erasure. Interlock may run
// meanwhile.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import color from 'picocolors';
import { exportTo } from './export-folder.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { assertGit } from './launcher/git-program.ts';
import { StartError } from './launcher/start-error.ts';
import { parseArguments, printResult, progressOf, runTool } from './run-tool.ts';
import { callersFolder, countRepositories, findDatabase } from './tool.ts';

const program = new Command(calledAs('export'))
  .description('Writes all of a repository, or of an account, into a new folder: rows as JSON, repositories as git.')
  .argument('[owner/name]', 'repository; without it, the whole account that --account names')
  .requiredOption('--to <dir>', 'a folder that is empty or does not exist')
  .option('--account <name>', 'account, where there are several')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--json', 'one JSON document instead of text')
  .addHelpText('after', examplesOf('export', 'acme/shop --to /tmp/shop', '--account acme --to /tmp/acme'));

interface Flags {
  readonly to: string;
  readonly account?: string;
  readonly data: string;
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

async function main(): Promise<number> {
  parseArguments(program);
  const [name] = program.args;
  const { to, account, data, databaseUrl, json } = program.opts<Flags>();
  if (name === undefined && account === undefined)
    throw new StartError('Name a repository as <owner>/<name>, or a whole account by --account <name>.', 'usage');
  const folder = resolve(callersFolder(), to);
  const dataDir = resolve(data);
  await assertGit();
  const database = await findDatabase(dataDir, databaseUrl);
  try {
    const of = { databaseUrl: database.url, dataDir, name, account };
    const { tables, repositories, exportedAt } = await exportTo(folder, progressOf({ json }), of);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    printResult({ json }, { folder, exportedAt, rows, repositories: repositories.length }, [
      color.green(`${rows} rows and ${countRepositories(repositories)} as of ${exportedAt} in ${folder}`),
      'The export contains no secrets and no tokens.',
    ]);
    return 0;
  } finally {
    await database.stop();
  }
}

runTool(main);
