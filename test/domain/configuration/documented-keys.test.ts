// The keys of configuration files of other merge queues, listed by hand. Interlock acts on each key, or refuses it by
// its name with a reason.
import { expect, it } from 'vitest';
import { configurationSchema } from '../../../src/domain/configuration/index.ts';
import { listKeys } from '../../../src/domain/configuration/key.ts';
import { documentWith, problemsOf } from './support.ts';
import { keyTable } from './keys.table.ts';

const documented = `
version scenarios verify.exempt_paths verify.preview
merge_rules.labels.trigger merge_rules.labels.skip_line merge_rules.labels.merge_failed merge_rules.labels.skip_delete_branch
merge_rules.preconditions.number_of_approvals merge_rules.preconditions.required_checks
merge_rules.preconditions.use_github_mergeability merge_rules.preconditions.conversation_resolution_required
merge_rules.preconditions.require_verified_commits merge_rules.preconditions.validations
merge_rules.merge_mode.type
merge_rules.merge_mode.parallel_mode.max_parallel_builds merge_rules.merge_mode.parallel_mode.max_topup_builds
merge_rules.merge_mode.parallel_mode.max_parallel_paused_builds merge_rules.merge_mode.parallel_mode.max_requeue_attempts
merge_rules.merge_mode.parallel_mode.update_before_requeue merge_rules.merge_mode.parallel_mode.stuck_pr_label
merge_rules.merge_mode.parallel_mode.stuck_pr_timeout_mins merge_rules.merge_mode.parallel_mode.bypass_stuck_state
merge_rules.merge_mode.parallel_mode.draft_checks_started_timeout_mins
merge_rules.merge_mode.parallel_mode.block_parallel_builds_label
merge_rules.merge_mode.parallel_mode.check_mergeability_to_queue merge_rules.merge_mode.parallel_mode.use_affected_targets
merge_rules.merge_mode.parallel_mode.use_fast_forwarding merge_rules.merge_mode.parallel_mode.override_required_checks
merge_rules.merge_mode.parallel_mode.batch_size merge_rules.merge_mode.parallel_mode.batch_max_wait_minutes
merge_rules.merge_mode.parallel_mode.require_all_draft_checks_pass
merge_rules.merge_mode.parallel_mode.skip_draft_when_up_to_date
merge_rules.merge_mode.parallel_mode.use_optimistic_validation
merge_rules.merge_mode.parallel_mode.optimistic_validation_failure_depth
merge_rules.merge_mode.parallel_mode.reuse_draft_pr_on_failure merge_rules.merge_mode.parallel_mode.use_proactive_dequeue
merge_rules.merge_mode.parallel_mode.proactive_dequeue_delay_seconds
merge_rules.merge_mode.parallel_mode.use_parallel_bisection
merge_rules.merge_mode.parallel_mode.max_parallel_bisected_builds
merge_rules.merge_mode.parallel_mode.max_bisection_attempts merge_rules.merge_mode.parallel_mode.max_bisected_batch_size
merge_rules.merge_mode.parallel_mode.wait_for_pending_github_workflows
merge_rules.merge_mode.parallel_mode.on_commit_added
merge_rules.auto_update.enabled merge_rules.auto_update.label merge_rules.auto_update.max_runs_for_update
merge_rules.merge_commit.use_title_and_body merge_rules.merge_commit.cut_body_before
merge_rules.merge_commit.cut_body_after merge_rules.merge_commit.strip_html_comments
merge_rules.merge_commit.include_coauthors merge_rules.merge_commit.apply_title_regexes
merge_rules.merge_strategy.name merge_rules.merge_strategy.batch_commit
merge_rules.merge_strategy.override_labels.squash merge_rules.merge_strategy.override_labels.merge
merge_rules.merge_strategy.override_labels.rebase merge_rules.merge_strategy.use_separate_commits_for_stack
merge_rules.merge_strategy.update_pr_commits_before_stack_merge merge_rules.merge_strategy.show_as_merged
merge_rules.status_comment.publish merge_rules.status_comment.open_message
merge_rules.status_comment.queued_message merge_rules.status_comment.blocked_message
merge_rules.publish_status_check merge_rules.blocked_queue_sources merge_rules.skip_blocked_label
merge_rules.final_gates merge_rules.command_restrictions
merge_rules.flaky_retry.enabled merge_rules.flaky_retry.context merge_rules.flaky_retry.context_file
merge_rules.flaky_retry.retriable_checks
merge_rules.update_latest merge_rules.use_rebase merge_rules.delete_branch merge_rules.enable_comments
merge_rules.ci_timeout_mins merge_rules.base_branches merge_rules.require_all_checks_pass
merge_rules.require_skip_line_reason merge_rules.auto_detect_stacks merge_rules.speculation merge_rules.merge_windows
`
  .split(/\s+/)
  .filter((key) => key !== '');

const known = new Map(listKeys(configurationSchema).map((entry) => [entry.path.join('.'), entry]));

it('the table has each of these keys', () => {
  expect([...known.keys()]).toEqual(expect.arrayContaining(documented));
});

it.each(documented)('%s is acted on, or refused by its name with a reason', (key) => {
  const entry = known.get(key);
  const values = keyTable.find((row) => row.key === key);
  if (entry === undefined || values === undefined) throw new Error(`${key} is not known.`);
  for (const [value] of values.refuses) {
    const problems = problemsOf(documentWith(key, value));
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem.path.join('.').startsWith(key)).toBe(true);
      expect(problem.reason).not.toBe('');
    }
  }
  if (entry.supported) expect(values.accepts.length).toBeGreaterThan(0);
  // The table must try a value that requests what Interlock does not do.
  else expect(values.refuses.map(([, reason]) => reason)).toContain('is not supported yet');
});
