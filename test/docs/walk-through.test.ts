// Runs the walk-throughs exactly as the documentation shows them: the built program in an empty folder, and a shell.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFlags } from '../../src/platform/node-flags.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { readPage } from './pages.ts';
import { isWalkThrough, walkThroughs } from './walk-throughs.ts';

const built = join(projectRoot, 'dist', 'programs');
const environment = {
  ...process.env,
  PATH: `${join(projectRoot, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Ada'],
      [`GIT_${who}_EMAIL`, 'ada@example.test'],
    ]),
  ),
};

let folder = '';
let interlock: ReturnType<typeof spawn> | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-docs-'));
  await chmod(folder, 0o755);
  // Has a free port and no demo. Otherwise it starts as `npm start` says.
  interlock = spawn(process.execPath, [...nodeFlags(), join(built, 'main.js'), '--port', '0', '--no-demo'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = collect(interlock);
  while (!existsSync(join(folder, '.interlock/access.json'))) {
    if (interlock.exitCode !== null) throw new Error(`Interlock did not start: ${said()}`);
    await delay(100);
  }
});

afterAll(async () => {
  if (interlock !== undefined && interlock.exitCode === null) {
    const ended = once(interlock, 'exit');
    interlock.kill('SIGINT');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

function collect(child: ReturnType<typeof spawn>): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => void chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

// `npm run` would work in the folder of the project and build it. This function runs the same program on the data of
// the test.
const npm = `npm() {
  test "$1 $2" = 'run -s' || { echo "a walk-through may only call npm run -s" >&2; return 2; }
  script=$3; shift 4
  node "${built}/$script.js" "$@"
}
interlock() { node "${projectRoot}/cli/bin.cjs" "$@"; }
`;

/** Runs the commands of a page in a shell, and returns the output. Throws the output if the shell fails. */
async function walk(path: string): Promise<string> {
  const { blocks } = readPage(path);
  const own = blocks.filter((block) => block.language === 'sh' && isWalkThrough(path, block));
  // The other pages use the definitions of URL, TOKEN, rest and graphql from the first page.
  const first = readPage(walkThroughs[0].path)
    .blocks.filter((block) => block.language === 'sh' && isWalkThrough(walkThroughs[0].path, block))
    .slice(0, 1);
  const script = [npm, ...(path === walkThroughs[0].path ? [] : first), ...own]
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('\n');
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = collect(shell);
  const [code] = (await once(shell, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The walk-through of ${path} ended with ${code}:\n${said()}`);
  return said();
}

// A walk-through takes a minute on a quiet machine. Each continues with the state that the one before has left, so a
// second try would prove nothing.
describe('a walk-through', { timeout: 300_000, retry: 0 }, () => {
  it('of docs/walk-through.md pushes, queues, merges two of three pull requests, and verifies', async () => {
    const said = await walk('docs/walk-through.md');
    expect(said).toContain('{"success":true}');
    const nodes = [...said.matchAll(/"number":(\d),"status":"([A-Z]+)","mergeCommit"/g)].map(([, number, status]) => [
      number,
      status,
    ]);
    expect(nodes.sort()).toEqual([
      ['1', 'MERGED'],
      ['2', 'MERGED'],
      ['3', 'BLOCKED'],
    ]);
    expect(said).toContain('A required check failed: prices.');
    // Batches have two members: the first two pull requests share a batch.
    expect(said).toMatch(/"members":\[\{"pullRequest":\{"number":1\}\},\{"pullRequest":\{"number":2\}\}\]/);
    expect(said).toContain('every proof was derived again from git and the records');
  });

  it.each(walkThroughs.slice(1).map(({ path }) => path))(
    'of %s succeeds after that of docs/walk-through.md',
    async (path) => {
      const said = await walk(path);
      expect(said).not.toContain('"errors"');
    },
  );
});
