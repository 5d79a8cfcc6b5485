import { bool, group, integer, key, label, oneOf, optionalKey } from './key.ts';
import { requiredChecks } from './preconditions.keys.ts';

export const parallelMode = group({
  max_parallel_builds: optionalKey(integer(1), {
    default: 'no limit',
    description: 'How many builds of the repository run at once, over all its queues.',
    effectOnBuilds: 'other',
  }),
  max_topup_builds: key(integer(0), {
    default: 0,
    description:
      'How many builds may start beyond max_parallel_builds: one for each green build that waits only for own checks of its pull requests. Needs max_parallel_builds.',
    effectOnBuilds: 'other',
  }),
  max_parallel_paused_builds: optionalKey(integer(0), {
    default: 'none: nothing is built',
    description:
      'How many builds run while the queue is paused. Nothing lands in a pause. Must be below max_parallel_builds.',
    effectOnBuilds: 'other',
  }),
  max_requeue_attempts: key(integer(0), {
    default: 0,
    description: 'How many times a pull request returns to the line after a failed build, if its own checks are green.',
    effectOnBuilds: 'other',
  }),
  update_before_requeue: key(bool(), {
    default: false,
    description:
      'Bring the pull request up to date with its base before it goes back in line after a failed build (max_requeue_attempts).',
    effectOnBuilds: 'other',
  }),
  stuck_pr_label: key(label(), {
    default: '',
    description:
      'The label of a stuck pull request: its build is green, it is first in line, and its own required checks still run. Queueing it again removes the label. Empty: none.',
    effectOnBuilds: 'other',
  }),
  stuck_pr_timeout_mins: optionalKey(integer(0), {
    default: 'unset: the landing waits without a limit',
    description:
      'How long own required checks may still run after the build is green, before the pull request is stuck and blocked (112). 0: it is blocked immediately.',
    effectOnBuilds: 'other',
  }),
  bypass_stuck_state: key(bool(), {
    default: false,
    description: 'Report a stuck pull request without blocking it: its landing keeps waiting.',
    effectOnBuilds: 'other',
  }),
  draft_checks_started_timeout_mins: key(integer(0), {
    default: 0,
    description:
      'How long a build may stay without any check before its pull requests are dequeued (111). Before that, the checks are read from the host once more. 0: no limit.',
    effectOnBuilds: 'other',
  }),
  block_parallel_builds_label: key(label(), {
    default: '',
    description:
      'The label of a barrier: such a pull request is built alone, and while it is in line no build starts for pull requests behind it on its base branch. Empty: none.',
    effectOnBuilds: 'other',
  }),
  check_mergeability_to_queue: key(bool(), {
    default: false,
    description:
      "true: a pull request's own required checks must be green before it is queued. false: it is queued while they run, and its landing waits for them.",
    effectOnBuilds: 'gate',
  }),
  use_affected_targets: key(bool(), {
    default: false,
    description:
      'Pull requests whose affected targets do not overlap do not wait for one another or reset one another, and land on separate builds (grade composed). A pull request without targets overlaps everything.',
    effectOnBuilds: 'build',
  }),
  use_fast_forwarding: optionalKey(bool(), {
    default: 'unset',
    description:
      'Unset or true: the tested commit lands. false: the merge call of the host merges the pull request, and the result is compared with the tested tree (grade host_merged). The host merges one pull request at a time: batch_size above 1 is refused, and use_optimistic_validation has no effect.',
    effectOnBuilds: 'build',
  }),
  override_required_checks: key(requiredChecks(), {
    default: [],
    description:
      'The checks that the commit of a build must pass. Empty: required_checks; if that is empty too, the checks that the host requires; if there are none, every check that ran.',
    effectOnBuilds: 'gate',
  }),
  batch_size: key(integer(1), {
    default: 1,
    description:
      'The greatest number of pull requests in one build. With use_affected_targets only pull requests that overlap, directly or through others, share a build. With speculation: adaptive a batch is made only when more pull requests wait than max_parallel_builds allows builds. Its size is chosen to cost the fewest builds at the present failure rate; from 30 % failures on there are no batches.',
    effectOnBuilds: 'build',
  }),
  batch_max_wait_minutes: key(integer(0), {
    default: 0,
    description: 'How long an unfilled batch waits for more pull requests. No effect with speculation: adaptive.',
    effectOnBuilds: 'other',
  }),
  require_all_draft_checks_pass: key(bool(), {
    default: false,
    description:
      'Every check that ran on a build must pass, not only the required ones. In any case at least one check must have run.',
    effectOnBuilds: 'gate',
  }),
  skip_draft_when_up_to_date: key(bool(), {
    default: true,
    description:
      'A pull request whose head already contains the tip and is green lands without a bot pull request. false: each gets a bot pull request, and only its checks count.',
    effectOnBuilds: 'gate',
  }),
  use_optimistic_validation: key(bool(), {
    default: true,
    description:
      'A red build is judged only after later builds that contain its pull requests. If one of these builds is green, the pull requests of both land.',
    effectOnBuilds: 'other',
  }),
  optimistic_validation_failure_depth: key(integer(1, 3), {
    default: 1,
    description:
      'How many later builds are awaited before a red build counts as failed. No effect with speculation: adaptive or use_affected_targets, where a pull request that is red without another one before it is built alone once more instead.',
    effectOnBuilds: 'other',
  }),
  reuse_draft_pr_on_failure: key(bool(), {
    default: true,
    description:
      'Use the bot pull request of a failed or reset build again for the next build of its pull requests: the same number, its branch moved to the new commit. false: a new bot pull request for each build.',
    effectOnBuilds: 'other',
  }),
  use_proactive_dequeue: key(bool(), {
    default: false,
    description:
      'If the build of a single pull request behind others is red, the pull request is built once more alone on the tip. If it is red there too, it is blocked before it reaches the head of the line. No effect with speculation: adaptive or use_affected_targets, where the pull requests behind it are also built without it.',
    effectOnBuilds: 'other',
  }),
  proactive_dequeue_delay_seconds: key(integer(0), {
    default: 0,
    description: 'How long use_proactive_dequeue waits after the red build before it builds the pull request alone.',
    effectOnBuilds: 'other',
  }),
  use_parallel_bisection: key(bool(), {
    default: false,
    description:
      'The parts of a failed batch are built at the same time, beside the line, and other pull requests of the line can land in the meantime. Pull requests of green parts return to the line, behind the pull requests that are being built. No effect with speculation: adaptive or use_affected_targets, where parts keep their places and are built as soon as max_parallel_builds allows.',
    effectOnBuilds: 'other',
  }),
  max_parallel_bisected_builds: optionalKey(integer(1), {
    default: 'as many as max_parallel_builds allows',
    description:
      'How many parts of failed batches are built at once. They count among max_parallel_builds and are built before the pull requests in line.',
    effectOnBuilds: 'other',
  }),
  max_bisection_attempts: optionalKey(integer(0), {
    default: 'none: bisect until each failing pull request is alone',
    description:
      'How many times a failed batch is bisected before all remaining pull requests are blocked. 0: no batch is bisected. Without this key and with speculation: adaptive, the red build is kept: after its first half has landed, the rest counts as red.',
    effectOnBuilds: 'other',
  }),
  max_bisected_batch_size: optionalKey(integer(1), {
    default: 'half of the failed batch',
    description:
      'The greatest number of pull requests in a part of a bisected batch. A failed batch is cut into as many parts as necessary.',
    effectOnBuilds: 'other',
  }),
  wait_for_pending_github_workflows: key(bool(), {
    default: false,
    description:
      'A green build also waits until all checks on its commit have ended, required or not, with any result. The wait ends 60 minutes after the last check that ended.',
    effectOnBuilds: 'gate',
  }),
  on_commit_added: key(oneOf('block', 'requeue'), {
    default: 'block',
    description:
      "What a push to a queued pull request does: block it (116), or put it back in line with its new head. Interlock's own.",
    effectOnBuilds: 'other',
  }),
})
  .refine((mode) => !mode.max_topup_builds || mode.max_parallel_builds !== undefined, {
    path: ['max_topup_builds'],
    error: 'needs max_parallel_builds',
  })
  .refine((mode) => mode.use_fast_forwarding !== false || mode.batch_size === 1, {
    path: ['batch_size'],
    error:
      'must be 1 with use_fast_forwarding: false, because the base would be untested between two merges by the host',
  })
  .refine((mode) => (mode.max_parallel_paused_builds ?? -1) < (mode.max_parallel_builds ?? Number.POSITIVE_INFINITY), {
    path: ['max_parallel_paused_builds'],
    error: 'must be below max_parallel_builds',
  });
