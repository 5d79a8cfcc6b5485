// `npm run import -- <path or URL> [owner/name]`: imports a git repository into the local host.
import { basename, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { importRepository } from './import-repository.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { createTicker } from './launcher/ticker.ts';
import { parseArguments, printResult, runTool } from './run-tool.ts';
import { callersFolder, contextOf, splitName, withService } from './tool.ts';

const program = new Command(calledAs('import'))
  .description(
    'Imports the branches and tags of any git repository into the local host. A second import moves them to their values at the source.',
  )
  .argument('<source>', 'path or URL of a git repository')
  .argument('[owner/name]', 'name of the repository in Interlock; default: imported/<name of the source>')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
  .option('--account <name>', 'account, where there are several')
  .option('--json', 'one JSON document instead of text')
  .addHelpText('after', examplesOf('import', '../shop acme/shop', 'https://git.example.com/shop.git acme/shop'));

interface Flags {
  readonly data: string;
  readonly databaseUrl?: string;
  readonly account?: string;
  readonly json?: boolean;
}

async function main(): Promise<number> {
  parseArguments(program);
  const { data, databaseUrl, account, json } = program.opts<Flags>();
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
    const ticker = createTicker(process.stderr);
    const target = { service, ctx, databaseUrl: url, onProgress: ticker.show };
    const imported = await importRepository(target, { owner, name }, from).finally(ticker.end);
    const { branches, tags, defaultBranch } = imported;
    const counts = `${count(branches, 'branch', 'branches')}, ${count(tags, 'tag', 'tags')}`;
    printResult({ json }, { repository: `${owner}/${name}`, branches, tags, defaultBranch }, [
      `${owner}/${name}: ${counts}; pull requests land on ${defaultBranch}.`,
    ]);
  });
  return 0;
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

runTool(main);
