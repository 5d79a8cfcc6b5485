import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';

const folder = join(projectRoot, 'dist', 'graphiql');

it('the bundle of GraphiQL is complete and loads nothing from other servers, and a second build does nothing', async () => {
  const { buildGraphiql } = await import('../../src/graphiql/build.mjs');
  await buildGraphiql(folder);
  expect(await buildGraphiql(folder)).toBe(false);
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(loaded.length).toBeGreaterThan(1);
  for (const address of loaded) expect(address).toMatch(/^(\/graphiql\/|data:)/);
  expect(brotliDecompressSync(readFileSync(join(folder, 'index.html.br'))).toString()).toBe(page);
  const assets = readdirSync(join(folder, 'assets'));
  for (const kind of [/^index-.*\.js$/, /^graphql\.worker-.*\.js$/, /^json\.worker-.*\.js$/, /^editor\.worker-.*\.js$/])
    expect(assets.some((name) => kind.test(name))).toBe(true);
  for (const name of assets.filter((each) => each.endsWith('.css'))) {
    expect(readFileSync(join(folder, 'assets', name), 'utf8')).not.toMatch(/(?:url\(|@import)\s*["']?(?:https?:)?\/\//);
  }
});
