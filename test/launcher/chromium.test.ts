import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findChromiums } from '../../src/launcher/chromium.ts';
import { temporaryDirectory } from './processes.ts';

const isShippedHere = process.platform === 'linux' && process.arch === 'x64';

test('a Chromium of the machine is preferred to that of Interlock', async () => {
  const folder = await temporaryDirectory();
  const own = join(folder, 'bin', 'google-chrome');
  await mkdir(join(folder, 'bin'));
  await writeFile(own, '', { mode: 0o755 });
  const path = `/nowhere:${join(folder, 'bin')}:`;
  const [first, ...rest] = await findChromiums({ path, cacheDir: join(folder, 'cache') });
  expect(first?.name).toBe(own);
  expect(await first?.prepare()).toEqual({ path: own, env: {} });
  expect(rest.some(({ name }) => name.includes('comes with Interlock'))).toBe(isShippedHere);
  expect(existsSync(join(folder, 'cache')), 'unpacked before it is wanted').toBe(false);
});

test('the Chromium of Interlock is unpacked once, even if several processes need it at the same moment', async () => {
  const cacheDir = await temporaryDirectory();
  const shipped = (await Promise.all([1, 2].map(async () => await findChromiums({ path: '', cacheDir }))))
    .flat()
    .filter(({ name }) => name.includes('comes with Interlock'));
  expect(shipped).toHaveLength(isShippedHere ? 4 : 0);
  const prepared = await Promise.all(shipped.map(async (program) => await program.prepare()));
  const again = await shipped[0]?.prepare();
  expect(again).toEqual(prepared[0]);
  expect(new Set(prepared.map(({ path }) => path)).size).toBe(isShippedHere ? 1 : 0);
  // The copy of the process that came second is deleted.
  expect(readdirSync(cacheDir)).toHaveLength(isShippedHere ? 1 : 0);
  for (const { path, env } of prepared) {
    expect(existsSync(path)).toBe(true);
    const fonts = /<dir>(.*)<\/dir>/.exec(readFileSync(env['FONTCONFIG_FILE'] ?? '', 'utf8'))?.[1] ?? '';
    expect(existsSync(join(fonts, 'Open_Sans', 'OpenSans-Regular.ttf'))).toBe(true);
    if (env['LD_LIBRARY_PATH'] !== undefined) expect(existsSync(join(env['LD_LIBRARY_PATH'], 'libnss3.so'))).toBe(true);
  }
});
