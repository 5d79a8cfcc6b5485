// Bundles GraphiQL from node_modules. Nothing is done when nothing has changed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const packages = ['graphiql', 'graphql', 'graphql-ws', 'react', 'react-dom', 'vite'];

/** True when something was built. */
export async function buildGraphiql(outDir) {
  const stampFile = join(outDir, '.stamp');
  const stamp = digest();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return false;
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: folder,
    base: '/graphiql/',
    logLevel: 'error',
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 20_000, modulePreload: { polyfill: false } },
  });
  writeFileSync(stampFile, stamp);
  return true;
}

function digest() {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  for (const name of packages)
    hash.update(readFileSync(join(folder, '..', '..', 'node_modules', name, 'package.json')));
  return hash.digest('hex');
}
