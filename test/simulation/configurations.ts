// The configurations of the simulated repository. A seed chooses one, and in some histories people change between all
// of them.
import { drawsOf } from './draws.ts';

interface Configuration {
  readonly name: string;
  /** The YAML below `merge_rules`, without the labels. */
  readonly rules: string;
}

/** A seed begins with the configuration at the place `seed % 12`. */
export const configurations = [
  {
    name: 'batches of two',
    rules: `
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 2
    batch_size: 2
    on_commit_added: requeue
`,
  },
  {
    name: 'batches of one',
    rules: `
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 3
    batch_size: 1
`,
  },
  {
    name: 'one at a time',
    rules: `
merge_mode:
  type: default
`,
  },
  {
    name: 'speculative builds',
    rules: `
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 4
    batch_size: 2
    on_commit_added: requeue
    use_affected_targets: true
speculation: adaptive
`,
  },
  {
    name: 'speculative builds without targets',
    rules: `
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 4
    on_commit_added: requeue
speculation: adaptive
merge_strategy:
  name: merge
`,
  },
  {
    name: 'own checks',
    rules: `
preconditions:
  required_checks: [test]
  use_github_mergeability: false
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 1
    max_topup_builds: 1
    on_commit_added: requeue
`,
  },
  {
    name: 'parts of batches',
    rules: `
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 4
    batch_size: 3
    batch_max_wait_minutes: 2
    use_parallel_bisection: true
    use_optimistic_validation: false
    on_commit_added: requeue
merge_strategy:
  batch_commit: linear
`,
  },
  {
    name: 'second attempts',
    rules: `
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 3
    batch_size: 2
    optimistic_validation_failure_depth: 2
    use_proactive_dequeue: true
    reuse_draft_pr_on_failure: false
    skip_draft_when_up_to_date: false
    max_requeue_attempts: 1
    update_before_requeue: true
    on_commit_added: requeue
`,
  },
  {
    name: 'stacks',
    rules: `
auto_detect_stacks: true
delete_branch: true
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 3
    batch_size: 2
    on_commit_added: requeue
`,
  },
  {
    name: 'speculative builds of stacks',
    rules: `
auto_detect_stacks: true
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 4
    on_commit_added: requeue
    use_affected_targets: true
speculation: adaptive
merge_strategy:
  use_separate_commits_for_stack: true
`,
  },
  {
    name: 'two base branches',
    rules: `
base_branches: [main, release]
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 2
    batch_size: 1
    on_commit_added: requeue
`,
  },
  {
    name: 'speculative builds for two base branches',
    rules: `
base_branches: [main, release]
merge_mode:
  type: parallel
  parallel_mode:
    max_parallel_builds: 2
    on_commit_added: requeue
    use_affected_targets: true
speculation: adaptive
`,
  },
] as const satisfies readonly Configuration[];

export type ConfigurationName = (typeof configurations)[number]['name'];

/**
 * The configurations of a history. The first one is in force at the start. Under most seeds people change only a key of
 * builds, so that all builds are made again. Under the others they change between all configurations.
 */
export function configurationsOf(seed: number): readonly string[] {
  const first = configurations[seed % configurations.length] ?? configurations[0];
  const same = [first.rules, `${first.rules}merge_commit:\n  strip_html_comments: true\n`];
  // Steps have the streams from 0 on, the end of a history has -2, and days have those from -100 on downwards.
  if (!drawsOf(seed, -3).chance(0.4)) return same;
  return [...same, ...configurations.filter(({ name }) => name !== first.name).map(({ rules }) => rules)];
}

/** Whether a pull request may be on top of another one, if this configuration is in force. */
export function hasStacks(yaml: string): boolean {
  return yaml.includes('auto_detect_stacks: true');
}

/** Whether `release` has a queue too, if this configuration is in force. */
export function hasRelease(yaml: string): boolean {
  return yaml.includes('base_branches: [main, release]');
}

/** Whether a queue has one batch at a time, if this configuration is in force. */
export function isSerial(yaml: string): boolean {
  return yaml.includes('type: default');
}

/** How many builds may run at once in all queues, if this configuration is in force. Infinity: any number. */
export function mostBuilds(yaml: string): number {
  return Number(/max_parallel_builds: (\d+)/.exec(yaml)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** Whether pull requests that are red together are built again beside the line, if this configuration is in force. */
export function hasSideBuilds(yaml: string): boolean {
  return yaml.includes('use_parallel_bisection: true') || yaml.includes('use_proactive_dequeue: true');
}

/** Whether a pull request that is red behind others is also built alone, if this configuration is in force. */
export function hasIsolationBuilds(yaml: string): boolean {
  return yaml.includes('use_proactive_dequeue: true');
}

/** After how many failures a pull request returns to the line, if this configuration is in force. */
export function mostRequeues(yaml: string): number {
  return Number(/max_requeue_attempts: (\d+)/.exec(yaml)?.[1] ?? 0);
}

/** Whether the check of a head must pass before its pull request lands, if this configuration is in force. */
export function requiresOwnCheck(yaml: string): boolean {
  return yaml.includes('required_checks: [test]');
}

/** Whether pull requests that do not overlap may land in any order, if this configuration is in force. */
export function isTargeted(yaml: string): boolean {
  return yaml.includes('use_affected_targets: true');
}
