// The refusals of GitHub that do not depend on rules of the branch: files that are too large, and changes of workflows
// by an App without the permission for workflows.
import type { RefRefusal, RefRequest, Rules } from './rules.ts';

const largestFile = 100 * 1024 * 1024;
const mebibyte = 1024 * 1024;

export const pushRules: Rules = async (request) => {
  const { changes, via } = request;
  const kept = via === 'api' ? refuseDeletedDefault(request) : [];
  if (kept.length > 0) return kept;
  const pushed = changes.flatMap(({ to }) => (to === null ? [] : [to]));
  if (pushed.length === 0) return [];
  const known = changes.flatMap(({ from }) => (from === null ? [] : [`^${from}`]));
  const range = [...pushed, ...known, '--not', '--glob=refs/heads/*'];
  const byWorkflow = await refuseWorkflows(request, range);
  if (byWorkflow.length > 0 || via !== 'push') return byWorkflow;
  return await refuseLargeFiles(request, range);
};

function refuseDeletedDefault({ changes, repository }: RefRequest): RefRefusal[] {
  return changes
    .filter(({ ref, to }) => to === null && ref === `refs/heads/${repository.defaultBranch}`)
    .map(({ ref }) => ({
      ref,
      reason: '',
      remote: [],
      api: { status: 422, message: 'Cannot delete the default branch' },
    }));
}

async function refuseWorkflows({ actor, changes, git }: RefRequest, range: readonly string[]): Promise<RefRefusal[]> {
  const changesWorkflows =
    actor.kind === 'installation' &&
    (actor.token.permissions ?? actor.installation.permissions)['workflows'] !== 'write';
  const workflow = changesWorkflows ? await findWorkflow(git, range) : null;
  if (workflow === null) return [];
  const reason = `refusing to allow a GitHub App to create or update workflow \`${workflow}\` without \`workflows\` permission`;
  return changes.map(({ ref }) => ({ ref, reason, remote: [], api: { status: 403, message: reason } }));
}

async function refuseLargeFiles(
  { changes, repository, git }: RefRequest,
  range: readonly string[],
): Promise<RefRefusal[]> {
  const large = await findLargeFile(git, range);
  if (large === null) return [];
  const size = (large.size / mebibyte).toFixed(2);
  const remote = [
    'error: Trace: emulator',
    'error: See https://gh.io/lfs for more information.',
    `error: File ${large.path} is ${size} MB; this exceeds GitHub's file size limit of 100.00 MB`,
    'error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.',
  ];
  const message = `Repository ${repository.name} was pushed a file that is too large.`;
  return changes.map(({ ref }) => ({
    ref,
    reason: 'pre-receive hook declined',
    remote,
    api: { status: 422, message },
  }));
}

type Git = RefRequest['git'];

async function findWorkflow(git: Git, range: readonly string[]): Promise<string | null> {
  const args = ['log', '--format=', '--name-only', '-m', '--first-parent', ...range, '--', '.github/workflows'];
  const { stdout } = await git(args, { env: { GIT_LITERAL_PATHSPECS: '0' } });
  return stdout.toString('utf8').split('\n').find(Boolean) ?? null;
}

async function findLargeFile(git: Git, range: readonly string[]): Promise<{ path: string; size: number } | null> {
  const { stdout } = await git(['rev-list', '--objects', ...range]);
  const objects = stdout.toString('utf8').split('\n').filter(Boolean);
  const stdin = objects.map((line) => `${line.slice(0, 40)}\n`).join('');
  const checked = await git(['cat-file', '--batch-check=%(objecttype) %(objectsize)'], { stdin });
  for (const [index, line] of checked.stdout.toString('utf8').split('\n').entries()) {
    const [type, size = '0'] = line.split(' ');
    if (type === 'blob' && Number(size) > largestFile)
      return { path: objects[index]?.slice(41) ?? '', size: Number(size) };
  }
  return null;
}
