// Decides which workflows an event starts. The decision is pure: the caller reads the workflow files of the commit and
// the changed paths.
import type { DispatchInput, Filters, WorkflowFile } from './workflow-file.ts';

export type TriggerEvent =
  | {
      readonly kind: 'push';
      /** The full name of the ref, such as `refs/heads/main`. */
      readonly ref: string;
      readonly changedPaths: readonly string[];
      readonly message: string;
    }
  | {
      readonly kind: 'pull_request';
      /** `opened`, `synchronize`, `reopened`, `edited`, … */
      readonly action: string;
      readonly base: string;
      readonly changedPaths: readonly string[];
      /** The message of the head commit. */
      readonly message: string;
    };

const skipInstruction = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/;
const skipTrailer = /\n\n(?:.*\n)*skip-checks:\s*true\s*$/;

/**
 * Whether the commit message has an instruction such as `[skip ci]`. Then a push or a pull request starts no workflow.
 */
const isSkippedByMessage = (message: string): boolean => skipInstruction.test(message) || skipTrailer.test(message);

const defaultTypes = ['opened', 'synchronize', 'reopened'];

function passesPaths(filter: Filters, changed: readonly string[]): boolean {
  if (filter.paths !== undefined) {
    const { paths } = filter;
    return changed.some((path) => matchesFilter(paths, path));
  }
  const ignored = filter['paths-ignore'];
  return ignored === undefined || changed.some((path) => !matchesFilter(ignored, path));
}

function passesBranches(filter: Filters, branch: string): boolean {
  if (filter.branches !== undefined) return matchesFilter(filter.branches, branch);
  const ignored = filter['branches-ignore'];
  return ignored === undefined || !matchesFilter(ignored, branch);
}

function passesTags(filter: Filters, tag: string): boolean {
  if (filter.tags !== undefined) return matchesFilter(filter.tags, tag);
  const ignored = filter['tags-ignore'];
  return ignored === undefined || !matchesFilter(ignored, tag);
}

function startsAtPush(filter: Filters, event: Extract<TriggerEvent, { kind: 'push' }>): boolean {
  const hasBranches = filter.branches !== undefined || filter['branches-ignore'] !== undefined;
  const hasTags = filter.tags !== undefined || filter['tags-ignore'] !== undefined;
  if (event.ref.startsWith('refs/tags/')) {
    // A workflow with filters only for branches does not start for tags. A workflow with filters only for tags does not
    // start for branches.
    return (hasTags || !hasBranches) && passesTags(filter, event.ref.slice('refs/tags/'.length));
  }
  if (!event.ref.startsWith('refs/heads/') || (hasTags && !hasBranches)) return false;
  return passesBranches(filter, event.ref.slice('refs/heads/'.length)) && passesPaths(filter, event.changedPaths);
}

export function isStartedBy(workflow: WorkflowFile, event: TriggerEvent): boolean {
  if (isSkippedByMessage(event.message)) return false;
  if (event.kind === 'push') return workflow.push !== null && startsAtPush(workflow.push, event);
  const filter = workflow.pullRequest;
  if (filter === null || !(filter.types ?? defaultTypes).includes(event.action)) return false;
  return passesBranches(filter, event.base) && passesPaths(filter, event.changedPaths);
}

export type InputDecision =
  | { readonly kind: 'taken'; readonly inputs: Readonly<Record<string, string>> }
  | { readonly kind: 'refused'; readonly message: string };

function refuseInput(name: string, input: DispatchInput, value: string | undefined): string | null {
  if (value === undefined || value === '') {
    return input.required && input.default === undefined ? `Required input '${name}' not provided` : null;
  }
  if (input.type === 'choice' && !(input.options ?? []).includes(value)) {
    return `Provided value '${value}' for input '${name}' not in the list of allowed values`;
  }
  if (input.type === 'boolean' && value !== 'true' && value !== 'false') {
    return `Provided value '${value}' for input '${name}' not in the list of allowed values`;
  }
  return null;
}

/** The inputs of a dispatched run with their defaults, or the message with which GitHub refuses the dispatch (422). */
export function decideInputs(workflow: WorkflowFile, given: Readonly<Record<string, unknown>>): InputDecision {
  const declared = workflow.dispatch;
  if (declared === null) return { kind: 'refused', message: "Workflow does not have 'workflow_dispatch' trigger" };
  const unknown = Object.keys(given).filter((name) => !(name in declared));
  if (unknown.length > 0) {
    return { kind: 'refused', message: `Unexpected inputs provided: ${JSON.stringify(unknown)}` };
  }
  const values = new Map(Object.entries(given).map(([name, value]) => [name, String(value)]));
  for (const [name, input] of Object.entries(declared)) {
    const message = refuseInput(name, input, values.get(name));
    if (message !== null) return { kind: 'refused', message };
  }
  const inputs = Object.entries(declared).map(([name, input]) => [name, values.get(name) ?? input.default ?? '']);
  return { kind: 'taken', inputs: Object.fromEntries(inputs) as Record<string, string> };
}

/** The last matching pattern decides. A pattern that begins with `!` excludes. */
export function matchesFilter(patterns: readonly string[], name: string): boolean {
  return patterns.reduce((taken, pattern) => {
    const negative = pattern.startsWith('!');
    return toRegExp(negative ? pattern.slice(1) : pattern).test(name) ? !negative : taken;
  }, false);
}

// Filter patterns of workflow files (`branches`, `paths`) are not shell globs: `?` and `+` apply to the character
// before them, `*` matches no slash, and `**` matches slashes too.
function toRegExp(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    if (letter === '*' && pattern[at + 1] === '*') {
      // `**/x` also matches `x`.
      const leading = pattern[at + 2] === '/' && (at === 0 || pattern[at - 1] === '/');
      source += leading ? '(?:.*/)?' : '.*';
      at += leading ? 2 : 1;
    } else if (letter === '*') source += '[^/]*';
    else if (letter === '?' || letter === '+' || letter === '[' || letter === ']') source += letter;
    else if (letter === '\\') {
      at += 1;
      source += `\\${pattern[at] ?? '\\'}`;
    } else source += letter.replace(/[.^$(){}|/]/, '\\$&');
  }
  return new RegExp(`^${source}$`);
}
