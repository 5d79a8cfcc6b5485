// The first commit of a new repository.
import type { Core } from '../core.ts';
import type { Account, Repository } from '../model/types.ts';
import { makeCommit, signatureOf } from './commits.ts';

/** Commits files, given by their paths, to the default branch, and emits the event of the push. Returns the commit. */
export async function commitFirst(
  core: Core,
  repository: Repository,
  { sender, files }: { readonly sender: Account; readonly files: Readonly<Record<string, string>> },
): Promise<string> {
  const env = { GIT_INDEX_FILE: `${core.git.directoryOf(repository)}/index-${core.state.nextId()}` };
  for (const [path, text] of Object.entries(files)) {
    const blob = await core.git.text(repository, ['hash-object', '-w', '--stdin'], { stdin: text });
    await core.git.run(repository, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env });
  }
  const tree = await core.git.text(repository, ['write-tree'], { env });
  const author = signatureOf(core, sender);
  const to = await makeCommit(core, repository, { tree, parents: [], message: 'Initial commit', author });
  const change = { ref: `refs/heads/${repository.defaultBranch}`, from: null, to };
  await core.git.updateRefs(repository, [change]);
  core.emit({ name: 'push', repository, sender, change, isForced: false });
  return to;
}
