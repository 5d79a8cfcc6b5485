// Decides which pull request a leaf's commit belongs to, and writes the texts of a runbook's pull requests.
import { hasLabel } from '../label-names.ts';
import { isLive, runbookBranch, type PrMode, type RunbookPullRequestState, type StepStatus } from './runbook.ts';

export interface PlacedPullRequest {
  readonly id: string;
  readonly ordinal: number;
  readonly branch: string;
  readonly state: RunbookPullRequestState;
  /** Numbers of the steps, such as `2`, whose leaves have commits in the pull request. */
  readonly steps: readonly string[];
}

/** The place of a leaf's commit: an existing pull request, or a new pull request from the tip of `baseBranch`. */
export type Place =
  | { readonly kind: 'there'; readonly id: string; readonly branch: string }
  | { readonly kind: 'next'; readonly ordinal: number; readonly branch: string; readonly baseBranch: string };

export interface LeafPlacement {
  readonly number: number;
  readonly prMode: PrMode;
  readonly targetBranch: string;
  /** In order. */
  readonly pullRequests: readonly PlacedPullRequest[];
}

/** `leaf` is its number, such as `2.1`. */
export function placeLeaf({ number, prMode, targetBranch, pullRequests }: LeafPlacement, leaf: string): Place {
  const live = pullRequests.filter(isLive);
  const newest = live.at(-1);
  const step = stepOf(leaf);
  const existing = prMode === 'stacked_pr' ? live.find(({ steps }) => steps.includes(step)) : newest;
  if (existing !== undefined) return { kind: 'there', id: existing.id, branch: existing.branch };
  const ordinal = (pullRequests.at(-1)?.ordinal ?? 0) + 1;
  return { kind: 'next', ordinal, branch: runbookBranch(number, ordinal), baseBranch: newest?.branch ?? targetBranch };
}

export function stepOf(leaf: string): string {
  return leaf.split('.')[0] ?? leaf;
}

export interface DescribedLeaf {
  readonly number: string;
  readonly title: string;
  readonly status: StepStatus;
  readonly summary: string | null;
}

export interface PullRequestFacts {
  readonly runbookNumber: number;
  readonly title: string;
  readonly url: string;
  /** The text at the top. Null: no text was given, or another pull request of the runbook has the text. */
  readonly description: string | null;
  /** The leaves with commits in the pull request, in order. */
  readonly leaves: readonly DescribedLeaf[];
  /** Numbers of the open pull requests that this one is stacked on, the lowest first. */
  readonly below: readonly number[];
  readonly agent: 'script' | 'model';
}

const maxBodyCharacters = 60_000;

/** Markdown. The agent's text is quoted unchanged, and marked as the agent's. */
export function pullRequestBody(facts: PullRequestFacts): string {
  const parts = [
    ...(facts.description === null || facts.description.trim() === '' ? [] : [facts.description.trimEnd()]),
    ...(facts.below.length === 0
      ? []
      : [`Stacked on ${facts.below.map((number) => `#${number}`).join(', ')}. Merge this pull request afterwards.`]),
    '### What was done',
    facts.leaves.map(leafText).join('\n'),
    `---\n_Made by runbook [${facts.runbookNumber}](${facts.url}), ${oneLine(facts.title)}${facts.agent === 'model' ? ', with a model: read it as you would read a stranger’s change' : ''}._`,
  ];
  const body = parts.join('\n\n');
  return body.length <= maxBodyCharacters ? body : `${body.slice(0, maxBodyCharacters).toWellFormed()}…`;
}

function leafText({ number, title, summary }: DescribedLeaf): string {
  const paragraph = summary === null || summary.trim() === '' ? '' : `\n${indent(summary.trim())}`;
  return `- **${number}** ${oneLine(title)}${paragraph}`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : `  ${line}`))
    .join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The first line is the agent's, at most 72 characters. The whole message names its origin. */
export function commitMessage(text: string, of: { readonly runbookNumber: number; readonly leaf: string }): string {
  const [first = '', ...rest] = text.replaceAll('\r', '').trim().split('\n');
  const subject = first.trim() === '' ? `Step ${of.leaf} of runbook ${of.runbookNumber}` : first.trim();
  const isLong = subject.length > 72;
  const head = isLong ? `${subject.slice(0, 71).toWellFormed()}…` : subject;
  const body = [...(isLong ? [subject] : []), ...rest].join('\n').trim();
  return `${[head, ...(body === '' ? [] : [body]), `Runbook: ${of.runbookNumber}\nRunbook-Step: ${of.leaf}`].join('\n\n')}\n`;
}

/**
 * The labels of a pull request now. Labels that make a request to the queue wait until the runbook is finished, because
 * otherwise an unfinished change would be merged.
 */
export function labelsNow(
  labels: readonly string[],
  { triggering, isDone }: { readonly triggering: readonly string[]; readonly isDone: boolean },
): readonly string[] {
  return isDone ? labels : labels.filter((label) => !hasLabel(triggering, label));
}
