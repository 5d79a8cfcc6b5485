// The grades of a landing in words.
import type { ReactNode } from 'react';
import { labelOf } from '../design/labels.ts';
import { Pill, Seal } from '../design/parts.tsx';

export const grades = {
  EXACT: 'The commit that landed is the commit that was tested.',
  SAME_TREE: 'Another commit landed, with the very tree that was tested.',
  COMPOSED: 'Pull requests that do not affect each other were tested apart, each part green.',
  HOST_MERGED: 'The code host made the commit; its tree is the tree that was tested.',
  UNVALIDATED: 'Somebody merged the pull request without validation.',
  EXTERNAL: 'Somebody pushed the commit past the queue, so there is no proof.',
} as const;

type ProofGrade = keyof typeof grades;

/** Whether the grade says that nothing was tested. */
export function isUntested(grade: ProofGrade | null): boolean {
  return grade === 'UNVALIDATED' || grade === 'EXTERNAL';
}

/** Says in a few words what is proved about a landing. */
export function GradeSeal({ grade }: { readonly grade: ProofGrade }): ReactNode {
  if (isUntested(grade)) return <Pill tone="amber">not tested</Pill>;
  return <Seal>{`proved, ${labelOf(grade)}`}</Seal>;
}
