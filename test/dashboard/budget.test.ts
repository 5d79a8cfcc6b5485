// How much a browser loads before the queue is shown.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';

const folder = join(projectRoot, 'dist', 'dashboard');
const maxBytes = 200 * 1024;

/** Returns the script and style files that the page loads before anything is clicked, with their static imports. */
async function firstLoad(name = 'index.html'): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const page = await readFile(join(folder, name), 'utf8');
  const ahead = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (files.has(path)) continue;
    const content = await readFile(join(folder, path));
    files.set(path, content);
    for (const [, name = ''] of content.toString().matchAll(/(?:from|import)\s?"\.\/([\w.-]+\.js)"/g))
      ahead.push(`assets/${name}`);
  }
  return files;
}

function sizeOf(files: ReadonlyMap<string, Buffer>): number {
  return [...files.values()].reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
}

describe('the built dashboard', () => {
  it('loads at most 200 KB of script and style before the queue is shown', async () => {
    const files = await firstLoad();
    expect([...files.keys()].filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0);
    expect(sizeOf(files), [...files.keys()].join(', ')).toBeLessThanOrEqual(maxBytes);
  });

  it('loads at most 40 KB of script and style for the page of an embed link', async () => {
    const files = await firstLoad('embed.html');
    expect([...files.keys()].filter((path) => path.endsWith('.js')).length).toBeGreaterThan(0);
    expect(sizeOf(files), [...files.keys()].join(', ')).toBeLessThanOrEqual(40 * 1024);
  });

  it('has no script or style inside the page, and a compressed file beside each file', async () => {
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)/);
    const names = await readdir(join(folder, 'assets'));
    const texts = names.filter((name) => /\.(?:js|css|svg)$/.test(name));
    expect(texts.length).toBeGreaterThan(0);
    for (const name of texts) expect(names).toContain(`${name}.br`);
  });

  it('loads nothing from another host', async () => {
    for (const [path, content] of await firstLoad()) {
      const hosts = [...content.toString().matchAll(/(?:fetch|import)\(["'`](https?:[^"'`]+)|url\((https?:[^)]+)\)/g)];
      expect(
        hosts.map(([match]) => match),
        path,
      ).toEqual([]);
    }
  });
});
