// Turns a webhook of GitHub into hints. Pure. A hint only says what changed. The facts are read from GitHub afterwards,
// so the order and the number of deliveries do not matter.

interface WebhookApp {
  readonly id?: number;
}

/** The fields of a payload that are read. Each of them may be missing. */
export interface WebhookPayload {
  readonly action?: string;
  readonly ref?: string;
  /** The commit of a pushed ref before the push. */
  readonly before?: string;
  /** Whether a push deleted its ref. */
  readonly deleted?: boolean;
  readonly sha?: string;
  readonly number?: number;
  readonly installation?: { readonly id?: number } | null;
  readonly repository?: { readonly id?: number } | null;
  readonly pull_request?: { readonly number?: number } | null;
  readonly issue?: { readonly number?: number; readonly pull_request?: unknown } | null;
  readonly check_run?: { readonly head_sha?: string; readonly app?: WebhookApp | null } | null;
  readonly check_suite?: { readonly head_sha?: string; readonly app?: WebhookApp | null } | null;
  readonly comment?: { readonly user?: { readonly type?: string } | null } | null;
  readonly workflow_run?: { readonly head_sha?: string } | null;
}

export type WebhookHint =
  | { readonly kind: 'push'; readonly ref: string }
  | { readonly kind: 'deletion'; readonly ref: string; readonly commit: string }
  | { readonly kind: 'pull_request'; readonly number: number }
  | { readonly kind: 'comment'; readonly number: number }
  | { readonly kind: 'checks'; readonly commit: string }
  | { readonly kind: 'rules' };

export interface WebhookNews {
  /** GitHub's id of the repository that changed. Null: the webhook is not about a repository. */
  readonly repositoryId: string | null;
  readonly installationId: string | null;
  readonly hints: readonly WebhookHint[];
  /** Whether the installation or its list of repositories has changed, so that the list must be read again. */
  readonly changesInstallation: boolean;
}

const aboutInstallations: ReadonlySet<string> = new Set(['installation', 'installation_repositories', 'repository']);

/** Reads a webhook. Changes that the App with the id `ownAppId` made itself give no hints. */
export function readWebhook(event: string, payload: WebhookPayload, ownAppId: string | null = null): WebhookNews {
  return {
    repositoryId: idOf(payload.repository?.id),
    installationId: idOf(payload.installation?.id),
    hints: isOwn(payload, ownAppId) ? [] : hintsOf(event, payload),
    changesInstallation: aboutInstallations.has(event),
  };
}

function isOwn({ check_run, check_suite, comment }: WebhookPayload, ownAppId: string | null): boolean {
  const app = check_run?.app ?? check_suite?.app;
  return (app?.id !== undefined && String(app.id) === ownAppId) || comment?.user?.type === 'Bot';
}

function hintsOf(event: string, payload: WebhookPayload): WebhookHint[] {
  switch (event) {
    case 'push':
      return payload.ref === undefined
        ? []
        : [...deletionsOf(payload.ref, payload), { kind: 'push', ref: payload.ref }];
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_thread':
      return numbered('pull_request', payload.pull_request?.number);
    case 'issue_comment':
      // Only new comments on pull requests can be commands. Edited comments and comments on issues cannot.
      return payload.action === 'created' && payload.issue?.pull_request
        ? numbered('comment', payload.issue.number)
        : [];
    case 'check_run':
      return checksOf(payload.check_run?.head_sha);
    case 'check_suite':
      return checksOf(payload.check_suite?.head_sha);
    case 'status':
      return checksOf(payload.sha);
    case 'workflow_run':
      return checksOf(payload.workflow_run?.head_sha);
    case 'branch_protection_rule':
    case 'repository_ruleset':
      return [{ kind: 'rules' }];
    default:
      return [];
  }
}

function numbered(kind: 'pull_request' | 'comment', number: number | undefined): WebhookHint[] {
  return number === undefined ? [] : [{ kind, number }];
}

function deletionsOf(ref: string, { deleted, before }: WebhookPayload): WebhookHint[] {
  return deleted === true && isCommit(before) ? [{ kind: 'deletion', ref, commit: before }] : [];
}

function checksOf(commit: string | undefined): WebhookHint[] {
  return isCommit(commit) ? [{ kind: 'checks', commit }] : [];
}

function isCommit(commit: string | undefined): commit is string {
  return commit !== undefined && /^[0-9a-f]{40}$/.test(commit);
}

function idOf(id: number | undefined): string | null {
  return id === undefined ? null : String(id);
}
