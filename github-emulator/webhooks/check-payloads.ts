// The payloads of webhooks about checks, statuses, workflow runs and rules.
import type { Core } from '../core.ts';
import type { BranchProtection, Repository } from '../model/types.ts';
import type { Part } from '../part.ts';
import type { Json } from '../render/accounts.ts';
import {
  renderCheckRun,
  renderCheckSuite,
  renderRuleset,
  renderWorkflow,
  renderWorkflowRun,
} from '../render/checks.ts';
import { renderCommit } from '../render/commits.ts';
import { repositoryUrl } from '../render/repositories.ts';
import type { HostEvent } from './events.ts';

export function createCheckPayloads(core: Core): NonNullable<Part['payloads']> {
  return {
    check_run: ({ repository, checkRun }) => {
      const { id, headSha, headBranch, status, conclusion } = core.state.checkSuites.must(checkRun.checkSuiteId);
      const suite = { id, head_sha: headSha, head_branch: headBranch, status, conclusion };
      return { check_run: { ...renderCheckRun(core, repository, checkRun), check_suite: suite } };
    },
    check_suite: async ({ repository, checkSuite }) => {
      const { repository: _shown, ...suite } = await renderCheckSuite(core, repository, checkSuite);
      return { check_suite: suite };
    },
    status: async (event) => await renderStatusEvent(core, event),
    workflow_run: async ({ repository, run }) => {
      const workflow = core.state.workflows.must(run.workflowId);
      return {
        workflow_run: await renderWorkflowRun(core, repository, run),
        workflow: renderWorkflow(core, repository, workflow),
      };
    },
    branch_protection_rule: ({ action, repository, protection }) => ({
      rule: renderRule(repository, protection),
      ...(action === 'edited' ? { changes: {} } : {}),
    }),
    repository_ruleset: ({ repository, ruleset }) => ({ repository_ruleset: renderRuleset(core, repository, ruleset) }),
  };
}

async function renderStatusEvent(core: Core, { repository, status }: HostEvent & { name: 'status' }): Promise<Json> {
  const commit = await core.git.readCommit(repository, status.sha);
  const refs = await core.git.text(repository, ['for-each-ref', `--points-at=${status.sha}`, '--format=%(refname)']);
  const branches = refs
    .split('\n')
    .filter((ref) => ref.startsWith('refs/heads/'))
    .map((ref) => ({
      name: ref.slice('refs/heads/'.length),
      commit: { sha: status.sha, url: `${repositoryUrl(core, repository)}/commits/${status.sha}` },
      protected: false,
    }));
  return {
    id: status.id,
    sha: status.sha,
    name: repository.name,
    context: status.context,
    description: status.description,
    state: status.state,
    target_url: status.targetUrl,
    created_at: status.createdAt,
    updated_at: status.updatedAt,
    branches,
    commit: commit === null ? null : renderCommit(core, repository, commit),
  };
}

/** Renders a protection in the flat form that only this webhook has. */
function renderRule(repository: Repository, protection: BranchProtection): Json {
  const { settings } = protection;
  const of = (name: string): Record<string, unknown> | null =>
    (settings[name] as Record<string, unknown> | null | undefined) ?? null;
  const level = (isOn: boolean): string =>
    isOn ? (settings['enforce_admins'] === true ? 'everyone' : 'non_admins') : 'off';
  const reviews = of('required_pull_request_reviews');
  const checks = of('required_status_checks');
  const contexts = (checks?.['checks'] as { context: string }[] | undefined)?.map(({ context }) => context) ?? [];
  return {
    id: protection.id,
    repository_id: repository.id,
    name: protection.pattern,
    created_at: protection.createdAt,
    updated_at: protection.updatedAt,
    admin_enforced: settings['enforce_admins'] === true,
    allow_deletions_enforcement_level: level(settings['allow_deletions'] === true),
    allow_force_pushes_enforcement_level: level(settings['allow_force_pushes'] === true),
    authorized_actor_names: [],
    authorized_actors_only: of('restrictions') !== null,
    authorized_dismissal_actors_only: false,
    dismiss_stale_reviews_on_push: reviews?.['dismiss_stale_reviews'] === true,
    ignore_approvals_from_contributors: false,
    linear_history_requirement_enforcement_level: level(settings['required_linear_history'] === true),
    lock_branch_enforcement_level: level(settings['lock_branch'] === true),
    merge_queue_enforcement_level: 'off',
    pull_request_reviews_enforcement_level: level(reviews !== null),
    require_code_owner_review: reviews?.['require_code_owner_reviews'] === true,
    required_approving_review_count: Number(reviews?.['required_approving_review_count'] ?? 0),
    required_conversation_resolution_level: level(settings['required_conversation_resolution'] === true),
    required_deployments_enforcement_level: 'off',
    required_status_checks: contexts.length > 0 ? contexts : (checks?.['contexts'] ?? []),
    required_status_checks_enforcement_level: level(checks !== null),
    signature_requirement_enforcement_level: level(settings['required_signatures'] === true),
    strict_required_status_checks_policy: checks?.['strict'] === true,
  };
}
