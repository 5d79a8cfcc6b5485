// GraphQL documents about pull requests. A test validates each of them against GitHub's schema.

const lists = `
  fragment Labels on LabelConnection { nodes { name } pageInfo { hasNextPage endCursor } }
  fragment Reviews on PullRequestReviewConnection {
    nodes { state author { login } }
    pageInfo { hasNextPage endCursor }
  }
  fragment Threads on PullRequestReviewThreadConnection { nodes { isResolved } pageInfo { hasNextPage endCursor } }
  fragment Rules on RepositoryRuleConnection {
    nodes { parameters { ... on PullRequestParameters { requiredApprovingReviewCount } } }
    pageInfo { hasNextPage endCursor }
  }`;

export const pullRequestFacts = `
  fragment PullRequestFacts on PullRequest {
    number title body url state isDraft createdAt mergedAt
    author { __typename login }
    headRefName headRefOid isCrossRepository
    headRepository { name owner { login } }
    baseRefName
    baseRef {
      refUpdateRule { requiresCodeOwnerReviews requiredApprovingReviewCount }
      rules(first: 100) { ...Rules }
    }
    mergeCommit { oid }
    labels(first: 100) { ...Labels }
    reviewDecision
    latestOpinionatedReviews(first: 100, writersOnly: true) { ...Reviews }
    reviewThreads(first: 100) { ...Threads }
    timelineItems(last: 1, itemTypes: [REOPENED_EVENT]) { nodes { ... on ReopenedEvent { createdAt } } }
    baseChanges: timelineItems(last: 1, itemTypes: [BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT]) {
      nodes { ... on BaseRefChangedEvent { createdAt } ... on AutomaticBaseChangeSucceededEvent { createdAt } }
    }
  }
  ${lists}`;

/** The next page of each list of `PullRequestFacts`. */
export const readFurtherLists = `
  query FurtherLists(
    $owner: String!, $repo: String!, $number: Int!
    $labels: String, $reviews: String, $threads: String, $rules: String
  ) {
    repository(owner: $owner, name: $repo) {
      databaseId
      pullRequest(number: $number) {
        labels(first: 100, after: $labels) { ...Labels }
        latestOpinionatedReviews(first: 100, after: $reviews, writersOnly: true) { ...Reviews }
        reviewThreads(first: 100, after: $threads) { ...Threads }
        baseRef { rules(first: 100, after: $rules) { ...Rules } }
      }
    }
  }
  ${lists}`;

export const readPullRequest = `
  query PullRequest($owner: String!, $repo: String!, $number: Int!) {
    repository(owner: $owner, name: $repo) { databaseId pullRequest(number: $number) { ...PullRequestFacts } }
  }
  ${pullRequestFacts}`;

// A page of 41 pull requests with six lists each costs two points of the rate limit. A page of 42 costs three.
export const listPullRequests = `
  query PullRequests($owner: String!, $repo: String!, $head: String, $after: String) {
    repository(owner: $owner, name: $repo) {
      databaseId
      pullRequests(first: 41, after: $after, states: [OPEN], headRefName: $head, orderBy: {field: CREATED_AT, direction: ASC}) {
        nodes { ...PullRequestFacts }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
  ${pullRequestFacts}`;

export const readLabelHistory = `
  query LabelHistory($owner: String!, $repo: String!, $number: Int!, $before: String) {
    repository(owner: $owner, name: $repo) {
      databaseId
      pullRequest(number: $number) {
        timelineItems(last: 100, before: $before, itemTypes: [LABELED_EVENT, UNLABELED_EVENT]) {
          pageInfo { hasPreviousPage startCursor }
          nodes {
            __typename
            ... on LabeledEvent { createdAt label { name } actor { __typename login ... on User { databaseId } } }
            ... on UnlabeledEvent { createdAt label { name } actor { __typename login ... on User { databaseId } } }
          }
        }
      }
    }
  }`;

export const listThreads = `
  query Threads($owner: String!, $repo: String!, $number: Int!, $after: String) {
    repository(owner: $owner, name: $repo) {
      databaseId
      pullRequest(number: $number) {
        reviewThreads(first: 100, after: $after) {
          nodes { id isResolved comments(first: 1) { nodes { body createdAt author { login } } } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }`;

export const listComments = `
  query Comments($owner: String!, $repo: String!, $number: Int!, $after: String) {
    repository(owner: $owner, name: $repo) {
      databaseId
      pullRequest(number: $number) {
        comments(first: 100, after: $after) {
          nodes { body createdAt lastEditedAt author { __typename login } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }`;

export const readSignature = `
  query Signature($owner: String!, $repo: String!, $commit: GitObjectID!) {
    repository(owner: $owner, name: $repo) { databaseId object(oid: $commit) { ... on Commit { oid signature { isValid } } } }
  }`;

export const readEditors = `
  query Editors($ids: [ID!]!) {
    nodes(ids: $ids) { ... on IssueComment { id author { login } editor { login } } }
  }`;
