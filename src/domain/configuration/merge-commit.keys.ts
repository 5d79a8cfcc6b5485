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
  const misfit = replacementFault(rule.pattern, rule.replace);
  if (misfit !== null) context.addIssue({ code: 'custom', path: ['replace'], message: misfit });
});

export const mergeCommit = group({
  use_title_and_body: key(bool(), {
    default: true,
    description: "The landing's message is the pull request's title and body. false: the host's or git's own default.",
    mark: 'build',
  }),
  cut_body_before: key(text(), {
    default: '',
    description:
      'Leave out the body up to the first line that contains this marker, and that line. A body without it is left whole.',
    mark: 'build',
  }),
  cut_body_after: key(text(), {
    default: '',
    description:
      'Leave out the body from the first line that contains this marker on; looked for in what cut_body_before left.',
    mark: 'build',
  }),
  strip_html_comments: key(bool(), {
    default: false,
    description: 'Leave HTML comments of the body out, after the markers were looked for.',
    mark: 'build',
  }),
  include_coauthors: key(bool(), {
    default: false,
    description:
      "Name the authors of the pull request's commits, and who those name, by Co-authored-by trailers: once each, without the author of the commit itself. Not where the request that queued it gave a body, nor by rebase, which keeps the commits' own messages.",
    mark: 'build',
  }),
  apply_title_regexes: key(
    listOf(titleRegex, {
      name: 'list: {pattern, replace, applies_to: both, draft_pr or merge_commit, match_type: string or regex}',
      most: 20,
    }),
    {
      default: [],
      description:
        "Replacements in the pull request's title, in order, where the bot pull request shows it (draft_pr), where commits do (merge_commit), or both. Every occurrence is replaced; $1 is the first group of a regex. applies_to is both and match_type is string unless given.",
      mark: 'build',
    },
  ),
});

const overrideLabel = (strategy: string) =>
  key(label(), {
    default: '',
    description: `The label that asks for ${strategy} on one pull request, read when its build is made. Labels that ask for different strategies keep it out of the queue (108).`,
    mark: 'build',
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
  })
    .refine(
      (labels) => new Set(Object.values(labels).filter(Boolean)).size === Object.values(labels).filter(Boolean).length,
      {
        error: 'must be labels that differ',
      },
    )
    .prefault({}),
  use_separate_commits_for_stack: key(bool(), {
    default: false,
    description:
      'false: what lands together of a stack is one squash commit, with the message of its top and a list of the others. true: each pull request has one of its own. By merge and rebase each has its own either way.',
    mark: 'build',
  }),
  update_pr_commits_before_stack_merge: key(bool(), {
    default: false,
    description:
      "true: when pull requests of one stack land together, the branch of each is moved to its own commit that lands, in the same instant as the base. The host's checks run there as after any push. Not where a branch was pushed to meanwhile or the host refuses: then they land without. Needs use_separate_commits_for_stack.",
    mark: 'other',
  }),
}).refine((strategy) => !strategy.update_pr_commits_before_stack_merge || strategy.use_separate_commits_for_stack, {
  path: ['update_pr_commits_before_stack_merge'],
  error: 'needs use_separate_commits_for_stack',
});
