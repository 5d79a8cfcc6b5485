// Installs Schemathesis if it is missing, and runs it. Schemathesis makes requests from an OpenAPI document, and
// compares the answers with the document. `node scripts/schemathesis.mjs --seeds 1,2,3 --examples 100` starts a server
// with a repository, and runs all checks once for each seed. `--operations CreateRelease,GetRunbook` tests only these.
// With `--url` and `--token` it runs against the server at that address.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SetupError, findNode, finish, isHelpShown, root, runForeground, toolEnvironment } from './toolchain.mjs';

const own = join(root, 'scripts', 'schemathesis');
const requirements = join(own, 'requirements.txt');
const installLimitMs = 180_000;

/** Finds or installs Schemathesis. If neither is possible, throws a SetupError with the reason. */
export function findSchemathesis({ log = console.log, env = process.env } = {}) {
  const python = findPython(env);
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cacheDirectory(env), `schemathesis-${digest}-${python.version}`);
  if (!existsSync(folder)) {
    log(`Schemathesis: installing it by pip (once, about 60 MB).`);
    install(python.program, folder, env);
  }
  const hooks = {
    PYTHONPATH: [folder, own].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    SCHEMATHESIS_HOOKS: 'interlock_hooks',
  };
  return { program: python.program, env: { ...env, ...hooks } };
}

function findPython(env) {
  const reasons = [];
  for (const name of ['python3', 'python']) {
    const probe = 'import sys, pip; print("%d.%d" % sys.version_info[:2])';
    const [version, reason] = tried(() => execFileSync(name, ['-c', probe], { env, encoding: 'utf8', stdio: 'pipe' }));
    if (version === undefined) {
      reasons.push(`${name}: ${reason}`);
      continue;
    }
    const [major, minor] = version.trim().split('.').map(Number);
    if (major === 3 && minor >= 10) return { program: name, version: version.trim() };
    reasons.push(`${name} is ${version.trim()}`);
  }
  throw new SetupError(`Schemathesis needs Python 3.10 or newer with pip (${reasons.join('; ')}).`);
}

function install(python, folder, env) {
  const draft = `${folder}.${process.pid}`;
  const flags = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-deps'];
  mkdirSync(draft, { recursive: true });
  try {
    const [, reason] = tried(() =>
      execFileSync(python, ['-m', 'pip', 'install', ...flags, '--target', draft, '-r', requirements], {
        env,
        encoding: 'utf8',
        stdio: 'pipe',
        timeout: installLimitMs,
      }),
    );
    if (reason !== undefined) throw new SetupError(`pip could not install Schemathesis: ${reason}`);
    // If another process has installed Schemathesis meanwhile, its copy is used.
    tried(() => renameSync(draft, folder));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function tried(work) {
  try {
    return [work(), undefined];
  } catch (error) {
    return [undefined, error.code === 'ETIMEDOUT' ? 'no answer in time' : lastLine(error)];
  }
}

function lastLine(error) {
  return String(error.stderr || error.message)
    .trim()
    .split('\n')
    .at(-1);
}

// Repeats the rule of src/launcher/cache-directory.ts, because this file runs before anything is compiled.
function cacheDirectory(env) {
  if (env.INTERLOCK_CACHE) return env.INTERLOCK_CACHE;
  if (process.getuid?.() === 0) return '/var/cache/interlock';
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'interlock');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'interlock');
}

/**
 * Runs every check of Schemathesis with `examples` examples for each operation. Resolves with the printed text and the
 * tested cases. `phases`, `operations`: empty means all.
 */
export async function runSchemathesis(
  tool,
  { url, token, examples, phases = [], operations = [], seed, log = () => {} },
) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-schemathesis-'));
  const report = join(folder, 'report.json');
  const args = [
    ...[
      '-m',
      'schemathesis.cli',
      '--config-file',
      join(own, 'settings.toml'),
      'run',
      `${url}/schema/openapi.yaml`,
      '--url',
      url,
    ],
    ...['--header', `Authorization: Bearer ${token}`, '--checks', 'all', '--max-examples', String(examples)],
    ...['--seed', String(seed)],
    ...(phases.length > 0 ? ['--phases', phases.join()] : []),
    ...operations.flatMap((id) => ['--include-operation-id', id]),
    ...['--continue-on-failure', '--no-color'],
    // PostgreSQL cannot store U+0000, so every text with it is refused. A JSON Schema cannot say this in one place.
    ...['--generation-allow-x00', 'false', '--generation-database', 'none'],
    ...['--report-json-path', report],
  ];
  try {
    const { status, output } = await runQuietly(tool, args, log);
    return { status, output, report: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runQuietly({ program, env }, args, log) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
        log(text);
      });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}

async function main() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      examples: { type: 'string', default: '100' },
      seeds: { type: 'string', default: '1' },
      operations: { type: 'string', default: '' },
    },
  });
  if (!values.url) {
    const node = findNode();
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const env = {
      ...toolEnvironment(node),
      SCHEMATHESIS_EXAMPLES: values.examples,
      SCHEMATHESIS_SEEDS: values.seeds,
      SCHEMATHESIS_OPERATIONS: values.operations,
    };
    return runForeground(node, [program, 'run', 'test/rest/schemathesis.test.ts'], { env });
  }
  if (!values.token) throw new SetupError('Give the token of an account by --token, in addition to --url.');
  return await runAtAddress(values);
}

/** The exit code is that of the first seed that found a failure. */
async function runAtAddress({ url, token, examples, seeds, operations }) {
  const tool = findSchemathesis();
  const log = (text) => process.stdout.write(text);
  let failed = 0;
  for (const seed of seeds.split(',')) {
    const chosen = { url, token, examples, seed, operations: operations.split(',').filter(Boolean) };
    const { status } = await runSchemathesis(tool, { ...chosen, log });
    failed ||= status ?? 1;
  }
  return failed;
}

const usage = `Usage: node scripts/schemathesis.mjs [--url <address> --token <token>] [--examples <number>] [--seeds <numbers>]
         [--operations <ids>]

Runs Schemathesis, which makes requests from the OpenAPI document of the service and compares the answers with it. Without
--url, it starts a server with a repository and tests that. Each operation gets --examples requests (100 unless given) for
each of --seeds (1 unless given), such as 1,2,3. --operations: only the operations with these operationIds, such as
GetRunbook,CreateRelease.`;

if (process.argv[1] === fileURLToPath(import.meta.url) && !isHelpShown(process.argv.slice(2), usage)) finish(main());
