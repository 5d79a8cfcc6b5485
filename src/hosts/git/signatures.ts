// Which commits carry a signature that git itself verifies. Whose signatures count is the operator's choice: a file of
// allowed signers for SSH; for OpenPGP the keys, trusted, of git's own home.
import type { Git } from './git.ts';
import { objectId } from './names.ts';

export async function countUnverifiedCommits(
  git: Git,
  directory: string,
  range: { readonly head: string; readonly base: string; readonly signersFile: string },
): Promise<number> {
  const marks = await git.text(directory, [
    '-c',
    `gpg.ssh.allowedSignersFile=${range.signersFile}`,
    'log',
    '--format=%G?',
    objectId(range.head),
    `^${objectId(range.base)}`,
    '--',
  ]);
  return marks.split('\n').filter((mark) => mark !== '' && mark !== 'G').length;
}
