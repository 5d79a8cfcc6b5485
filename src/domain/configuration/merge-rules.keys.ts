import { hasLabel, isSameLabel } from '../label-names.ts';
import { z } from 'zod';
import {
  bool,
  group,
  integer,
  key,
  label,
  listOf,
  markdown,
  oneOf,
  optionalKey,
  repositoryPath,
  requiredKey,
  someText,
} from './key.ts';
import { cronFault, timezoneFault } from '../calendar/cron.ts';
import { regexFault } from './regex.ts';
import { mergeCommit, mergeStrategy } from './merge-commit.keys.ts';
import { parallelMode } from './parallel-mode.keys.ts';
import { preconditions } from './preconditions.keys.ts';

export const defaultTriggerLabel = 'mergequeue';
const defaultBlockedLabel = 'blocked';

/**
 * The label on blocked pull requests; '' for none. The default does not apply if the trigger or skip-line label has the
 * same name.
 */
export function blockedLabel(names: {
  readonly trigger: string;
  readonly skip_line: string;
  readonly merge_failed?: string | undefined;
}): string {
  if (names.merge_failed !== undefined) return names.merge_failed;
  return hasLabel([names.trigger, names.skip_line], defaultBlockedLabel) ? '' : defaultBlockedLabel;
}

const labels = group({
  trigger: requiredKey(label().min(1, { error: 'must not be empty' }), {
    description: 'The label that queues a pull request. Removing the label dequeues the pull request.',
    effectOnBuilds: 'other',
  }),
  skip_line: key(label(), {
    default: 'mergequeue-priority',
    description: 'The label that moves a queued pull request to the front. Empty: none.',
    effectOnBuilds: 'other',
  }),
  merge_failed: optionalKey(label(), {
    default: defaultBlockedLabel,
    description:
      'The label that the queue puts on a blocked pull request, and removes when the pull request is queued again. If a person puts the label on a pull request, the pull request is not queued (105). Empty: none. Left out: `blocked`, or none if another of these labels is named `blocked`.',
    effectOnBuilds: 'gate',
  }),
  skip_delete_branch: key(label(), {
    default: '',
    description: 'The label that keeps the head branch even if delete_branch is true. Empty: none.',
    effectOnBuilds: 'other',
  }),
})
  .refine((names) => !isSameLabel(names.trigger, names.skip_line), {
    path: ['skip_line'],
    error: 'must differ from the trigger label',
  })
  .refine(({ merge_failed, trigger, skip_line }) => !merge_failed || !hasLabel([trigger, skip_line], merge_failed), {
    path: ['merge_failed'],
    error: 'must differ from the trigger and the skip_line label',
  });

const mergeMode = group({
  type: key(oneOf('default', 'parallel', 'no-queue'), {
    default: 'default',
    description:
      'default: one pull request at a time is brought up to date and tested on its own branch. parallel: several builds run at once, on bot pull requests. no-queue: a pull request is merged immediately and untested when its preconditions hold (grade unvalidated).',
    effectOnBuilds: 'build',
  }),
  parallel_mode: parallelMode.prefault({}),
});

const autoUpdate = group({
  enabled: key(bool(), {
    default: false,
    description:
      'Bring open pull requests up to date when their base branch moves. At most five updates per base branch run at a time. The pull request whose last update is oldest comes first. A pull request is updated only after its own checks have ended. Pull requests in line are not updated. A pull request with a conflict is not updated before its head changes.',
    effectOnBuilds: 'other',
  }),
  label: key(label(), {
    default: '',
    description: 'Update only pull requests with this label. Empty: all.',
    effectOnBuilds: 'other',
  }),
  max_runs_for_update: optionalKey(integer(0), {
    default: 'no limit',
    description: 'How many times a pull request is brought up to date automatically.',
    effectOnBuilds: 'other',
  }),
});

const publications = ['always', 'ready', 'queued', 'never'] as const;

const statusComment = group({
  publish: key(oneOf(...publications), {
    default: 'always',
    description:
      'When the status comment of a pull request is first written. always: when it is opened. ready: when its preconditions hold. queued: when it is queued. never: no comment. Except with never, a block is always reported. Once written, the comment is kept up to date.',
    effectOnBuilds: 'other',
  }),
  open_message: key(markdown(), {
    default: '',
    description: 'Added to the status comment of a pull request that is not queued yet.',
    effectOnBuilds: 'other',
  }),
  queued_message: key(markdown(), {
    default: '',
    description: 'Added to the status comment of a queued pull request.',
    effectOnBuilds: 'other',
  }),
  blocked_message: key(markdown(), {
    default: '',
    description: 'Added to the status comment of a blocked pull request.',
    effectOnBuilds: 'other',
  }),
});

