// `npm run import -- <path or URL of any git repository> [owner/name]`: brings it into the local host.
import { basename, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Context } from './context.ts';
import { HostRefused } from './hosts/port.ts';
import { calledAs } from './launcher/called-as.ts';
import { StartError } from './launcher/start-error.ts';
import { hosted, syncBase } from './modules/queue/index.ts';
import { changeActivity, createRepository, deleteRepository } from './modules/repositories/index.ts';
import type { RepositoryRow } from './modules/repositories/repositories.entities.ts';
import { callersFolder, contextOf, repositoryOf, runTool, splitName, withService } from './tool.ts';

const program = new Command(calledAs('import'))
  .description(
    'Brings any git repository into the local host: branches and tags. Again: moves them to where the source has them.',
  )
  .argument('<source>', 'path or URL of a git repository')
  .argument('[owner/name]', 'what it is called here; default: imported/<name of the source>')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .addOption(new Option('--database-url <url>', 'a PostgreSQL of yours').env('DATABASE_URL'))
  .option('--account <name>', 'account, where there are several');

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
  await withService({ dataDir: data, databaseUrl }, async (service) => {
    const ctx = await contextOf(service, account);
    const known = await repositoryOf(ctx, `${owner}/${name}`);
    if (known?.deactivatedAt)
      throw new StartError(
        `The repository ${owner}/${name} is out of use: take it into use by setRepositoryActive first.`,
      );
    // A mistyped source leaves no repository behind.
    if (known === null) await service.localHost.assertImportable(from).catch(rethrowAsStartError);
    const repository = known ?? (await createRepository(ctx, { owner, name, host: 'local' }));
    const imported = await service.localHost
      .importRepository(hosted(repository), from)
      .catch(async (error: unknown) => {
        // Nor does an import that breaks midway.
        if (known === null) await discard(ctx, repository);
        return rethrowAsStartError(error);
      });
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await tx.query('update repository set default_branch = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        repository.id,
        imported.defaultBranch,
      ]);
    });
    await service.settle();
    await syncBase(ctx, hosted(repository), imported.defaultBranch);
    const counts = `${count(imported.branches, 'branch', 'branches')}, ${count(imported.tags, 'tag', 'tags')}`;
    console.log(`${owner}/${name}: ${counts}; pull requests land on ${imported.defaultBranch}.`);
  });
  return 0;
}

async function discard(ctx: Context, { id, owner, name }: RepositoryRow): Promise<void> {
  await changeActivity(ctx, id, false);
  await deleteRepository(ctx, { owner, name });
}

function rethrowAsStartError(error: unknown): never {
  throw error instanceof HostRefused ? new StartError(error.message) : error;
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

runTool(main);
