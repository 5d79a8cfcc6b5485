// Finds the Chromiums that can be used: those of the machine, and the one from npm. The one from npm is compressed, and
// is unpacked into the cache at its first use.
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import type { BrowserProgram } from '../platform/driving/index.ts';
import { fillOnce } from './cache-directory.ts';
import { unpackTar } from './tar.ts';

export interface ChromiumSearch {
  /** The folders to search, in the format of PATH. */
  readonly path: string;
  readonly cacheDir: string;
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Returns the programs in the order in which they should be tried. A program with the right name may still be no
 * browser.
 */
export async function findChromiums({ path, cacheDir }: ChromiumSearch): Promise<readonly BrowserProgram[]> {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const there = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...(process.platform === 'darwin' ? applications : []),
  ].filter((program) => existsSync(program));
  const ofMachine = there.map((program) => ({
    name: program,
    prepare: async () => ({ path: program, env: {} }),
  }));
  const shipped = await findShipped();
  return shipped === null ? ofMachine : [...ofMachine, ...programsOf(shipped, cacheDir)];
}

interface Shipped {
  readonly folder: string;
  readonly version: string;
}

const packageName = '@sparticuz/chromium';

/** The Chromium from npm. Null: it does not support this platform, or is not installed. */
async function findShipped(): Promise<Shipped | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'bin'), version };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function programsOf(shipped: Shipped, cacheDir: string): readonly BrowserProgram[] {
  const folder = join(cacheDir, `chromium-${shipped.version}-${process.platform}-${process.arch}`);
  let unpacking: Promise<void> | null = null;
  const prepare = async (env: Readonly<Record<string, string>>): ReturnType<BrowserProgram['prepare']> => {
    if (!existsSync(folder)) {
      unpacking ??= fillOnce(folder, async (draft) => await unpack(shipped.folder, draft, folder)).finally(() => {
        unpacking = null;
      });
      await unpacking;
    }
    return { path: join(folder, 'chromium'), env: { FONTCONFIG_FILE: join(folder, 'fonts.conf'), ...env } };
  };
  const name = `the Chromium ${shipped.version} that comes with Interlock`;
  // The Chromium is tried with the machine's libraries first, because they fit its libc, and then with those of the
  // package, in case the machine lacks some.
  return [
    { name, prepare: async () => await prepare({}) },
    {
      name: `${name}, with its own libraries`,
      prepare: async () => await prepare({ LD_LIBRARY_PATH: join(folder, 'lib') }),
    },
  ];
}

async function unpack(source: string, draft: string, folder: string): Promise<void> {
  await pipeline(
    createReadStream(join(source, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(join(draft, 'chromium'), { mode: 0o755 }),
  );
  for (const archive of ['al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'])
    await unpackArchive(join(source, archive), draft);
  await writeFile(join(draft, 'fonts.conf'), fontsOf(join(folder, 'fonts')));
}

async function unpackArchive(archive: string, folder: string): Promise<void> {
  await unpackTar(archive, ['-xf', '-', '--no-same-owner', '-C', folder], async (into) => {
    await pipeline(createReadStream(archive), createBrotliDecompress(), into);
  });
}

/** A configuration with the machine's fonts and the package's font. Without any font, pages would show no text. */
function fontsOf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}
