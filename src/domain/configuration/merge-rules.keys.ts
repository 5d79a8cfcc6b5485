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

/** The label that marks what is blocked; '' for none. Its default gives way: it was no label's name before it meant anything. */
export function blockedLabel(names: {
  readonly trigger: string;
  readonly skip_line: string;
  readonly merge_failed?: string | undefined;
}): string {
  if (names.merge_failed !== undefined) return names.merge_failed;
  return [names.trigger, names.skip_line].includes(defaultBlockedLabel) ? '' : defaultBlockedLabel;
}

const labels = group({
  trigger: requiredKey(label().min(1, { error: 'must not be empty' }), {
    description: 'The label that asks to queue a pull request. Taking it off dequeues.',
    mark: 'other',
  }),
  skip_line: key(label(), {
    default: 'mergequeue-priority',
    description: 'The label that moves a queued pull request to the front. Empty: none.',
    mark: 'other',
  }),
  merge_failed: optionalKey(label(), {
    default: defaultBlockedLabel,
    description:
      'The label the queue puts on a pull request it blocks, and takes off when it is queued again. Put on by a person, it keeps the pull request out (105). Empty: none. Left out: `blocked`, or none where another of these labels is `blocked`.',
    mark: 'gate',
  }),
  skip_delete_branch: key(label(), {
    default: '',
    description: 'The label that keeps the head branch although delete_branch is on. Empty: none.',
    mark: 'other',
  }),
})
  .refine((names) => names.trigger !== names.skip_line, {
    path: ['skip_line'],
    error: 'must differ from the trigger label',
  })
  .refine(
    ({ merge_failed, trigger, skip_line }) => !merge_failed || (merge_failed !== trigger && merge_failed !== skip_line),
    {
      path: ['merge_failed'],
      error: 'must differ from the trigger and the skip_line label',
    },
  );

const mergeMode = group({
  type: key(oneOf('default', 'parallel', 'no-queue'), {
    default: 'default',
    description:
      'default: one pull request at a time is brought up to date and tested on its own branch. parallel: builds run ahead on bot pull requests. no-queue: merge at once, untested, when the preconditions hold (grade unvalidated).',
    mark: 'build',
  }),
  parallel_mode: parallelMode.prefault({}),
});

const autoUpdate = group({
  enabled: key(bool(), {
    default: false,
    description:
      'Bring open pull requests up to date when their base moves: of each base branch five at a time, the one that waited longest first, each when its own checks have ended. Those in line are left to the queue, one with a conflict waits for a new head.',
    mark: 'other',
  }),
  label: key(label(), { default: '', description: 'Only those with this label. Empty: all.', mark: 'other' }),
  max_runs_for_update: optionalKey(integer(0), {
    default: 'no limit',
    description: 'How often one pull request is brought up to date by itself.',
    mark: 'other',
  }),
});

const publications = ['always', 'ready', 'queued', 'never'] as const;

const statusComment = group({
  publish: key(oneOf(...publications), {
    default: 'always',
    description:
      'From when on a comment says how the pull request stands: always, from its opening; ready, from when its preconditions hold; queued, from when it is queued; never. A block is told all the same. Once written it is kept up to date.',
    mark: 'other',
  }),
  open_message: key(markdown(), {
    default: '',
    description: 'Added to the status comment of a pull request that is not queued yet.',
    mark: 'other',
  }),
  queued_message: key(markdown(), {
    default: '',
    description: 'Added to the status comment of a queued pull request.',
    mark: 'other',
  }),
  blocked_message: key(markdown(), {
    default: '',
    description: 'Added to the status comment of a blocked pull request.',
    mark: 'other',
  }),
});

const checked = (most: number, faultOf: (text: string) => string | null) =>
  someText(most).superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
const cron = () => checked(200, cronFault);
const branch = () => checked(255, branchFault);

