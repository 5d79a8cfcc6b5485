// `npm run import -- <path or URL> [owner/name]`: imports a git repository into the local host.
import { basename, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { importRepository } from './import-repository.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { callersFolder, contextOf, runTool, splitName, withService } from './tool.ts';

const program = new Command(calledAs('import'))
  .description(
    'Imports the branches and tags of any git repository into the local host. A second import moves them to their values at the source.',
  )
  .argument('<source>', 'path or URL of a git repository')
  .argument('[owner/name]', 'name of the repository in Interlock; default: imported/<name of the source>')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--account <name>', 'account, where there are several')
  .addHelpText('after', examplesOf('import', '../shop acme/shop', 'https://git.example.com/shop.git acme/shop'));

async function main(): Promise<number> {
  program.parse();
  const { data, databaseUrl, account } = program.opts<{ data: string; databaseUrl?: string; account?: string }>();
  const [source = '', named] = program.args;
  const path = resolve(callersFolder(), source);
  const from = existsSync(path) ? path : source;
  const { owner, name } = splitName(
    named ??
      `imported/${basename(from)
        .replace(/\.git$/, '')
        .replaceAll(/[^A-Za-z0-9._-]/g, '-')}`,
  );
  await withService({ dataDir: data, databaseUrl }, async (service, url) => {
    const ctx = await contextOf(service, account);
    const imported = await importRepository({ service, ctx, databaseUrl: url }, { owner, name }, from);
    const counts = `${count(imported.branches, 'branch', 'branches')}, ${count(imported.tags, 'tag', 'tags')}`;
    console.log(`${owner}/${name}: ${counts}; pull requests land on ${imported.defaultBranch}.`);
  });
  return 0;
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

runTool(main);
