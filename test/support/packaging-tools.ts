// The programs and schemas that check the chart, the Dockerfile and compose.yaml. They are installed once, from the files
// in the folder `packaging`, which pin each version and its checksum: Helm and the parser of Compose are compiled by Go,
// hadolint and the schemas of Kubernetes come by pip, and the schemas of KEDA and of the Prometheus operator by npm.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { defaultCacheDirectory, fillOnce } from '../../src/launcher/cache-directory.ts';

const run = promisify(execFile);
const pins = fileURLToPath(new URL('packaging', import.meta.url));
/** Compiling Helm takes minutes on a busy machine. */
const longestInstallMs = 1_500_000;

export interface PackagingTools {
  readonly helm: string;
  readonly composeSpec: string;
  readonly hadolint: string;
  /** A folder for each version of Kubernetes, such as `v1.30.0-local-strict`. */
  readonly kubernetesSchemas: string;
  /** The `node_modules` with the models of KEDA and of the Prometheus operator. */
  readonly models: string;
}

/** The versions of Kubernetes whose schemas are kept: the oldest that the chart allows, and the newest known one. */
export const kubernetesVersions = ['1.30.0', '1.37.0'] as const;

export async function findPackagingTools(): Promise<PackagingTools> {
  const [go, python, npm] = [
    await installed('go', ['go.mod', 'go.sum'], compile),
    await installed('pip', ['requirements.txt'], installByPip),
    await installed('npm', ['package.json', 'package-lock.json'], installByNpm),
  ];
  return {
    helm: join(go, 'helm'),
    composeSpec: join(go, 'compose-spec'),
    hadolint: join(python, 'bin', 'hadolint'),
    kubernetesSchemas: join(python, 'kubernetes_validate', 'kubernetes-json-schema'),
    models: join(npm, 'node_modules'),
  };
}

/** Returns the folder of what `files` pin. It is filled if it does not exist. */
async function installed(
  by: string,
  files: readonly string[],
  install: (draft: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(join(pins, file)));
  const name = `packaging-${by}-${digest.digest('hex').slice(0, 12)}-${process.platform}-${process.arch}`;
  const folder = join(defaultCacheDirectory(), name);
  if (!existsSync(folder)) await fillOnce(folder, install);
  return folder;
}

async function compile(draft: string): Promise<void> {
  const programs = { helm: 'helm.sh/helm/v3/cmd/helm', 'compose-spec': 'github.com/compose-spec/compose-go/v2/cmd' };
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' };
  for (const [name, path] of Object.entries(programs))
    await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(draft, name), path], {
      cwd: pins,
      env,
      timeout: longestInstallMs,
    }).catch((cause: unknown) => {
      throw new Error(`${name} could not be compiled. Its compiler is Go 1.26 or newer.`, { cause });
    });
}

async function installByPip(draft: string): Promise<void> {
  const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-deps'];
  const pinned = ['--require-hashes', '--only-binary', ':all:', '-r', join(pins, 'requirements.txt')];
  const args = ['-m', 'pip', 'install', ...options, ...pinned, '--no-compile', '--target', draft];
  await run('python3', args, { timeout: longestInstallMs });
  // The package has the schemas of every version in two strictnesses, which take 300 MB.
  const schemas = join(draft, 'kubernetes_validate', 'kubernetes-json-schema');
  const kept = kubernetesVersions.map((version) => `v${version}-local-strict`);
  for (const name of await readdir(schemas))
    if (!kept.some((each) => each === name)) await rm(join(schemas, name), { recursive: true });
}

async function installByNpm(draft: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json']) await cp(join(pins, file), join(draft, file));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', args, { cwd: draft, timeout: longestInstallMs });
}
