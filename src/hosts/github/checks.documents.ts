// GraphQL documents about checks. A test validates each of them against GitHub's schema.

export const readCommitChecks = `
  query CommitChecks($owner: String!, $repo: String!, $commit: GitObjectID!) {
    repository(owner: $owner, name: $repo) {
      object(oid: $commit) {
        ... on Commit {
          message
          checkSuites(first: 100) {
            nodes {
              status
              conclusion
              app { databaseId slug }
              workflowRun { event url workflow { name } }
              checkRuns(first: 100, filterBy: {checkType: ALL}) {
                nodes { databaseId name status conclusion startedAt completedAt permalink title summary }
              }
            }
          }
          status { contexts { context state description targetUrl createdAt creator { __typename login } } }
        }
      }
    }
  }`;
