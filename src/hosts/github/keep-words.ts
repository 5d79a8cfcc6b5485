// Writes words that are kept at GitHub: once, edited in place, adopted where the answer of the first call was lost.
import { HostUnavailable } from '../port.ts';
import type { Database } from '../../platform/database.ts';
import { NotFoundAtGitHub } from './answers.ts';
import { claimWords, digestOf, forgetWords, releaseWords, type WordsKey } from './kept-words.rows.ts';

export interface Keeping extends WordsKey {
  readonly db: Database;
  readonly clock: () => Date;
  readonly version: number;
  /** The whole text for GitHub. The same text is not sent twice. */
  readonly words: string;
  /** What an earlier call has left at GitHub. Null: nothing. */
  readonly find: () => Promise<string | null>;
  readonly create: () => Promise<string>;
  readonly edit: (githubId: string) => Promise<void>;
}

export async function keepWords(keeping: Keeping): Promise<void> {
  const { db, version } = keeping;
  const digest = digestOf(keeping.words);
  const claim = await claimWords(db, keeping, { words: { version, digest }, now: keeping.clock() });
  if (claim.kind === 'done') return;
  if (claim.kind === 'busy')
    throw new HostUnavailable('Another process writes these words now', { retryAt: claim.until });
  let githubId: string | null = null;
  try {
    githubId = claim.githubId ?? (claim.mayBeThere ? await keeping.find() : null);
    if (githubId === null) githubId = await keeping.create();
    else await keeping.edit(githubId);
    await releaseWords(db, keeping, { writer: claim.writer, written: { githubId, digest } });
  } catch (error) {
    if (error instanceof NotFoundAtGitHub && githubId !== null) {
      await forgetWords(db, keeping);
      throw new HostUnavailable('Somebody deleted what is to be edited: it is written again', { cause: error });
    }
    // The next writer looks for what this call may have left.
    await releaseWords(db, keeping, { writer: claim.writer, written: null }).catch(() => {});
    throw error;
  }
}
