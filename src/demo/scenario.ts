// The scenario of the demo: a repository with a real check, and pull requests. One pull request conflicts, and one
// fails only together with another. Pure data.
export interface DemoPullRequest {
  readonly branch: string;
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly expected: 'merged' | 'conflict' | 'failed';
}

export interface Scenario {
  readonly owner: string;
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly configuration: string;
  readonly pullRequests: readonly DemoPullRequest[];
  /** Whether GitHub shows landed pull requests as merged. Otherwise it shows them as closed. */
  readonly showsAsMerged?: boolean;
}

const files = {
  'README.md': '# Tea shop\n\nEvery tea has a file. `sh check.sh` adds up an order.\n',
  'prices.sh': 'price_of() {\n  cat "teas/$1"\n}\n',
  'teas/assam': '4\n',
  'teas/sencha': '6\n',
  'orders/first': 'assam sencha\n',
  // An order is a list of teas. Each tea must have a price that is a number.
  'check.sh': `set -e
. ./prices.sh
for order in orders/*; do
  total=0
  for tea in $(cat "$order"); do total=$((total + $(price_of "$tea"))); done
  echo "$order: $total"
done
sleep 1
`,
  // The deployment fails for teas that are too expensive, which the check does not test.
  'deploy.sh': `set -e
for tea in teas/*; do
  price=$(cat "$tea")
  [ "$price" -le 50 ] || { echo "nobody pays $price for $(basename "$tea")"; exit 1; }
done
echo "$ENVIRONMENT sells $(ls teas | wc -l) teas"
`,
  '.service/ci.yml': 'checks:\n  orders:\n    run: sh check.sh\n    timeout: 60\n',
} as const;

const configuration = `merge_rules:
  labels:
    trigger: mergequeue
  preconditions:
    number_of_approvals: 0
  merge_mode:
    type: parallel
    parallel_mode:
      max_parallel_builds: 3
      batch_size: 4
      use_optimistic_validation: true
      optimistic_validation_failure_depth: 1
`;

const tea = (name: string, price: number): DemoPullRequest => ({
  branch: `add-${name}`,
  title: `Sell ${name}`,
  files: { [`teas/${name}`]: `${price}\n`, [`orders/${name}`]: `${name} assam\n` },
  expected: 'merged',
});

const all: readonly DemoPullRequest[] = [
  tea('earl-grey', 5),
  tea('darjeeling', 7),
  tea('oolong', 8),
  tea('matcha', 12),
  tea('rooibos', 3),
  {
    branch: 'drop-sencha',
    title: 'Stop selling sencha',
    files: { 'teas/sencha': '', 'orders/first': 'assam\n' },
    expected: 'merged',
  },
  // This pull request is green alone, but red together with `drop-sencha`. Only a build of both shows this.
  {
    branch: 'sencha-gift',
    title: 'A gift box with sencha',
    files: { 'orders/gift': 'sencha sencha assam\n', 'gift.sh': '. ./prices.sh\n' },
    expected: 'failed',
  },
  tea('chai', 6),
  { branch: 'raise-assam', title: 'Assam costs 5', files: { 'teas/assam': '5\n' }, expected: 'merged' },
  { branch: 'lower-assam', title: 'Assam costs 3', files: { 'teas/assam': '3\n' }, expected: 'conflict' },
  tea('jasmine', 6),
  tea('pu-erh', 9),
];

/** A change with a green check whose deployment fails. */
export const unsellable = { branch: 'sell-gold', title: 'Sell tea with gold in it', files: { 'teas/gold': '500\n' } };

/** Twelve pull requests: one conflicts, one is red together with another, and ten land. */
export const demoScenario: Scenario = { owner: 'demo', name: 'tea-shop', files, configuration, pullRequests: all };

// The workflow that GitHub runs instead of `.service/ci.yml`, on pull requests and on pushes of bot branches.
const workflow = `name: ci
on:
  push:
    branches: ['mq-bot-**']
  pull_request:
jobs:
  orders:
    if: \${{ !startsWith(github.head_ref, 'mq-bot-') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sh check.sh
`;

/**
 * The same twelve pull requests in a repository at GitHub. The configuration names the required check, so that builds
 * do not wait for other checks.
 */
export function githubScenario({ showAsMerged }: { readonly showAsMerged: boolean }): Scenario {
  const rules = '    use_github_mergeability: false\n    required_checks: [orders]\n';
  const strategy = showAsMerged ? '  merge_strategy:\n    show_as_merged: true\n' : '';
  const given = configuration.replace('    number_of_approvals: 0\n', (line) => line + rules) + strategy;
  const { '.service/ci.yml': _ci, ...shop } = files;
  return {
    ...demoScenario,
    files: { ...shop, '.github/workflows/ci.yml': workflow },
    configuration: given,
    showsAsMerged: showAsMerged,
  };
}

/** A shorter scenario, which `npm start` plays in an empty data directory. */
export const startScenario: Scenario = {
  ...demoScenario,
  pullRequests: [0, 1, 5, 6, 8, 9, 10].flatMap((index) => all[index] ?? []),
};
