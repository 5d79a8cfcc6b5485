// Decides whether a commit counts as verified. The emulator has no public keys of people, so every signed commit
// counts, and so does every commit that GitHub made.
import type { CommitFacts } from './store.ts';

const serviceEmail = 'noreply@github.com';

export function isVerified(commit: CommitFacts): boolean {
  return commit.isSigned || commit.committer.email === serviceEmail;
}
