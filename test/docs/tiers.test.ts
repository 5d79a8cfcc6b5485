import { readFileSync, globSync } from 'node:fs';
import { expect, it } from 'vitest';

it('CONTRIBUTING has a row for each test file that proves less by default', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(test\/\S+\.test\.ts)` \| /gm)].map(([, path]) => path);
  const files = globSync('test/**/*.test.ts').filter((path) => readFileSync(path, 'utf8').includes("support/tier.ts'"));
  expect(rows.toSorted()).toEqual(files.toSorted());
});
