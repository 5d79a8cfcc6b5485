// The marks git leaves where two sides changed the same lines. All three in their order: one alone may be a heading.
import type { Fault } from './syntax.ts';

const marks = [/^<{7}(?: |$)/, /^={7}$/, /^>{7}(?: |$)/];

export function findConflictMarkers(text: string): readonly Fault[] {
  const faults: Fault[] = [];
  let seen = 0;
  let beganAt = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (marks[0]?.test(line) === true) {
      seen = 1;
      beganAt = index + 1;
    } else if (seen > 0 && marks[seen]?.test(line) === true) seen += 1;
    if (seen < marks.length) continue;
    faults.push({ line: beganAt, words: 'A conflict was left behind: its markers stand in the file.' });
    seen = 0;
  }
  return faults;
}
