// The type of a pull request as its page reads it.
import type { PullRequestPageQuery } from '../generated/queue.ts';

export type PullRequest = NonNullable<NonNullable<PullRequestPageQuery['repository']>['pullRequest']>;
