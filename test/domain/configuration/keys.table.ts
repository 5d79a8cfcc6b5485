// A row for each key: the values that this version accepts, and the values that it refuses, with the exact message.
export interface KeyRow {
  readonly key: string;
  readonly accepts: readonly unknown[];
  readonly refuses: readonly (readonly [value: unknown, reason: string])[];
}

const notSupported = 'is not supported yet';
const atLeast = (least: number) => `must be an integer of at least ${least}`;

const bool = (key: string): KeyRow => ({
  key,
  accepts: [true, false],
  refuses: [
    ['yes', 'must be true or false'],
    [1, 'must be true or false'],
  ],
});
const integer = (key: string, least: number): KeyRow => ({
  key,
  accepts: [least, least + 7],
  refuses: [
    [least - 1, atLeast(least)],
    [1.5, atLeast(least)],
    ['3', atLeast(least)],
    [2_000_000, 'must be at most 1000000'],
    [Number.NaN, atLeast(least)],
    [[1], atLeast(least)],
  ],
});
const markdown = (key: string): KeyRow => ({
  key,
  accepts: ['', 'See the [rules](https://example.test).\n\n- one'],
  refuses: [
    [5, 'must be text'],
    ['x'.repeat(20_001), 'must be at most 20000 characters long'],
  ],
});
/** A key that is known and refused by its name. `harmless`: values that request what happens anyway. */
const later = (key: string, harmless: readonly unknown[], ...refused: unknown[]): KeyRow => ({
  key,
  accepts: harmless,
  refuses: refused.map((value) => [value, notSupported]),
});

const aWindow = (change: object) => ({
  cron_start: '0 9 * * 1',
  cron_end: '0 17 * * 1',
  timezone: 'Europe/Berlin',
  ...change,
});

const parallel = 'merge_rules.merge_mode.parallel_mode';
const statuses =
  'must be one of success, pending, failure, cancelled, timed_out, skipped, neutral, action_required, stale, unknown, error, blocked, missing';

