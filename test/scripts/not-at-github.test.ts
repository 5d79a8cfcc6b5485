// If a test is renamed, its old name must not stay in the list of tests that do not run with the emulator of GitHub.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { notAtGitHub } from '../support/not-at-github.ts';

const stories = Object.entries(notAtGitHub).flatMap(([file, reasons]) =>
  Object.keys(reasons).map((name) => ({ file, name })),
);

it.each(stories)('$file has the test $name', ({ file, name }) => {
  const text = readFileSync(join(projectRoot, 'test/queue', file), 'utf8');
  const names = [...text.matchAll(/(?:^\s*|\()'((?:[^'\\\n]|\\.)+)',/gm)].map(([, found = '']) => found);
  const isNamed = (pattern: string): boolean =>
    new RegExp(`^${pattern.split('%s').map(literally).join('.+')}$`).test(name);
  expect(names.some(isNamed)).toBe(true);
});

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
