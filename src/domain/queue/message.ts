// Messages of the commits a landing makes. Fixed when the build is made: what was tested is what lands, words included.
export interface MessageSource {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** `merge_commit_message` of the request that queued it (interface 4.3); null where it said nothing. */
  readonly mergeTitle: string | null;
  readonly mergeBody: string | null;
}

/** Message of a pull request's own commit. */
export function ownMessage(source: MessageSource, rules: { readonly useTitleAndBody: boolean }): string {
  const title =
    source.mergeTitle ??
    (rules.useTitleAndBody ? `${source.title} (#${source.number})` : `Merge pull request #${source.number}`);
  const body = source.mergeBody ?? (rules.useTitleAndBody ? source.body : '');
  return body.trim() === '' ? `${title}\n` : `${title}\n\n${body.trim()}\n`;
}

/** Message of a group commit: one line that `git log --first-parent` shows, then its members in queue order. */
export function groupMessage(members: readonly MessageSource[]): string {
  const numbers = members.map((member) => `#${member.number}`);
  const last = numbers.pop() ?? '';
  const named = numbers.length === 0 ? last : `${numbers.join(', ')} and ${last}`;
  const lines = members.map((member) => `* ${member.mergeTitle ?? member.title} (#${member.number})`);
  return `Land ${named}\n\n${lines.join('\n')}\n`;
}
