// Parses the result of `git push` from its output. Pure. A push applies all its updates or none, but its answer may be
// lost. So only a success and a refusal are certain, and in every other case the refs are read again.
import { HostUnavailable, HostRefused, RefMoved, type RefUpdate } from '../port.ts';

export interface PushEnd {
  readonly exitCode: number;
  /** The output of `git push --porcelain`. */
  readonly stdout: string;
  readonly stderr: string;
}

export type PushAnswer =
  | { readonly kind: 'done' }
  /** GitHub's rules refused the push, with this message. `isForAll`: they refuse every push, whatever its commits. */
  | { readonly kind: 'refused'; readonly message: string; readonly isForAll: boolean }
  /** Another push moved a ref, or the answer was lost. */
  | { readonly kind: 'unclear'; readonly message: string };

const refusals =
  /GH00[0-9]|GH01[0-9]|hook declined|rule violations|protected branch|without `?workflows`? permission|push declined|file size limit|funny refname|deny(ing)? /i;
/** GitHub's sentences about rules that do not look at the commits of a push, after the line that names the refusal. */
const refusesAll =
  /GH0(?:06|13)[^]*(?:Changes must be made through (?:a pull request|the merge queue)|not authorized to push to this branch|Cannot update this protected ref|Cannot change this locked branch)/i;
const races = /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|reference already exists/i;

export function readPushAnswer({ exitCode, stdout, stderr }: PushEnd): PushAnswer {
  if (exitCode === 0) return { kind: 'done' };
  const output = outputOf(stdout, stderr);
  // If a rule refuses one ref of an atomic push, git reports all other refs as refused too. The message of the rule
  // counts.
  if (refusals.test(withoutRemarks(output)) && !races.test(rejectionsOf(stdout)))
    return { kind: 'refused', message: withCure(refusalOf(stdout, stderr)), isForAll: refusesAll.test(output) };
  return { kind: 'unclear', message: output };
}

function withCure(message: string): string {
  if (!/without `?workflows`? permission/i.test(message)) return message;
  return `${message}. An owner must grant the App the permission "Workflows" (read and write) in the settings of the App, and accept the permission in the settings of the installation.`;
}

/** Judges the refs that were read after a push with an unclear result. Null: all updates were applied. */
export function judgeRefs(
  updates: readonly RefUpdate[],
  actual: ReadonlyMap<string, string>,
  message: string,
): Error | null {
  const at = (ref: string): string | null => actual.get(ref) ?? null;
  if (updates.every(({ ref, to }) => at(ref) === to)) return null;
  const moved = updates.find(({ ref, from, to }) => at(ref) !== from && at(ref) !== to);
  if (moved !== undefined) return new RefMoved(moved.ref, moved.from, at(moved.ref));
  const half = updates.filter(({ ref, from, to }) => from !== to && at(ref) === to);
  return new HostUnavailable(
    half.length === 0
      ? `GitHub moved nothing: ${message}`
      : `GitHub moved ${half.map(({ ref }) => ref).join(', ')} alone: ${message}`,
  );
}

/** Throws HostRefused if a ref is updated twice. */
export function refuseUpdates(updates: readonly RefUpdate[]): void {
  if (new Set(updates.map(({ ref }) => ref)).size !== updates.length)
    throw new HostRefused('An update names the same ref twice');
}

/** The output without warnings. GitHub's warnings about large files and bypassed rules do not refuse the push. */
function withoutRemarks(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^(warning:|Bypassed rule violations)/.test(line))
    .join('\n');
}

function rejectionsOf(stdout: string): string {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .join('\n');
}

/**
 * The reason for people, in one line without a full stop. It has GitHub's sentences, or else the reason in git's line
 * of a ref. The line of a ref that a rule refused comes first, because the other refs of an atomic push are refused
 * only as a consequence.
 */
function refusalOf(stdout: string, stderr: string): string {
  const sentences = remarksOf(stderr).map((line) => line.replace(/^(error: |- )/, ''));
  const reasons = rejectionsOf(stdout)
    .split('\n')
    .map((line) => /\((.*)\)$/.exec(line)?.[1] ?? '');
  const reason = reasons.find((each) => refusals.test(each)) ?? reasons[0] ?? '';
  return (sentences.length === 0 ? reason : sentences.join(' ')).slice(0, 2_000).toWellFormed().replace(/\.$/, '');
}

function remarksOf(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .filter((line) => line !== '');
}

function outputOf(stdout: string, stderr: string): string {
  const remote = remarksOf(stderr);
  const rejected = rejectionsOf(stdout)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').slice(1).join(' '));
  const all = [...remote, ...rejected];
  return (all.length === 0 ? stderr.trim() : all.join('\n')).slice(0, 2_000).toWellFormed();
}
