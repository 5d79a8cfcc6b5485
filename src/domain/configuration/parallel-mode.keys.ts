import { bool, group, integer, key, label, oneOf, optionalKey } from './key.ts';
import { requiredChecks } from './preconditions.keys.ts';

export const parallelMode = group({
  max_parallel_builds: optionalKey(integer(1), {
    default: 'no limit',
    description: 'How many builds of the repository run at once, over all of its queues.',
    mark: 'other',
  }),
  max_topup_builds: key(integer(0), {
    default: 0,
    description:
      'Builds started beyond max_parallel_builds, one for each that is green and only waits for own checks of its pull requests. Needs max_parallel_builds.',
    mark: 'other',
  }),
  max_parallel_paused_builds: optionalKey(integer(0), {
    default: 'none: nothing is built',
    description: 'How many builds run while the queue is paused; nothing lands. Must be below max_parallel_builds.',
    mark: 'other',
  }),
  max_requeue_attempts: key(integer(0), {
    default: 0,
    description: 'How often a pull request whose build failed goes back in line when its own checks are green.',
    mark: 'other',
  }),
  update_before_requeue: key(bool(), {
    default: false,
    description:
      'Bring the pull request up to date with its base before it goes back in line after a failed build (max_requeue_attempts).',
    mark: 'other',
  }),
  stuck_pr_label: key(label(), {
    default: '',
    description:
      'Label put on a pull request that is stuck: its build is green, it is first in line, and its own required checks still run. Queueing it again takes it off. Empty: none.',
    mark: 'other',
  }),
  stuck_pr_timeout_mins: optionalKey(integer(0), {
    default: 'unset: its landing waits for them',
    description:
      'How long own required checks may run on after the build went green, before the pull request is stuck and blocked (112). 0 blocks it at once.',
    mark: 'other',
  }),
  bypass_stuck_state: key(bool(), {
    default: false,
    description: 'Tell of a stuck pull request without blocking it: its landing goes on waiting.',
    mark: 'other',
  }),
  draft_checks_started_timeout_mins: key(integer(0), {
    default: 0,
    description:
      'How long a build may stay without any check before its pull requests are dequeued (111); the host is asked once more first. 0 is off.',
    mark: 'other',
  }),
  block_parallel_builds_label: key(label(), {
    default: '',
    description:
      'Label of a barrier: such a pull request is built alone, and while it is in line no build is started for those behind it on its base branch. Empty: none.',
    mark: 'other',
  }),
  check_mergeability_to_queue: key(bool(), {
    default: false,
    description:
      'true: the own required checks of a pull request must be green before it is queued. false: a running one does not hold it back, its landing waits for it.',
    mark: 'gate',
  }),
  use_affected_targets: key(bool(), {
    default: false,
    description:
      'Pull requests whose affected targets do not overlap neither wait for nor reset one another, and land tested apart (grade composed). One without told targets overlaps everything.',
    mark: 'build',
  }),
  use_fast_forwarding: optionalKey(bool(), {
    default: 'unset',
    description:
      "Unset or true: the commit that was tested lands. false: the host's own merge call merges, and what it made is compared with the tree that was tested (grade host_merged). It merges one pull request at a time: batch_size above 1 is refused with it, and use_optimistic_validation, which lands several at once, does nothing.",
    mark: 'build',
  }),
  override_required_checks: key(requiredChecks(), {
    default: [],
    description:
      "The checks a build's commit must pass. Empty: required_checks, else the host's, else every check that ran.",
    mark: 'gate',
  }),
  batch_size: key(integer(1), {
    default: 1,
    description:
      'How many pull requests one build holds at most. With use_affected_targets only those share one that overlap, directly or by way of others. With speculation: adaptive a batch is made only where max_parallel_builds leaves more pull requests waiting than builds, as large as costs the fewest builds at the rate at which they fail, and none from 30 % failures on.',
    mark: 'build',
  }),
  batch_max_wait_minutes: key(integer(0), {
    default: 0,
    description: 'How long an unfilled batch waits for more pull requests. With speculation: adaptive none waits.',
    mark: 'other',
  }),
  require_all_draft_checks_pass: key(bool(), {
    default: false,
    description:
      'Every check that ran on a build must pass, not only the required ones. Either way at least one is needed.',
    mark: 'gate',
  }),
  skip_draft_when_up_to_date: key(bool(), {
    default: true,
    description:
      'A pull request whose head already contains the tip and is green lands without a bot pull request. false: each gets one, and only what ran there counts.',
    mark: 'gate',
  }),
  use_optimistic_validation: key(bool(), {
    default: true,
    description: 'A red build is judged only after later builds that contain it: if one of them is green, both land.',
    mark: 'other',
  }),
  optimistic_validation_failure_depth: key(integer(1, 3), {
    default: 1,
    description:
      'How many later builds are waited for before a red one counts as failed. Without effect with speculation: adaptive or use_affected_targets: there a pull request that is red with nothing before it is built by itself once more instead.',
    mark: 'other',
  }),
  reuse_draft_pr_on_failure: key(bool(), {
    default: true,
    description:
      'Use the bot pull request of a build that failed or was reset again for the next build of its pull requests: the same number, its branch moved to the new commit. false: a new one for each build.',
    mark: 'other',
  }),
  use_proactive_dequeue: key(bool(), {
    default: false,
    description:
      'A pull request that is built alone and is red behind others is built once more by itself on the tip; red there too, it is blocked before it reaches the head of the line. Without effect with speculation: adaptive or use_affected_targets: there those behind it are built without it as well, and nobody waits for its turn.',
    mark: 'other',
  }),
  proactive_dequeue_delay_seconds: key(integer(0), {
    default: 0,
    description:
      'How long after the red build use_proactive_dequeue waits before it builds the pull request by itself.',
    mark: 'other',
  }),
  use_parallel_bisection: key(bool(), {
    default: false,
    description:
      'The parts of a failed batch are built at once, beside the line, and the line goes on without them. Green ones are in line again, behind what is being built. Without effect with speculation: adaptive or use_affected_targets, where parts are built as far as builds are free, and keep their places.',
    mark: 'other',
  }),
  max_parallel_bisected_builds: optionalKey(integer(1), {
    default: 'as many as max_parallel_builds allows',
    description:
      'How many parts of failed batches are built at once. They count among max_parallel_builds, and take room before the line does.',
    mark: 'other',
  }),
  max_bisection_attempts: optionalKey(integer(0), {
    default: 'none: halve until each failure stands alone',
    description:
      'How often a failed batch is bisected before all that is left of it is blamed. 0 never bisects. Unset and with speculation: adaptive the red build is kept instead, and what is left of it when its first half has landed counts as red.',
    mark: 'other',
  }),
  max_bisected_batch_size: optionalKey(integer(1), {
    default: 'half of the failed batch',
    description:
      'How many pull requests a part of a bisected batch holds at most: a failed batch is cut into that many parts.',
    mark: 'other',
  }),
  wait_for_pending_github_workflows: key(bool(), {
    default: false,
    description:
      'A green build also waits for what nobody requires and still runs on its commit, whatever it says in the end. Gives up 60 minutes after the last check that ended.',
    mark: 'gate',
  }),
  on_commit_added: key(oneOf('block', 'requeue'), {
    default: 'block',
    description:
      "What a push to a queued pull request does: block it (116), or put it back in line with its new head. Interlock's own.",
    mark: 'other',
  }),
})
  .refine((mode) => !mode.max_topup_builds || mode.max_parallel_builds !== undefined, {
    path: ['max_topup_builds'],
    error: 'needs max_parallel_builds',
  })
  .refine((mode) => mode.use_fast_forwarding !== false || mode.batch_size === 1, {
    path: ['batch_size'],
    error: 'must be 1 with use_fast_forwarding: false; between two merges by the host the base would be untested',
  })
  .refine((mode) => (mode.max_parallel_paused_builds ?? -1) < (mode.max_parallel_builds ?? Number.POSITIVE_INFINITY), {
    path: ['max_parallel_paused_builds'],
    error: 'must be below max_parallel_builds',
  });