export const keyTable: readonly KeyRow[] = [
  { key: 'version', accepts: ['1.0.0'], refuses: [['2.0.0', 'must be one of 1.0.0']] },
  later('scenarios', [[]], [{ name: 'a', trigger: {}, actions: [] }]),
  {
    key: 'verify.exempt_paths',
    accepts: [[], ['docs/**', '*.md']],
    refuses: [
      ['docs/**', 'must be a list'],
      [[5], 'must be text: put it in quotes'],
      [[''], 'must not be empty'],
    ],
  },
  {
    key: 'verify.preview',
    accepts: [
      [],
      [{ method: 'sandbox', image: 'web', port: 3000 }],
      [{ method: 'endpoint' }],
      [
        {
          name: 'web app',
          method: 'sandbox',
          verify_skill: 'skills/web.md',
          image: 'registry.test/web:1',
          port: 65535,
          setup: 'up.sh',
          teardown: 'down.sh',
          secrets: ['API_KEY', '_x1'],
        },
        { name: '合并', method: 'endpoint', wait_timeout_sec: 60, expires_default_sec: 86400 },
      ],
    ],
    refuses: [
      [{ image: 'web', port: 1 }, 'must be a list'],
      [['web'], 'must be a mapping of keys'],
      [[{ method: 'container', image: 'web', port: 1 }], 'must be one of sandbox, endpoint'],
      [[{ image: 'web' }], 'is required'],
      [[{ port: 3000 }], 'is required'],
      [[{ image: '', port: 1 }], 'must not be empty'],
      ...[0, 65536, 80.5, '80'].map(
        (port) => [[{ image: 'web', port }], 'must be an integer from 1 to 65535'] as const,
      ),
      ...['image', 'port', 'setup', 'teardown', 'secrets'].map(
        (name) =>
          [
            [{ method: 'endpoint', [name]: { port: 80, secrets: ['A'] }[name] ?? 'a' }],
            'is not a key of the method endpoint',
          ] as const,
      ),
      ...['wait_timeout_sec', 'expires_default_sec'].map(
        (name) => [[{ image: 'web', port: 80, [name]: 600 }], 'is not a key of the method sandbox'] as const,
      ),
      ...[59, 7201, 60.5, '60'].map(
        (seconds) =>
          [[{ method: 'endpoint', wait_timeout_sec: seconds }], 'must be an integer from 60 to 7200'] as const,
      ),
      ...[299, 86401].map(
        (seconds) =>
          [[{ method: 'endpoint', expires_default_sec: seconds }], 'must be an integer from 300 to 86400'] as const,
      ),
      [[{ method: 'endpoint' }, { name: 'b', method: 'endpoint' }], 'is required when there are several previews'],
      [
        [
          { name: 'default', method: 'endpoint' },
          { name: 'default', method: 'endpoint' },
        ],
        'must be unique',
      ],
      ...['../a', '.a', 'a/b', ' a', 'a\\b', 'a '].map(
        (name) =>
          [
            [{ name, method: 'endpoint' }],
            'must be a name without slashes that does not begin with a dot or a space, nor end with a space',
          ] as const,
      ),
      [[{ name: '', method: 'endpoint' }], 'must not be empty'],
      ...['/a.md', '../a.md'].map(
        (verify_skill) =>
          [
            [{ method: 'endpoint', verify_skill }],
            'must be a path inside the repository, without a leading / or ..',
          ] as const,
      ),
      [[{ image: 'a', port: 1, secrets: ['a-b'] }], 'must be the name of an environment variable'],
      [[{ image: 'a', port: 1, secrets: ['PORT'] }], 'is set by the service itself: give the secret another name'],
      [[{ image: 'a', port: 1, secrets: ['WORKSPACE'] }], 'is set by the service itself: give the secret another name'],
      [[{ image: 'a', port: 1, secrets: 'A' }], 'must be a list'],
      [[{ imgae: 'a', port: 1 }], 'is not a known key; the nearest known key is image'],
      [Array.from({ length: 51 }, (_, i) => ({ name: `p${i}`, method: 'endpoint' })), 'must have at most 50 entries'],
    ],
  },
  {
    key: 'merge_rules.labels.trigger',
    accepts: ['mergequeue', 'Merge it!', '合并'],
    refuses: [
      ['', 'must not be empty'],
      [5, 'must be text: put it in quotes'],
      [true, 'must be text: put it in quotes'],
      [[], 'must be text'],
      ['a\nb', 'must be one line without control characters'],
      [' a', 'must not begin or end with a space'],
      ['x'.repeat(101), 'must be at most 100 characters long'],
    ],
  },
  {
    key: 'merge_rules.labels.skip_line',
    accepts: ['urgent', ''],
    refuses: [[7, 'must be text: put it in quotes']],
  },
  {
    key: 'merge_rules.labels.merge_failed',
    accepts: ['blocked', 'do not merge', ''],
    refuses: [
      [5, 'must be text: put it in quotes'],
      [' a', 'must not begin or end with a space'],
    ],
  },
  {
    key: 'merge_rules.labels.skip_delete_branch',
    accepts: ['keep', ''],
    refuses: [[7, 'must be text: put it in quotes']],
  },
  integer('merge_rules.preconditions.number_of_approvals', 0),
  ...['merge_rules.preconditions.required_checks', `${parallel}.override_required_checks`].map((key) => ({
    key,
    accepts: [
      [],
      ['test'],
      ['ci/*', { name: 'lint' }],
      [{ name: 'lint', acceptable_statuses: ['success', 'failure'] }],
    ],
    refuses: [
      ['test', 'must be a list'],
      [[5], "must be a check's name, or {name, acceptable_statuses}"],
      [[''], 'must not be empty'],
      [[{ acceptable_statuses: ['success'] }], 'is required'],
      [[{ name: 'a', acceptable_statuses: [] }], 'must name at least one status'],
      [[{ name: 'a', acceptable_statuses: ['green'] }], statuses],
      [[{ name: 'a', status: 'success' }], 'is not a known key; the nearest known key is name'],
      [Array.from({ length: 1001 }, () => 'a'), 'must have at most 1000 entries'],
    ] as const,
  })),
  bool('merge_rules.preconditions.use_github_mergeability'),
  bool('merge_rules.preconditions.conversation_resolution_required'),
  bool('merge_rules.preconditions.require_verified_commits'),
  {
    key: 'merge_rules.preconditions.validations',
    accepts: [
      [],
      [{ name: 'ticket', match: { type: 'title', regex: 'A-\\d+' } }],
      [{ name: 'a test plan', match: { type: 'body', regex: ['(?i)test plan', 'owner: @'] } }],
    ],
    refuses: [
      [[{ name: 'ticket' }], 'must be a mapping of keys'],
      [[{ name: 'ticket', match: { type: 'branch', regex: 'a' } }], 'must be one of title, body'],
      [
        [{ name: 'ticket', match: { type: 'title', regex: '(?=a)' } }],
        'must be a regular expression in RE2 syntax: invalid or unsupported Perl syntax: `(?=`',
      ],
      [[{ name: '', match: { type: 'title', regex: 'a' } }], 'must not be empty'],
    ],
  },
  {
    key: 'merge_rules.merge_mode.type',
    accepts: ['default', 'parallel', 'no-queue'],
    refuses: [['serial', 'must be one of default, parallel, no-queue']],
  },
  integer(`${parallel}.max_parallel_builds`, 1),
  {
    key: `${parallel}.max_topup_builds`,
    accepts: [0],
    refuses: [
      [1, 'needs max_parallel_builds'],
      [-1, atLeast(0)],
    ],
  },
  integer(`${parallel}.max_parallel_paused_builds`, 0),
  integer(`${parallel}.max_requeue_attempts`, 0),
  bool(`${parallel}.update_before_requeue`),
  {
    key: `${parallel}.stuck_pr_label`,
    accepts: ['stuck', ''],
    refuses: [[7, 'must be text: put it in quotes']],
  },
  integer(`${parallel}.stuck_pr_timeout_mins`, 0),
  bool(`${parallel}.bypass_stuck_state`),
  integer(`${parallel}.draft_checks_started_timeout_mins`, 0),
  {
    key: `${parallel}.block_parallel_builds_label`,
    accepts: ['barrier', ''],
    refuses: [[7, 'must be text: put it in quotes']],
  },
  bool(`${parallel}.check_mergeability_to_queue`),
  bool(`${parallel}.use_affected_targets`),
  bool(`${parallel}.use_fast_forwarding`),
  integer(`${parallel}.batch_size`, 1),
  integer(`${parallel}.batch_max_wait_minutes`, 0),
  bool(`${parallel}.require_all_draft_checks_pass`),
  bool(`${parallel}.skip_draft_when_up_to_date`),
  bool(`${parallel}.use_optimistic_validation`),
  {
    key: `${parallel}.optimistic_validation_failure_depth`,
    accepts: [1, 2, 3],
    refuses: [0, 4, 1.5, '1'].map((value) => [value, 'must be an integer from 1 to 3'] as const),
  },
  bool(`${parallel}.reuse_draft_pr_on_failure`),
  bool(`${parallel}.use_proactive_dequeue`),
  integer(`${parallel}.proactive_dequeue_delay_seconds`, 0),
  bool(`${parallel}.use_parallel_bisection`),
  integer(`${parallel}.max_parallel_bisected_builds`, 1),
  integer(`${parallel}.max_bisection_attempts`, 0),
  integer(`${parallel}.max_bisected_batch_size`, 1),
  bool(`${parallel}.wait_for_pending_github_workflows`),
  {
    key: `${parallel}.on_commit_added`,
    accepts: ['block', 'requeue'],
    refuses: [['ignore', 'must be one of block, requeue']],
  },
  bool('merge_rules.auto_update.enabled'),
  {
    key: 'merge_rules.auto_update.label',
    accepts: ['update', ''],
    refuses: [[7, 'must be text: put it in quotes']],
  },
  integer('merge_rules.auto_update.max_runs_for_update', 0),
  bool('merge_rules.merge_commit.use_title_and_body'),
  ...['cut_body_before', 'cut_body_after'].map((name) => ({
    key: `merge_rules.merge_commit.${name}`,
    accepts: ['', '---', '<!-- message -->'],
    refuses: [
      [5, 'must be text: put it in quotes'],
      ['a\nb', 'must be one line without control characters'],
    ] as const,
  })),
  bool('merge_rules.merge_commit.strip_html_comments'),
  bool('merge_rules.merge_commit.include_coauthors'),
  {
    key: 'merge_rules.merge_commit.apply_title_regexes',
    accepts: [
      [],
      [{ pattern: '^(\\w+): ', replace: '[$1] ', applies_to: 'draft_pr', match_type: 'regex' }],
      [{ pattern: '$9', replace: '$9', applies_to: 'both', match_type: 'string' }],
    ],
    refuses: [
      [[{ pattern: '', replace: '', match_type: 'string' }], 'must not be empty'],
      [[{ pattern: 'a' }], 'is required'],
      [[{ pattern: 'a', replace: '', applies_to: 'title' }], 'must be one of both, draft_pr, merge_commit'],
      [[{ pattern: 'a', replace: '', match_type: 'glob' }], 'must be one of string, regex'],
      [
        [{ pattern: '(', replace: '', match_type: 'regex' }],
        'must be a regular expression in RE2 syntax: missing closing ): `(`',
      ],
      [[{ pattern: '(a)', replace: '$2', match_type: 'regex' }], 'names $2, and the pattern has 1 groups'],
    ],
  },
  {
    key: 'merge_rules.merge_strategy.name',
    accepts: ['squash', 'merge', 'rebase'],
    refuses: [['fast-forward', 'must be one of squash, merge, rebase']],
  },
  {
    key: 'merge_rules.merge_strategy.batch_commit',
    accepts: ['group', 'linear'],
    refuses: [['each', 'must be one of group, linear']],
  },
  ...['squash', 'merge', 'rebase'].map((strategy) => ({
    key: `merge_rules.merge_strategy.override_labels.${strategy}`,
    accepts: ['', strategy, 'land it so'],
    refuses: [
      [7, 'must be text: put it in quotes'],
      [' a', 'must not begin or end with a space'],
    ] as const,
  })),
  bool('merge_rules.merge_strategy.use_separate_commits_for_stack'),
  {
    key: 'merge_rules.merge_strategy.update_pr_commits_before_stack_merge',
    accepts: [false],
    refuses: [
      ['yes', 'must be true or false'],
      [1, 'must be true or false'],
    ],
  },
  bool('merge_rules.merge_strategy.show_as_merged'),
  {
    key: 'merge_rules.status_comment.publish',
    accepts: ['always', 'ready', 'queued', 'never'],
    refuses: [
      ['sometimes', 'must be one of always, ready, queued, never'],
      [true, 'must be one of always, ready, queued, never'],
    ],
  },
  markdown('merge_rules.status_comment.open_message'),
  markdown('merge_rules.status_comment.queued_message'),
  markdown('merge_rules.status_comment.blocked_message'),
  {
    key: 'merge_rules.publish_status_check',
    accepts: ['always', 'ready', 'queued', 'never', true, false],
    refuses: [
      ['sometimes', 'must be one of always, ready, queued, never, true, false'],
      [1, 'must be one of always, ready, queued, never, true, false'],
    ],
  },
  {
    key: 'merge_rules.blocked_queue_sources',
    accepts: [[], ['label', 'slash_command', 'graphql_api', 'rest_api'], ['chrome_extension', 'pilot']],
    refuses: [[['email'], 'must be one of label, slash_command, graphql_api, rest_api, chrome_extension, pilot']],
  },
  bool('merge_rules.skip_blocked_label'),
  {
    key: 'merge_rules.final_gates',
    accepts: [
      [],
      [
        { workflow: 'gate', timeout_mins: 60 },
        { workflow: 'deploy.yml', timeout_mins: 1, label: 'risky' },
      ],
    ],
    refuses: [
      [[{ workflow: 'gate' }], 'is required'],
      [[{ workflow: '', timeout_mins: 5 }], 'must not be empty'],
      [[{ workflow: 'gate', timeout_mins: 61 }], 'must be an integer from 1 to 60'],
      [[{ workflow: 'gate', timeout_mins: 0 }], 'must be an integer from 1 to 60'],
    ],
  },
  {
    key: 'merge_rules.command_restrictions',
    accepts: [[], [{ commands: ['dequeue', 'skip_line'], allowed_actors: ['@a', '@org/team'] }]],
    refuses: [
      [[{ commands: ['queue'], allowed_actors: ['@a'] }], 'must be one of skip_line, skip_validation, dequeue'],
      [[{ commands: ['dequeue'], allowed_actors: ['a'] }], 'must be @user or @org/team'],
      [[{ commands: ['dequeue'] }], 'is required'],
    ],
  },
  bool('merge_rules.flaky_retry.enabled'),
  { key: 'merge_rules.flaky_retry.context', accepts: ['', 'The network.\nOften.'], refuses: [[5, 'must be text']] },
  {
    key: 'merge_rules.flaky_retry.context_file',
    accepts: ['docs/flaky.md'],
    refuses: [
      ['/etc/passwd', 'must be a path inside the repository, without a leading / or ..'],
      ['', 'must not be empty'],
    ],
  },
  {
    key: 'merge_rules.flaky_retry.retriable_checks',
    accepts: [
      [],
      [
        { name: 'e2e-*', context: 'the browser' },
        { name: 'api', context_file: 'docs/api.md' },
      ],
    ],
    refuses: [
      [[{ context: 'words' }], 'is required'],
      [[{ name: 'a', context: 'b', context_file: 'c' }], 'cannot be combined with context'],
    ],
  },
  {
    key: 'merge_rules.update_latest',
    accepts: [true],
    refuses: [[false, 'false is not supported yet, only true']],
  },
  bool('merge_rules.use_rebase'),
  bool('merge_rules.delete_branch'),
  bool('merge_rules.enable_comments'),
  integer('merge_rules.ci_timeout_mins', 0),
  {
    key: 'merge_rules.base_branches',
    accepts: [[], ['main', 'release/1.0', '/release-.*/']],
    refuses: [
      ['main', 'must be a list'],
      [[1.5], 'must be text: put it in quotes'],
      [['a b'], "must be a branch's name, or a regular expression between slashes"],
      [['/[/'], 'must be a regular expression in RE2 syntax: missing closing ]: `[`'],
      [['/(?=a)/'], 'must be a regular expression in RE2 syntax: invalid or unsupported Perl syntax: `(?=`'],
      [[`/${'a'.repeat(201)}/`], 'must be a regular expression of at most 200 characters'],
      [['/(\\pL{40}){40}/'], 'must not repeat more than 1000 times (all {n} multiplied)'],
      [Array.from({ length: 51 }, (_, index) => `b${index}`), 'must have at most 50 entries'],
    ],
  },
  bool('merge_rules.require_all_checks_pass'),
  bool('merge_rules.require_skip_line_reason'),
  bool('merge_rules.auto_detect_stacks'),
  {
    key: 'merge_rules.speculation',
    accepts: ['linear', 'adaptive'],
    refuses: [['wild', 'must be one of linear, adaptive']],
  },
  {
    key: 'merge_rules.merge_windows',
    accepts: [
      [],
      [{ cron_start: '0 9 * * 1', cron_end: '0 17 * * 5', timezone: 'UTC' }],
      [
        {
          cron_start: '0 9 * * MON-FRI',
          cron_end: '30 16 L * *',
          timezone: 'Asia/Kathmandu',
          base_branches: ['/v.+/'],
        },
      ],
    ],
    refuses: [
      [[{ cron_start: '0 9 * * 1', cron_end: '0 17 * * 1' }], 'is required'],
      [
        [aWindow({ cron_start: '61 9 * * 1' })],
        'must be a cron expression of five fields: Invalid value for minute: 61',
      ],
      [[aWindow({ cron_end: '0 0 30 2 *' })], 'must have a next run'],
      [[aWindow({ timezone: 'Mars/Olympus' })], 'must be a time zone such as Europe/Berlin or UTC'],
      [[aWindow({ base_branches: ['a b'] })], "must be a branch's name, or a regular expression between slashes"],
    ],
  },
];
