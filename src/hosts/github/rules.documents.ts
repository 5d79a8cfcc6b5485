// GraphQL documents about the rules of branches. A test validates each of them against GitHub's schema.

export const readRequiredDeployments = `
  query RequiredDeployments($owner: String!, $repo: String!, $ref: String!) {
    repository(owner: $owner, name: $repo) {
      databaseId
      ref(qualifiedName: $ref) { branchProtectionRule { requiresDeployments requiredDeploymentEnvironments } }
    }
  }`;
