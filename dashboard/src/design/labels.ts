// Turns numbers, plurals, lists, enums, commits and times of the day into text.
const integer = new Intl.NumberFormat();
const conjunction = new Intl.ListFormat('en', { type: 'conjunction' });

/** `14:38`. After midnight, some browsers would write `24:05` with `hour12: false`. */
export const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${integer.format(n)} ${n === 1 ? singular : plural}`;
}

/** `ada, ben, and cleo`. */
export function list(all: readonly string[]): string {
  return conjunction.format(all);
}

/** `#1, #2, and #3`. A long list is cut, as in `#1, #2, #3, #4, and 8 more`. */
export function numbers(all: readonly number[], max = 5): string {
  if (all.length <= max) return conjunction.format(all.map((number) => `#${number}`));
  return conjunction.format([...all.slice(0, max - 1).map((number) => `#${number}`), `${all.length - max + 1} more`]);
}

/** `PARTIALLY_COMPLETED` as `partially completed`. */
export function labelOf(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}

export function sentence(name: string): string {
  const text = labelOf(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Turns `service~1` into `service`. The number is part of the name of a user who has no handle on the code host. */
export function personOf(author: string): string {
  return author.replace(/~\d+$/, '');
}

/** The characters that begin or end an embedding, an override or an isolate of the writing direction. */
const directionControls = /[\u202A-\u202E\u2066-\u2069]/g;

/** The text without the characters that reorder the text around them. */
export function withoutDirections(text: string): string {
  return text.replace(directionControls, '');
}

/** The number that an address names. Null: the text is no number of the API. */
export function numberOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

export function shortenCommit(commit: string): string {
  return commit.slice(0, 8);
}

/** The facts of events in which users write. They may be a single word. */
const writtenByUsers = /(?:reason|message)$/i;

/**
 * Joins the texts among an event's facts, such as a reason. Ids, numbers and other single words are left out, and a diff
 * is replaced by its size.
 */
export function textsOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return '';
  return Object.entries(payload)
    .filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && (/\s/.test(entry[1]) || writtenByUsers.test(entry[0])),
    )
    .map(([key, text]) => (key === 'diff' ? sizeOfDiff(text) : text))
    .join(' ');
}

/** `2 lines added, 1 line removed`. */
function sizeOfDiff(diff: string): string {
  const lines = diff.split('\n');
  const added = lines.filter((line) => /^\+(?!\+\+ )/.test(line)).length;
  const removed = lines.filter((line) => /^-(?!-- )/.test(line)).length;
  return [
    ...(added > 0 ? [`${count(added, 'line')} added`] : []),
    ...(removed > 0 ? [`${count(removed, 'line')} removed`] : []),
  ].join(', ');
}
