import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { bundleWorkflows } from '../../src/launcher/workflow-bundle.ts';
import { temporaryDirectory } from './processes.ts';

test('the bundle is made again only if a source has changed', async () => {
  // The sources are below node_modules, so that they find the SDK.
  const cache = fileURLToPath(new URL('../../node_modules/.cache/interlock', import.meta.url));
  await mkdir(cache, { recursive: true });
  const sources = await mkdtemp(join(cache, 'workflows-'));
  onTestFinished(() => rm(sources, { recursive: true, force: true }));
  const entry = join(sources, 'index.js');
  const outFile = join(await temporaryDirectory(), 'made', 'bundle.js');
  const bundle = () => bundleWorkflows({ entry, sources: [sources], outFile });
  await writeFile(entry, `export async function queue() { return 'first'; }`);
  expect([await bundle(), await bundle()]).toEqual([true, false]);
  expect(await readFile(outFile, 'utf8')).toContain('first');
  await writeFile(entry, `export async function queue() { return 'second'; }`);
  expect([await bundle(), await bundle()]).toEqual([true, false]);
  expect(await readFile(outFile, 'utf8')).toContain('second');
});
