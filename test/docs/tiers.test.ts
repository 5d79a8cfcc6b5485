import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

function isOfTwoTiers(path: string): boolean {
  return path.endsWith('.full.test.ts') || /from '\S+support\/tier\.ts'/.test(readFileSync(path, 'utf8'));
}

it('CONTRIBUTING.md has a row for each test file that runs fewer cases by default', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(test\/\S+\.test\.ts)` \| /gm)].map(([, path]) => path);
  expect(rows.toSorted()).toEqual(globSync('test/**/*.test.ts').filter(isOfTwoTiers).toSorted());
});
