// A GitHub App and its installations. The modules of the service store them as rows and pass them to this host.
import type { HostRepository } from '../port.ts';

export interface GitHubApp {
  readonly id: string;
  /** The App's name in URLs. Its bot account is `<slug>[bot]`. */
  readonly slug: string;
  readonly clientId: string;
  /** In PEM format. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://<server>/api/v3`. No slash at the end. */
  readonly apiUrl: string;
  /** `https://github.com`, or the server. No slash at the end. */
  readonly webUrl: string;
}

export interface GitHubInstallation {
  /** GitHub's id of the installation. */
  readonly id: string;
  readonly app: GitHubApp;
}

/** Finds the installation for a repository. Null: the App is not installed on the repository any more. */
export type FindInstallation = (repository: HostRepository) => Promise<{
  readonly installation: GitHubInstallation;
  /** GitHub's id of the repository. */
  readonly githubId: string;
} | null>;

/** The permissions and events of the App. docs/github.md gives the reason for each. */
export const appPermissions = {
  metadata: 'read',
  contents: 'write',
  workflows: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'read',
  actions: 'write',
  administration: 'read',
  members: 'read',
} as const;

export const appEvents = [
  'push',
  'pull_request',
  'pull_request_review',
  'pull_request_review_thread',
  'issue_comment',
  'check_run',
  'check_suite',
  'status',
  'workflow_run',
  'repository',
  'branch_protection_rule',
  'repository_ruleset',
] as const;
