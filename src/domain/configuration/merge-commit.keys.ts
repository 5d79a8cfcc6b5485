import { bool, group, key, label, listOf, notYet, oneOf, someText, text } from './key.ts';
import { regexFault } from './regex.ts';

const titleRegex = group({
  pattern: someText(200),
  replace: text(),
  applies_to: oneOf('both', 'draft_pr', 'merge_commit').prefault('both'),
  match_type: oneOf('string', 'regex').prefault('string'),
}).superRefine((rule, context) => {
  const fault = rule.match_type === 'regex' ? regexFault(rule.pattern) : null;
  if (fault !== null) context.addIssue({ code: 'custom', path: ['pattern'], message: fault });
});

export const mergeCommit = group({
  use_title_and_body: key(bool(), {
    default: true,
    description: "The landing's message is the pull request's title and body. false: the host's or git's own default.",
    mark: 'build',
  }),
  cut_body_before: notYet(text(), {
    default: '',
    description: 'Leave out the body before this marker.',
    mark: 'build',
    accepts: [''],
  }),
  cut_body_after: notYet(text(), {
    default: '',
    description: 'Leave out the body after this marker.',
    mark: 'build',
    accepts: [''],
  }),
  strip_html_comments: notYet(bool(), {
    default: false,
    description: 'Leave out HTML comments.',
    mark: 'build',
    accepts: [false],
  }),
  include_coauthors: notYet(bool(), {
    default: false,
    description: "Name the authors of the pull request's commits as co-authors.",
    mark: 'build',
    accepts: [false],
  }),
  apply_title_regexes: notYet(
    listOf(titleRegex, {
      name: 'list: {pattern, replace, applies_to: both, draft_pr or merge_commit, match_type: string or regex}',
      most: 20,
    }),
    {
      default: [],
      description: 'Replacements in the title, in order. applies_to is both and match_type is string unless given.',
      mark: 'build',
      accepts: [[]],
    },
  ),
});

const overrideLabel = (strategy: string) =>
  notYet(label(), {
    default: '',
    description: `The label that asks for ${strategy} on one pull request.`,
    mark: 'build',
    accepts: [''],
  });

export const mergeStrategy = group({
  name: key(oneOf('squash', 'merge', 'rebase'), {
    default: 'squash',
    description: 'How a pull request becomes commits of the base.',
    mark: 'build',
  }),
  batch_commit: key(oneOf('group', 'linear'), {
    default: 'group',
    description:
      "group: several pull requests land as one commit on the first-parent line, their own commits behind it. linear: each is on the line, and only the last of them was tested. Interlock's own.",
    mark: 'build',
  }),
  override_labels: group({
    squash: overrideLabel('squash'),
    merge: overrideLabel('merge'),
    rebase: overrideLabel('rebase'),
  }).prefault({}),
  use_separate_commits_for_stack: notYet(bool(), {
    default: false,
    description: 'Each pull request of a stack keeps a commit of its own.',
    mark: 'build',
    accepts: [false],
  }),
  update_pr_commits_before_stack_merge: notYet(bool(), {
    default: false,
    description: "Rewrite the stack's own branches before it merges. Needs use_separate_commits_for_stack.",
    mark: 'build',
    accepts: [false],
  }),
}).refine(
  (strategy) => !strategy.update_pr_commits_before_stack_merge || strategy.use_separate_commits_for_stack === true,
  {
    path: ['update_pr_commits_before_stack_merge'],
    error: 'needs use_separate_commits_for_stack',
  },
);
