// GitHub's answers about the checks of a commit.

export interface CheckRunAnswer {
  readonly databaseId: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly permalink: string;
  readonly title: string | null;
  readonly summary: string | null;
}

export interface CheckSuiteAnswer {
  readonly status: string;
  readonly app: { readonly databaseId: number | null; readonly slug: string } | null;
  readonly conclusion: string | null;
  readonly updatedAt: string;
  readonly workflowRun: {
    readonly event: string;
    /** The instant of the first attempt. All attempts test the same commit. */
    readonly createdAt: string;
    readonly url: string;
    readonly workflow: { readonly name: string; readonly databaseId: number };
  } | null;
  readonly checkRuns: { readonly nodes: readonly CheckRunAnswer[] } | null;
}

export interface StatusAnswer {
  readonly context: string;
  readonly state: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly createdAt: string;
  /** Null: the account was deleted. */
  readonly creator: { readonly __typename: string; readonly login: string } | null;
}

export interface CommitChecks {
  /** The message of the commit. */
  readonly message: string;
  readonly suites: readonly CheckSuiteAnswer[];
  /** Whether GitHub has further suites, runs or statuses, which were not read because they are too many. */
  readonly isCut: boolean;
  /** The newest status of each name. */
  readonly statuses: readonly StatusAnswer[];
  /** Every status that was reported, or the newest ones if `isCut`, the oldest first. The states are in lower case. */
  readonly statusHistory: readonly PastStatus[];
}

export interface PastStatus {
  readonly context: string;
  readonly state: string;
}
