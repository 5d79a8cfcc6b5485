// Whether a commit counts as verified. The emulator knows no public keys of people: every signature counts, and so do
// the commits that GitHub makes itself.
import type { CommitFacts } from './store.ts';

const serviceEmail = 'noreply@github.com';

export function isVerified(commit: CommitFacts): boolean {
  return commit.isSigned || commit.committer.email === serviceEmail;
}
