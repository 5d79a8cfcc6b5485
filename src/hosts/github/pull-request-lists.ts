// The lists of a pull request, read to their end.
import type { Api } from './client.ts';
import { type Connection, joinPages } from './pages.ts';
import type { PullRequestAnswer } from './pull-request-facts.ts';
import * as documents from './pull-requests.documents.ts';

type Label = NonNullable<PullRequestAnswer['labels']>['nodes'][number];
type Review = NonNullable<PullRequestAnswer['latestOpinionatedReviews']>['nodes'][number];
type Thread = PullRequestAnswer['reviewThreads']['nodes'][number];
type BaseRef = NonNullable<PullRequestAnswer['baseRef']>;
type Rule = NonNullable<BaseRef['rules']>['nodes'][number];

/** The lists of a pull request, as far as they were read. */
interface Lists {
  readonly labels: Connection<Label> | null;
  readonly latestOpinionatedReviews: Connection<Review> | null;
  readonly reviewThreads: Connection<Thread>;
  readonly baseRef: (BaseRef & { readonly rules: Connection<Rule> | null }) | null;
}

/** GitHub's answer with the first page of each list. */
export type PullRequestPage = PullRequestAnswer & Lists;

interface FurtherAnswer {
  readonly repository: {
    readonly pullRequest:
      | (Omit<Lists, 'baseRef'> & { readonly baseRef: Pick<NonNullable<Lists['baseRef']>, 'rules'> | null })
      | null;
  } | null;
}

/** Reads the further pages of all lists together. No request is made if no list exceeds its first page. */
export async function readWholeLists(api: Api, first: PullRequestPage): Promise<PullRequestPage> {
  let seen = first;
  while (listsOf(seen).some((list) => list?.pageInfo.hasNextPage)) {
    const [labels, reviews, threads, rules] = listsOf(seen).map((list) => list?.pageInfo.endCursor ?? null);
    const answer = await api.graphql<FurtherAnswer>(documents.readFurtherLists, {
      number: seen.number,
      ...{ labels, reviews, threads, rules },
    });
    const next = answer.repository?.pullRequest ?? null;
    seen = {
      ...seen,
      labels: seen.labels && joinPages(seen.labels, next?.labels ?? null),
      latestOpinionatedReviews:
        seen.latestOpinionatedReviews &&
        joinPages(seen.latestOpinionatedReviews, next?.latestOpinionatedReviews ?? null),
      reviewThreads: joinPages(seen.reviewThreads, next?.reviewThreads ?? null),
      baseRef: seen.baseRef && {
        ...seen.baseRef,
        rules: seen.baseRef.rules && joinPages(seen.baseRef.rules, next?.baseRef?.rules ?? null),
      },
    };
  }
  return seen;
}

function listsOf({ labels, latestOpinionatedReviews, reviewThreads, baseRef }: Lists) {
  return [labels, latestOpinionatedReviews, reviewThreads, baseRef?.rules ?? null] as const;
}
