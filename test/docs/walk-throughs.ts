// Sections whose blocks of shell are run, in order and in one shell, against an Interlock that the test has started.
import type { Block } from './pages.ts';

export const walkThroughs = [
  { path: 'docs/walk-through.md', headings: ['Step by step'] },
  { path: 'docs/operations.md', headings: ['Health', 'Signing in with a browser', 'Tokens', 'Halting and pausing'] },
  { path: 'docs/command-line.md', headings: ['Try it'] },
] as const;

export function isWalkThrough(path: string, block: Block): boolean {
  return walkThroughs.some(
    (walk) => walk.path === path && walk.headings.some((heading) => block.under.includes(heading)),
  );
}
