import { hasLabel } from '../label-names.ts';
import { bool, group, key, label, listOf, oneOf, someText, text } from './key.ts';
import { regexFault, replacementFault } from './regex.ts';

const titleRegex = group({
  pattern: someText(200),
  replace: text(),
  applies_to: oneOf('both', 'draft_pr', 'merge_commit').prefault('both'),
  match_type: oneOf('string', 'regex').prefault('string'),
}).superRefine((rule, context) => {
  if (rule.match_type !== 'regex') return;
  const fault = regexFault(rule.pattern);
  if (fault !== null) {
    context.addIssue({ code: 'custom', path: ['pattern'], message: fault });
    return;
  }
  const replacementProblem = replacementFault(rule.pattern, rule.replace);
  if (replacementProblem !== null) context.addIssue({ code: 'custom', path: ['replace'], message: replacementProblem });
});

export const mergeCommit = group({
  use_title_and_body: key(bool(), {
    default: true,
    description: "The landing's message is the pull request's title and body. false: the host's or git's own default.",
    effectOnBuilds: 'build',
  }),
  cut_body_before: key(text(), {
    default: '',
    description:
      'Leave out the body up to and including the first line that contains this marker. A body without the marker stays whole.',
    effectOnBuilds: 'build',
  }),
  cut_body_after: key(text(), {
    default: '',
    description: 'Leave out the body from the first line that contains this marker on. Applied after cut_body_before.',
    effectOnBuilds: 'build',
  }),
  strip_html_comments: key(bool(), {
    default: false,
    description: "Leave out the body's HTML comments. Applied after cut_body_before and cut_body_after.",
    effectOnBuilds: 'build',
  }),
  include_coauthors: key(bool(), {
    default: false,
    description:
      "Add a Co-authored-by trailer for each author of the pull request's commits, and for each co-author that these commits name, except the author of the landing commit. No trailers are added if the queueing request gave a body, or with rebase, which keeps the messages of the commits.",
    effectOnBuilds: 'build',
  }),
  apply_title_regexes: key(
    listOf(titleRegex, {
      name: 'list: {pattern, replace, applies_to: both, draft_pr or merge_commit, match_type: string or regex}',
      max: 20,
    }),
    {
      default: [],
      description:
        "Replacements in the pull request's title, in order: in the bot pull request (draft_pr), in commits (merge_commit), or in both. Every occurrence is replaced; $1 is the first group of a regex. The defaults are applies_to: both and match_type: string.",
      effectOnBuilds: 'build',
    },
  ),
});

const overrideLabel = (strategy: string) =>
  key(label(), {
    default: '',
    description: `A pull request with this label lands with the strategy ${strategy}. The label is read when the build is made. Labels for different strategies keep the pull request out of the queue (108).`,
    effectOnBuilds: 'build',
  });

export const mergeStrategy = group({
  name: key(oneOf('squash', 'merge', 'rebase'), {
    default: 'squash',
    description: 'How a pull request becomes commits of the base branch.',
    effectOnBuilds: 'build',
  }),
  batch_commit: key(oneOf('group', 'linear'), {
    default: 'group',
    description:
      "group: several pull requests land as one commit on the first-parent line, with their own commits behind it. linear: each pull request lands as commits on the first-parent line, and only the last of these commits was tested. Interlock's own.",
    effectOnBuilds: 'build',
  }),
  override_labels: group({
    squash: overrideLabel('squash'),
    merge: overrideLabel('merge'),
    rebase: overrideLabel('rebase'),
  })
    .refine(
      (labels) => Object.values(labels).every((label, at, all) => label === '' || !hasLabel(all.slice(at + 1), label)),
      {
        error: 'must be labels that differ',
      },
    )
    .prefault({}),
  use_separate_commits_for_stack: key(bool(), {
    default: false,
    description:
      'false: pull requests of a stack that land together land as one squash commit, with the message of the top pull request and a list of the others. true: each pull request has its own commit. With merge and rebase, each always has its own commits.',
    effectOnBuilds: 'build',
  }),
  update_pr_commits_before_stack_merge: key(bool(), {
    default: false,
    description:
      'true: when pull requests of a stack land together, the update that moves the base branch also moves each head branch to the landed commit of its pull request. The checks of the host run on the head branches, as after any push. If a head branch has changed in the meantime, or the host refuses the update, no branch moves. Needs use_separate_commits_for_stack.',
    effectOnBuilds: 'other',
  }),
  show_as_merged: key(bool(), {
    default: false,
    description:
      "true: GitHub shows squashed and rebased pull requests as merged, and not as closed. Just before a landing, the head branches of its pull requests are moved to the commits that they land as. This restarts their checks for a moment, and may dismiss approvals. If the landing fails, the branches are moved back. Branches of forks, branches with several pull requests, and branches of pull requests that are stacked on others are not moved. A pull request that lands alone also gets a group commit. No effect on Interlock's own host, which always shows landed pull requests as merged. Needs batch_commit: group. Interlock's own.",
    effectOnBuilds: 'build',
  }),
})
  .refine((strategy) => !strategy.update_pr_commits_before_stack_merge || strategy.use_separate_commits_for_stack, {
    path: ['update_pr_commits_before_stack_merge'],
    error: 'needs use_separate_commits_for_stack',
  })
  .refine((strategy) => !strategy.show_as_merged || strategy.batch_commit === 'group', {
    path: ['show_as_merged'],
    error: 'needs batch_commit: group',
  });
