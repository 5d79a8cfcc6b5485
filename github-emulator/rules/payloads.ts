// The webhooks of protections and rulesets.
import type { Core } from '../core.ts';
import type { BranchProtection } from '../model/types.ts';
import type { Part } from '../part.ts';
import type { Json } from '../render/accounts.ts';
import { readProtection } from './settings.ts';
import { renderBriefly } from './rulesets.rest.ts';

export function rulesPayloads(core: Core): NonNullable<Part['payloads']> {
  return {
    branch_protection_rule: ({ action, repository, protection }) => ({
      rule: renderRule(repository.id, protection),
      ...(action === 'edited' ? { changes: {} } : {}),
    }),
    repository_ruleset: ({ action, repository, ruleset }) => ({
      repository_ruleset: {
        ...renderBriefly(core, repository, ruleset),
        conditions: ruleset.conditions,
        rules: ruleset.rules,
        bypass_actors: ruleset.bypassActors,
      },
      ...(action === 'edited' ? { changes: {} } : {}),
    }),
  };
}

function renderRule(repositoryId: number, row: BranchProtection): Json {
  const protection = readProtection(row);
  const level = (isOn: boolean): string => (isOn ? 'everyone' : 'off');
  const { requiredChecks, requiredReviews, restrictions } = protection;
  return {
    id: row.id,
    repository_id: repositoryId,
    name: row.pattern,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    admin_enforced: protection.enforceAdmins,
    allow_deletions_enforcement_level: level(protection.deletions),
    allow_force_pushes_enforcement_level: level(protection.forcePushes),
    authorized_actor_names: [...(restrictions?.users ?? []), ...(restrictions?.apps ?? [])],
    authorized_actors_only: restrictions !== null,
    authorized_dismissal_actors_only: false,
    dismiss_stale_reviews_on_push: requiredReviews?.dismissStale ?? false,
    ignore_approvals_from_contributors: false,
    linear_history_requirement_enforcement_level: level(protection.linearHistory),
    merge_queue_enforcement_level: 'off',
    pull_request_reviews_enforcement_level: level(requiredReviews !== null),
    require_code_owner_review: requiredReviews?.codeOwners ?? false,
    require_last_push_approval: requiredReviews?.lastPush ?? false,
    required_approving_review_count: requiredReviews?.approvals ?? 0,
    required_conversation_resolution_level: level(protection.conversationResolution),
    required_deployments_enforcement_level: 'off',
    required_status_checks: (requiredChecks?.checks ?? []).map(({ context }) => context),
    required_status_checks_enforcement_level: level(requiredChecks !== null),
    signature_requirement_enforcement_level: level(protection.signatures),
    strict_required_status_checks_policy: requiredChecks?.strict ?? false,
  };
}
