// Writes a comment or a check at GitHub. It is created once and then edited. If the answer of the first call was lost,
// the created text is found and edited.
import { HostUnavailable } from '../port.ts';
import type { Database } from '../../platform/database.ts';
import { NotFoundAtGitHub } from './answers.ts';
import { claimHostText, digestOf, forgetHostText, releaseHostText, type HostTextKey } from './host-texts.rows.ts';

export interface HostText extends HostTextKey {
  readonly db: Database;
  readonly clock: () => Date;
  readonly version: number;
  /** The whole text, which is compared with the last written text. The same text is not sent twice. */
  readonly text: string;
  /** Finds the id of the text that an earlier call created. Null: there is none. */
  readonly find: () => Promise<string | null>;
  readonly create: () => Promise<string>;
  readonly edit: (githubId: string) => Promise<void>;
}

export async function writeHostText(keeping: HostText): Promise<void> {
  const { db, version } = keeping;
  const digest = digestOf(keeping.text);
  const claim = await claimHostText(db, keeping, { text: { version, digest }, now: keeping.clock() });
  if (claim.kind === 'done') return;
  if (claim.kind === 'busy')
    throw new HostUnavailable('Another process writes this text now', { retryAt: claim.until });
  let githubId: string | null = null;
  try {
    githubId = claim.githubId ?? (claim.mayBeThere ? await keeping.find() : null);
    if (githubId === null) githubId = await keeping.create();
    else await keeping.edit(githubId);
    await releaseHostText(db, keeping, { writer: claim.writer, written: { githubId, digest } });
  } catch (error) {
    if (error instanceof NotFoundAtGitHub && githubId !== null) {
      await forgetHostText(db, keeping);
      throw new HostUnavailable('Somebody deleted what is to be edited: it is written again', { cause: error });
    }
    // The next writer searches for the text that this call may have created.
    await releaseHostText(db, keeping, { writer: claim.writer, written: null }).catch(() => {});
    throw error;
  }
}
