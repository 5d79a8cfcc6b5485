// GraphQL documents about checks. A test validates each of them against GitHub's schema.

/** All attempts are read, because their number is the attempt of a check. */
const checkRuns = `
  fragment CheckRuns on CheckRunConnection {
    nodes { databaseId name status conclusion startedAt completedAt permalink title summary }
    pageInfo { hasNextPage endCursor }
  }`;

/** The checks of a commit. The cursor `$after` is null in documents about several commits. */
export const commitChecks = `
  fragment CommitChecks on Commit {
    message
    checkSuites(first: 100, after: $after) {
      nodes {
        id
        status
        conclusion
        updatedAt
        app { databaseId slug }
        workflowRun { event createdAt url workflow { name databaseId } }
        checkRuns(first: 100, filterBy: {checkType: ALL}) { ...CheckRuns }
      }
      pageInfo { hasNextPage endCursor }
    }
    status { contexts { context state description targetUrl createdAt creator { __typename login } } }
  }
  ${checkRuns}`;

export const readCommitChecks = `
  query CommitChecks($owner: String!, $repo: String!, $commit: GitObjectID!, $after: String) {
    repository(owner: $owner, name: $repo) { databaseId object(oid: $commit) { ...CommitChecks } }
  }
  ${commitChecks}`;

export const readFurtherRuns = `
  query FurtherRuns($suite: ID!, $after: String) {
    node(id: $suite) {
      ... on CheckSuite { checkRuns(first: 100, after: $after, filterBy: {checkType: ALL}) { ...CheckRuns } }
    }
  }
  ${checkRuns}`;