function branchFault(name: string): string | null {
  const pattern = branchPattern(name);
  if (pattern !== null) return regexFault(pattern);
  return /[\s~^:?*[\\]|\.\.|^[/-]|\/$/.test(name)
    ? "must be a branch's name, or a regular expression between slashes"
    : null;
}

// `/release-\d+/` is the expression between its slashes; null: a plain name.
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
        "From when on the queue reports a check of its own, `interlock`, on a pull request's head; the words mean what they do for status_comment.publish. true is ready, false is never. It counts nowhere among the checks of the pull request.",
      mark: 'other',
    },
  ),
  blocked_queue_sources: key(
    listOf(oneOf('label', 'slash_command', 'graphql_api', 'rest_api', 'chrome_extension', 'pilot')),
    {
      default: [],
      description:
        'Ways of asking to queue that are refused. Nothing comes from chrome_extension and pilot in this version, so blocking them holds already.',
      mark: 'other',
    },
  ),
  skip_blocked_label: key(bool(), {
    default: false,
    description:
      'Do not put the merge_failed label on a blocked pull request. Put on by a person it keeps one out all the same.',
    mark: 'other',
  }),
  final_gates: key(
    listOf(group({ workflow: someText(500), timeout_mins: integer(1, 60), label: label().optional() }), {
      name: 'list: {workflow, timeout_mins: 1 to 60, label}',
      most: 20,
    }),
    {
      default: [],
      description:
        'Workflows that must succeed on the very commit that lands, one after the other, between its green build and its landing (else 119). With a label only for batches with a pull request that carries it. A gate that cannot be started, or does not succeed in time, is closed. Parallel mode only.',
      mark: 'gate',
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
      { name: 'list: {commands: skip_line, skip_validation, dequeue; allowed_actors: @user, @org/team}', most: 50 },
    ),
    {
      default: [],
      description:
        'Who may give these commands, in comments and by the skip_line label. A command no entry names is open to all who may write to the repository; skipping needs its own authorisation besides.',
      mark: 'other',
    },
  ),
  flaky_retry: group({
    enabled: key(bool(), {
      default: false,
      description:
        'Each failed check of a build, or of the head of a pull request that was asked to merge, is tried again once before it counts. The newest attempt decides: it never lowers the bar.',
      mark: 'other',
    }),
    context: key(markdown(), {
      default: '',
      description: 'What is known about flaky checks, in words: shown wherever one is tried again.',
      mark: 'other',
    }),
    context_file: optionalKey(repositoryPath(), {
      default: 'none',
      description: 'The same, in a file of the repository, read at the commit that failed. Instead of context.',
      mark: 'other',
    }),
    retriable_checks: key(
      listOf(
        group({
          name: someText(255),
          context: markdown().optional(),
          context_file: repositoryPath().optional(),
        }).refine((check) => !(check.context && check.context_file), {
          path: ['context_file'],
          error: 'cannot stand beside context',
        }),
        { name: 'list: {name glob, context or context_file}', most: 100 },
      ),
      {
        default: [],
        description:
          'Only these checks are tried again, by name or glob; what is said of one replaces what is said of all. Empty: every check.',
        mark: 'other',
      },
    ),
  })
    .refine((retry) => !(retry.context && retry.context_file), {
      path: ['context_file'],
      error: 'cannot stand beside context',
    })
    .prefault({}),
  update_latest: key(bool(), {
    default: true,
    description:
      'What lands was tested together with the newest base. false is refused: what was tested on an older one says nothing of what lands.',
    mark: 'build',
    accepts: [true],
  }),
  use_rebase: key(bool(), {
    default: false,
    description:
      'Bring pull requests up to date by rebasing their commits onto the base instead of merging it into them: in serial mode, by sync, auto_update and update_before_requeue. The push is a forced one, with lease.',
    mark: 'build',
  }),
  delete_branch: key(bool(), {
    default: false,
    description: 'Delete the head branch after the merge, unless commits were added to it.',
    mark: 'other',
  }),
  enable_comments: key(bool(), {
    default: true,
    description:
      'Write comments on pull requests. false leaves only answers to commands and labels of people, and what they asked for on branches.',
    mark: 'other',
  }),
  ci_timeout_mins: key(integer(0), {
    default: 0,
    description: 'How long a build may run before it counts as failed (111). 0 is no limit.',
    mark: 'other',
  }),
  base_branches: key(listOf(branch(), { name: 'list: name, or /regular expression/', most: 50 }), {
    default: [],
    description:
      'The branches that have a queue. An expression between slashes must match the whole name. Empty: the default branch.',
    mark: 'gate',
  }),
  require_all_checks_pass: key(bool(), {
    default: false,
    description: "Every check that ran on a pull request's head must pass, not only the required ones.",
    mark: 'gate',
  }),
  require_skip_line_reason: key(bool(), {
    default: false,
    description: 'Skipping the line needs a reason.',
    mark: 'other',
  }),
  auto_detect_stacks: key(bool(), {
    default: false,
    description:
      'A pull request whose base branch is the head of another open one stands on that one, in the queue of the base branch below them all. Queueing it queues those below, they are built together, and none is in line without what it stands on. After a landing the one above gets the base branch as its base. Not with use_fast_forwarding: false.',
    mark: 'gate',
  }),
  speculation: key(oneOf('linear', 'adaptive'), {
    default: 'linear',
    description:
      "In parallel mode. linear: each build assumes that all before it land. adaptive: builds are chosen by how likely they are to be needed, from how earlier ones of the repository and the author ended. Interlock's own.",
    mark: 'build',
  }),
  merge_windows: key(
    listOf(
      group({
        cron_start: cron(),
        cron_end: cron(),
        timezone: checked(100, timezoneFault),
        base_branches: listOf(branch(), { most: 50 }).optional(),
      }),
      { name: 'list: {cron_start, cron_end, timezone, base_branches}', most: 50 },
    ),
    {
      default: [],
      description:
        "When landings may happen; builds go on outside of it. A window opens at each cron_start (five fields) and closes at the next cron_end. Without one for a base branch it is always open; without base_branches a window is for all of them. Interlock's own.",
      mark: 'gate',
    },
  ),
}).refine(
  ({ auto_detect_stacks, merge_mode }) =>
    !auto_detect_stacks || merge_mode.type !== 'parallel' || merge_mode.parallel_mode.use_fast_forwarding !== false,
  {
    path: ['auto_detect_stacks'],
    error: 'cannot stand beside use_fast_forwarding: false; a host that merges by itself knows no stacks',
  },
);
