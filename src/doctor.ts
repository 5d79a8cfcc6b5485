// `npm run doctor -- <owner>/<name>`: proves by reversible probes that a repository can land pull requests, and names the
// cure for what is missing; exit 1 when something is.
import { Command } from 'commander';
import color from 'picocolors';
import type { Finding } from './domain/doctor/finding.ts';
import { StartError } from './launcher/start-error.ts';
import { examineRepository } from './modules/queue/index.ts';
import { contextOf, repositoryOf, runTool, withService } from './tool.ts';

const program = new Command('npm run doctor --')
  .description('Proves that a repository can land pull requests, and names the cure for what is missing.')
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
  const findings: Finding[] = [];
  await withService({ dataDir: data, databaseUrl }, async (service) => {
    const ctx = await contextOf(service, account);
    const repository = await repositoryOf(ctx, name);
    if (repository === null) throw new StartError(`There is no repository ${name}.`);
    await examineRepository(ctx, repository, (finding) => {
      findings.push(finding);
      if (!json) say(finding);
    });
  });
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length;
  const isReady = count('missing') === 0;
  if (json) console.log(JSON.stringify({ repository: name, isReady, findings }, null, 2));
  else console.log(`\n${count('ok')} ok, ${count('warning')} to look at, ${count('missing')} missing.`);
  return isReady ? 0 : 1;
}

const shown = {
  ok: color.green('ok     '),
  warning: color.yellow('warning'),
  missing: color.red('missing'),
} as const satisfies Record<Finding['state'], string>;

function say({ probe, state, words, cure }: Finding): void {
  console.log(`${shown[state]}  ${probe}: ${words}`);
  if (cure !== null) console.log(cure.replaceAll(/^/gm, '         '));
}

runTool(main);
