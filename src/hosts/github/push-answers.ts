// What the end of a `git push` says: a pure reading of git's output. A push is all or nothing, but its answer can be
// lost, so that only a refusal is certain. For everything else the refs are read again.
import { HostUnavailable, HostRefused, RefMoved, type RefUpdate } from '../port.ts';

export interface PushEnd {
  readonly exitCode: number;
  /** The output of `git push --porcelain`. */
  readonly stdout: string;
  readonly stderr: string;
}

export type PushAnswer =
  | { readonly kind: 'done' }
  /** GitHub's rules refuse it, with this message of GitHub. */
  | { readonly kind: 'refused'; readonly message: string }
  /** A ref may have moved, or the answer was lost. */
  | { readonly kind: 'unclear'; readonly message: string };

const refusals =
  /GH00[0-9]|GH01[0-9]|hook declined|rule violations|protected branch|without `?workflows`? permission|push declined|file size limit|funny refname|deny(ing)? /i;
const races = /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|reference already exists/i;

export function readPushAnswer({ exitCode, stdout, stderr }: PushEnd): PushAnswer {
  if (exitCode === 0) return { kind: 'done' };
  const output = outputOf(stdout, stderr);
  // The other refs of an atomic push are refused because one of them is: the rule counts, not the refusal of the rest.
  if (refusals.test(withoutRemarks(output)) && !races.test(rejectionsOf(stdout)))
    return { kind: 'refused', message: withCure(refusalOf(stdout, stderr)) };
  return { kind: 'unclear', message: output };
}

function withCure(message: string): string {
  if (!/without `?workflows`? permission/i.test(message)) return message;
  return `${message}. An owner grants the App the permission "Workflows" (read and write) in the settings of the App, and accepts it in those of the installation.`;
}

/** How the refs stand after a push whose answer decides nothing. `null`: everything stands where it was to stand. */
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

/** An update that cannot be pushed at all. */
export function refuseUpdates(updates: readonly RefUpdate[]): void {
  if (new Set(updates.map(({ ref }) => ref)).size !== updates.length)
    throw new HostRefused('An update names the same ref twice');
}

/** GitHub names large files and rules that the App has passed by, though neither refuses the push. */
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
 * For people, in one line without a full stop: GitHub's sentences. Without any, the reason that git has of a ref; of an
 * atomic push the other refs are refused because of this one.
 */
function refusalOf(stdout: string, stderr: string): string {
  const sentences = remarksOf(stderr).map((line) => line.replace(/^(error: |- )/, ''));
  const reasons = rejectionsOf(stdout)
    .split('\n')
    .map((line) => /\((.*)\)$/.exec(line)?.[1] ?? '');
  const reason = reasons.find((each) => refusals.test(each)) ?? reasons[0] ?? '';
  return (sentences.length === 0 ? reason : sentences.join(' ')).slice(0, 2_000).replace(/\.$/, '');
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
  return (all.length === 0 ? stderr.trim() : all.join('\n')).slice(0, 2_000);
}
