// `npm run verify -- <owner>/<name>`: derives every proof again from git and rows; exit 1 when one does not hold.
import { Command } from 'commander';
import color from 'picocolors';
import { verifyRepository } from './modules/queue/index.ts';
import { StartError } from './launcher/start-error.ts';
import { contextOf, repositoryOf, runTool, withService } from './tool.ts';

const program = new Command('npm run verify --')
  .description('Derives every landing’s proof again, from plain git and the records.')
  .argument('<owner/name>', 'repository')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .option('--database-url <url>', 'a PostgreSQL of yours', process.env['DATABASE_URL'])
  .option('--account <name>', 'account, where there are several')
  .option('--json', 'one JSON document instead of text');

async function main(): Promise<number> {
  program.parse();
  const { data, databaseUrl, account, json } = program.opts<{
    data: string;
    databaseUrl?: string;
    account?: string;
    json?: boolean;
  }>();
  const name = program.args[0] ?? '';
  const verifications = await withService({ dataDir: data, databaseUrl }, async (service) => {
    const ctx = await contextOf(service, account);
    const repository = await repositoryOf(ctx, name);
    if (repository === null) throw new StartError(`There is no repository ${name}.`);
    return await verifyRepository(ctx, repository);
  });
  if (json) console.log(JSON.stringify(verifications, null, 2));
  else for (const verification of verifications) say(verification);
  if (!json && verifications.length === 0) console.log(`${name}: no branch is managed yet.`);
  return verifications.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

function say({
  baseBranch,
  commits,
  grades,
  pullRequests,
  failures,
}: Awaited<ReturnType<typeof verifyRepository>>[number]): void {
  const counts = Object.entries(grades)
    .map(([grade, count]) => `${count} ${grade}`)
    .join(', ');
  console.log(
    `${baseBranch}: ${commits} first-parent commits, ${pullRequests} pull requests: ${counts || 'nothing landed yet'}`,
  );
  for (const failure of failures) console.log(color.red(`  ${failure}`));
  console.log(
    failures.length === 0
      ? color.green('  every proof was derived again from git and the records')
      : color.red(`  ${failures.length} do not hold`),
  );
}

runTool(main);
