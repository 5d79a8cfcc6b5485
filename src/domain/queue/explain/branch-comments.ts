// Comments that the service writes on a pull request about its branch, separate from the status comment.
import { describeFreezeForAll, type FreezeInForce } from '../../releases/freeze.ts';
import { shorten } from '../requests/message.ts';

export const syncKey = 'sync';

const maxPaths = 20;

/** A Markdown list. A long list shows only its first paths. */
function listPaths(paths: readonly string[]): string {
  if (paths.length === 0) return 'The host names no paths.';
  const shown = paths.slice(0, maxPaths).map((path) => `- \`${path}\``);
  const left = paths.length - shown.length;
  return [...shown, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

export function syncConflictComment(conflict: {
  readonly baseBranch: string;
  readonly method: 'merge' | 'rebase';
  readonly paths: readonly string[];
}): string {
  const { baseBranch, method, paths } = conflict;
  const action =
    method === 'rebase' ? `Rebasing the branch onto \`${baseBranch}\`` : `Merging \`${baseBranch}\` into the branch`;
  return `**Not brought up to date.** ${action} conflicts in:\n\n${listPaths(paths)}\n\nResolve the conflict on the branch and push.`;
}

export function syncRefusedComment(refusal: { readonly baseBranch: string; readonly message: string }): string {
  return `**Not brought up to date** with \`${refusal.baseBranch}\`: ${refusal.message}.`;
}

export function syncedComment(synced: { readonly baseBranch: string; readonly head: string }): string {
  return `**Up to date** with \`${synced.baseBranch}\` again, at ${synced.head}.`;
}

/** Written on the first pull request in line. */
export function frozenComment(baseBranch: string, frozen: FreezeInForce): string {
  return `Nothing is merged into \`${baseBranch}\` for now: it is ${describeFreezeForAll(frozen)}`;
}

export type BackportNews =
  | { readonly kind: 'started' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'opened'; readonly number: number; readonly url: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly commits: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/** Start, result and failure are separate comments. News with the same key edits the existing comment. */
export function backportKey(target: string, news: BackportNews): string {
  const part = {
    started: 'begin',
    waiting: 'begin',
    opened: 'result',
    conflict: 'failure',
    refused: 'failure',
  } as const satisfies Record<BackportNews['kind'], string>;
  return `backport:${target}:${part[news.kind]}`;
}

export function backportComment(target: string, news: BackportNews): string {
  switch (news.kind) {
    case 'started':
      return `**Backport** to \`${target}\` has started.`;
    case 'waiting':
      return `**Backport** to \`${target}\` begins when this pull request is merged.`;
    case 'opened':
      return `**Backport** to \`${target}\`: opened as #${news.number}, ${news.url}`;
    case 'conflict':
      return `**Backport** to \`${target}\` conflicts in:\n\n${listPaths(news.paths)}\n\nNothing was pushed. To make the backport by hand, run on a branch made from \`${target}\`: \`git cherry-pick ${news.commits.join(' ')}\` (\`-m 1\` for a merge commit).`;
    case 'refused':
      return `**Backport** to \`${target}\` was not made: ${news.message}.`;
    default:
      return news satisfies never;
  }
}

export function backportBranch(number: number, target: string): string {
  return `interlock/backport-${number}-to-${target}`;
}

/** Code hosts refuse longer titles: GitHub takes 256 characters. */
const longestTitle = 256;

export function backportTitle(target: string, title: string): string {
  return shorten(`[${target}] ${title}`, longestTitle);
}

export function backportBody(source: {
  readonly number: number;
  readonly url: string;
  readonly target: string;
}): string {
  return `Backport of #${source.number} (${source.url}) to \`${source.target}\`.`;
}