const textWithoutFault = (max: number, faultOf: (text: string) => string | null) =>
  someText(max).superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
const cron = () => textWithoutFault(200, cronFault);
const branch = () => textWithoutFault(255, branchFault);

function branchFault(name: string): string | null {
  const pattern = branchPattern(name);
  if (pattern !== null) return regexFault(pattern);
  return /[\s~^:?*[\\]|\.\.|^[/-]|\/$/.test(name)
    ? "must be a branch's name, or a regular expression between slashes"
    : null;
}

// The regular expression between the slashes of a name such as `/release-\d+/`. Null: a plain name.
export function branchPattern(name: string): string | null {
  return name.length > 2 && name.startsWith('/') && name.endsWith('/') ? name.slice(1, -1) : null;
}

export const mergeRules = group({
  labels: labels.prefault({} as never),
  preconditions: preconditions.prefault({}),
  merge_mode: mergeMode.prefault({}),
  auto_update: autoUpdate.prefault({}),
  merge_commit: mergeCommit.prefault({}),
  merge_strategy: mergeStrategy.prefault({}),
  status_comment: statusComment.prefault({}),
  publish_status_check: key(
    z.union([bool(), oneOf(...publications)], {
      error: 'must be one of always, ready, queued, never, true, false',
    }),
    {
      default: 'ready',
      description:
        'When the check `interlock` is first reported on the head of a pull request. The values mean the same as in status_comment.publish; true is ready, false is never. This check does not count among the checks of the pull request.',
      effectOnBuilds: 'other',
    },
  ),
  blocked_queue_sources: key(
    listOf(oneOf('label', 'slash_command', 'graphql_api', 'rest_api', 'chrome_extension', 'pilot')),
    {
      default: [],
      description:
        'Sources of queue requests that are refused. In this version no request comes from chrome_extension and pilot, so blocking them changes nothing.',
      effectOnBuilds: 'other',
    },
  ),
  skip_blocked_label: key(bool(), {
    default: false,
    description:
      'Do not put the merge_failed label on a blocked pull request. If a person puts the label on, it still keeps the pull request out of the queue.',
    effectOnBuilds: 'other',
  }),
  final_gates: key(
    listOf(group({ workflow: someText(500), timeout_mins: integer(1, 60), label: label().optional() }), {
      name: 'list: {workflow, timeout_mins: 1 to 60, label}',
      max: 20,
    }),
    {
      default: [],
      description:
        'Workflows that must succeed on the commit that lands, one after the other, between its green build and its landing (otherwise 119). A gate with a label runs only for batches with a pull request that has this label. A gate that cannot be started, or does not succeed in time, counts as failed. Parallel mode only.',
      effectOnBuilds: 'gate',
    },
  ),
  command_restrictions: key(
    listOf(
      group({
        commands: listOf(oneOf('skip_line', 'skip_validation', 'dequeue')),
        allowed_actors: listOf(
          someText(200).regex(/^@[^\s@/]+(\/[^\s@/]+)?$/, { error: 'must be @user or @org/team' }),
        ),
      }),
      { name: 'list: {commands: skip_line, skip_validation, dequeue; allowed_actors: @user, @org/team}', max: 50 },
    ),
    {
      default: [],
      description:
        'Only these users and teams may use the commands, in comments and by the skip_line label. A command without an entry may be used by every person with write access. Skipping the line or the validation also needs its own permission.',
      effectOnBuilds: 'other',
    },
  ),
  flaky_retry: group({
    enabled: key(bool(), {
      default: false,
      description:
        'Each failed check of a build, or of the head of a requested pull request, is retried once before it counts as failed. The newest attempt decides.',
      effectOnBuilds: 'other',
    }),
    context: key(markdown(), {
      default: '',
      description: 'A text about flaky checks. It is shown wherever the retry of a check is reported.',
      effectOnBuilds: 'other',
    }),
    context_file: optionalKey(repositoryPath(), {
      default: 'none',
      description: 'The path of a file with this text, read at the failed commit. Replaces context.',
      effectOnBuilds: 'other',
    }),
    retriable_checks: key(
      listOf(
        group({
          name: someText(255),
          context: markdown().optional(),
          context_file: repositoryPath().optional(),
        }).refine((check) => !(check.context && check.context_file), {
          path: ['context_file'],
          error: 'cannot be combined with context',
        }),
        { name: 'list: {name glob, context or context_file}', max: 100 },
      ),
      {
        default: [],
        description:
          "Only these checks are retried, by name or glob. A check's own context replaces the common one. Empty: every check.",
        effectOnBuilds: 'other',
      },
    ),
  })
    .refine((retry) => !(retry.context && retry.context_file), {
      path: ['context_file'],
      error: 'cannot be combined with context',
    })
    .prefault({}),
  update_latest: key(bool(), {
    default: true,
    description:
      'A pull request is tested together with the newest base before it lands. false is refused, because a test on an older base proves nothing about the landed commit.',
    effectOnBuilds: 'build',
    accepts: [true],
  }),
  use_rebase: key(bool(), {
    default: false,
    description:
      'Bring pull requests up to date by rebasing them onto the base instead of merging the base into them: in serial mode, and with sync, auto_update and update_before_requeue. The push is forced, with lease.',
    effectOnBuilds: 'build',
  }),
  delete_branch: key(bool(), {
    default: false,
    description:
      'Delete the head branch after the merge. A branch to which commits were added stays, and so do a base branch with a queue, and a branch that is the head or the base of another open pull request.',
    effectOnBuilds: 'other',
  }),
  enable_comments: key(bool(), {
    default: true,
    description:
      'Write comments on pull requests. false: comments only answer commands, labels, and requests for syncs and backports.',
    effectOnBuilds: 'other',
  }),
  ci_timeout_mins: key(integer(0), {
    default: 0,
    description:
      'How long a build may run before it counts as failed (111). A check that runs again has this time from its new start. 0: no limit.',
    effectOnBuilds: 'other',
  }),
  base_branches: key(listOf(branch(), { name: 'list: name, or /regular expression/', max: 50 }), {
    default: [],
    description:
      'The branches that have a queue. An expression between slashes must match the whole name. Empty: the default branch.',
    effectOnBuilds: 'gate',
  }),
  require_all_checks_pass: key(bool(), {
    default: false,
    description: "Every check that ran on a pull request's head must pass, not only the required ones.",
    effectOnBuilds: 'gate',
  }),
  require_skip_line_reason: key(bool(), {
    default: false,
    description: 'Skipping the line needs a reason.',
    effectOnBuilds: 'other',
  }),
  auto_detect_stacks: key(bool(), {
    default: false,
    description:
      'A pull request is stacked on another open pull request if its base branch is the head branch of the other. All pull requests of a stack are in the queue of the lowest base branch. Queueing a pull request also queues those below it. They are built together, and no pull request is in line without the one below it. After a landing, the base branch of the queue becomes the base branch of the next pull request of the stack. Not with use_fast_forwarding: false.',
    effectOnBuilds: 'gate',
  }),
  speculation: key(oneOf('linear', 'adaptive'), {
    default: 'linear',
    description:
      "In parallel mode. linear: each build assumes that all pull requests before it land. adaptive: builds are chosen by the probability that they are needed, which is estimated from earlier pull requests of the repository and the author. Interlock's own.",
    effectOnBuilds: 'build',
  }),
  merge_windows: key(
    listOf(
      group({
        cron_start: cron(),
        cron_end: cron(),
        timezone: textWithoutFault(100, timezoneFault),
        base_branches: listOf(branch(), { max: 50 }).optional(),
      }),
      { name: 'list: {cron_start, cron_end, timezone, base_branches}', max: 50 },
    ),
    {
      default: [],
      description:
        "When landings may happen. Builds go on outside the windows. A window opens at each cron_start (five fields) and closes at the next cron_end. A base branch without a window is always open. A window without base_branches applies to all base branches. Interlock's own.",
      effectOnBuilds: 'gate',
    },
  ),
}).refine(
  ({ auto_detect_stacks, merge_mode }) =>
    !auto_detect_stacks || merge_mode.type !== 'parallel' || merge_mode.parallel_mode.use_fast_forwarding !== false,
  {
    path: ['auto_detect_stacks'],
    error:
      'cannot be combined with use_fast_forwarding: false, because the merge call of the host does not support stacks',
  },
);
