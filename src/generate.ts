// `npm run generate`: writes the generated files. `--check` writes nothing and names the files that are not up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateFacade } from '../rest-facade/generate.ts';
import { configurationMarkdown } from './domain/configuration/index.ts';
import { metricsMarkdown } from './domain/metrics/markdown.ts';
import { retentionMarkdown } from './domain/retention/markdown.ts';
import { emitSchema } from './graphql/emit.ts';
import { userActionsMarkdown } from './modules/accounts/index.ts';
import { projectRoot } from './platform/project-root.ts';

async function main(): Promise<number> {
  const isCheck = process.argv.includes('--check');
  const schema = emitSchema();
  const { openApi, types } = await generateFacade(schema);
  const { bundleAction } = (await import(pathToFileURL(join(projectRoot, 'action', 'build.mjs')).href)) as {
    readonly bundleAction: () => Promise<string>;
  };
  const files: Readonly<Record<string, string>> = {
    'schema/schema.graphql': schema,
    'schema/openapi.yaml': openApi,
    'rest-facade/generated/openapi.d.ts': types,
    'action/dist/index.mjs': await bundleAction(),
    'docs/configuration.md': configurationMarkdown(),
    'docs/metrics.md': metricsMarkdown(),
    'docs/retention.md': retentionMarkdown(),
    'docs/user-actions.md': userActionsMarkdown(),
  };
  const stale: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const file = join(projectRoot, path);
    const there = await readFile(file, 'utf8').catch(() => null);
    if (there === text) continue;
    stale.push(path);
    if (!isCheck) await writeFile(file, text);
  }
  if (stale.length === 0) console.log('Everything generated is up to date.');
  else
    console.log(
      isCheck ? `Not up to date: ${stale.join(', ')}. Run npm run generate.` : `Written: ${stale.join(', ')}`,
    );
  return isCheck && stale.length > 0 ? 1 : 0;
}

if (process.argv.includes('--help')) {
  console.log(
    'Usage: npm run generate [-- --check]\n\nWrites the generated files. --check only names those that are not up to date.',
  );
  process.exit(0);
}
process.exit(await main());
