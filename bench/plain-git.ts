// The baseline of `landing`. In a loop of a shell, git alone does the merges, the checks and the moves of refs that
// Interlock does for the same pull requests.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { importBranches } from './program.ts';

export interface PlainLandings {
  readonly seconds: number;
  readonly cpuSec: number;
}

// Each batch takes a merge and a commit for each pull request, a commit for the batch, a branch for the build, a
// checkout, a check, and one atomic update of the base branch, the landing ref and the branch of the build. Objects are
// as durable as with Interlock.
const loop = `set -eu
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
number=1
batch=1
while [ "$number" -le "$PULL_REQUESTS" ]; do
  base=$(git rev-parse refs/heads/main)
  tip=$base
  last=$((number + BATCH - 1))
  while [ "$number" -le "$last" ] && [ "$number" -le "$PULL_REQUESTS" ]; do
    tree=$(git merge-tree --write-tree "$tip" "refs/heads/change-$number")
    tip=$(git commit-tree "$tree" -p "$tip" -m "Change $number")
    number=$((number + 1))
  done
  commit=$(git commit-tree "$tree" -p "$base" -p "$tip" -m "Batch $batch")
  git update-ref "refs/heads/build-$batch" "$commit"
  git clone --quiet --shared --no-checkout . "$FOLDER/$batch"
  git -C "$FOLDER/$batch" checkout --quiet --detach "$commit"
  (cd "$FOLDER/$batch" && sh -c true)
  rm -rf "$FOLDER/$batch"
  printf 'start\\nupdate refs/heads/main %s %s\\ncreate refs/landings/%s %s\\ndelete refs/heads/build-%s\\ncommit\\n' \\
    "$commit" "$base" "$batch" "$commit" "$batch" | git update-ref --stdin > "$FOLDER/said"
  batch=$((batch + 1))
done
times > "$FOLDER/times"
`;

export async function landPlainly(options: {
  readonly pullRequests: number;
  readonly batch: number;
}): Promise<PlainLandings> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-plain-'));
  const directory = join(folder, 'shop.git');
  const run = promisify(execFile);
  try {
    await run('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', directory]);
    await run('git', ['config', 'core.fsync', 'committed,loose-object,reference'], { cwd: directory });
    await importBranches(directory, options.pullRequests);
    const env = {
      ...process.env,
      PULL_REQUESTS: String(options.pullRequests),
      BATCH: String(options.batch),
      FOLDER: folder,
    };
    const began = performance.now();
    await run('sh', ['-c', loop], { cwd: directory, env });
    const seconds = (performance.now() - began) / 1_000;
    return { seconds, cpuSec: secondsOf(await readFile(join(folder, 'times'), 'utf8')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the output of the shell's `times`: user and system time of the shell, then of its children. */
function secondsOf(text: string): number {
  return [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, sec]) => sum + Number(minutes) * 60 + Number(sec),
    0,
  );
}
