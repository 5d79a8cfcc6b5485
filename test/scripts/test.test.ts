import { expect, test } from 'vitest';
import { project } from './project.ts';

// Stands in for vitest: writes the report it is told to write.
function vitest(status: number, report: object | null): string {
  return `
    const file = process.argv.find((flag) => flag.startsWith('--outputFile.json=')).split('=')[1];
    console.log('vitest', ...process.argv.slice(5));
    if (${report !== null}) require('node:fs').writeFileSync(file, ${JSON.stringify(JSON.stringify(report))});
    process.exitCode = ${status};`;
}

async function projectWithTests(status: number, report: object | null) {
  const clone = await project();
  await clone.write('src/main.ts', '');
  await clone.write('node_modules/vitest/package.json', '{"type": "commonjs"}');
  await clone.write('node_modules/vitest/vitest.mjs', `import('./fake.cjs');`);
  await clone.write('node_modules/vitest/fake.cjs', vitest(status, report));
  return clone;
}

const lastLine = (stdout: string) => stdout.trimEnd().split('\n').at(-1);

test.each([
  ['every test passes', 0, { numPassedTests: 7, numFailedTests: 0 }, '7 passed, 0 failed', 0],
  ['a test fails', 1, { numPassedTests: 6, numFailedTests: 1 }, '6 passed, 1 failed', 1],
  ['a file does not load', 1, { numPassedTests: 6, numFailedTests: 0 }, '6 passed, 1 failed', 1],
  ['vitest does not start', 1, null, '0 passed, 1 failed', 1],
])('the last line counts: %s', async (_, status, report, line, code) => {
  const clone = await projectWithTests(status, report);
  const run = await clone.run('test.mjs');
  expect([lastLine(run.stdout), run.code]).toEqual([line, code]);
});

test('a failed check and a failed build count one each', async () => {
  const clone = await projectWithTests(0, { numPassedTests: 7, numFailedTests: 0 });
  await clone.write('knip.json', '{}');
  await clone.write('node_modules/.bin/knip', '#!/bin/sh\necho unused; exit 1\n');
  await clone.write('src/broken.ts', '');
  const { stdout, code } = await clone.run('test.mjs');
  expect(stdout).toMatch(
    /unused\ndead code … failed, \d+\.\d s\nFailed checks: build, dead code\.\n7 passed, 2 failed\n$/,
  );
  expect(code).toBe(1);
});

test('arguments choose tests and leave the checks out', async () => {
  const clone = await projectWithTests(0, { numPassedTests: 1, numFailedTests: 0 });
  await clone.write('knip.json', '{}');
  await clone.write('node_modules/.bin/knip', '#!/bin/sh\nexit 1\n');
  const { stdout, code } = await clone.run('test.mjs', ['test/domain']);
  expect(stdout).toContain('test/domain');
  expect([lastLine(stdout), code]).toEqual(['1 passed, 0 failed', 0]);
});

test('what passed only when tried again is named', async () => {
  const results = [
    { fullName: 'steady', status: 'passed', failureMessages: [] },
    { fullName: 'shaky', status: 'passed', failureMessages: ['expected 1 to be 2'] },
    { fullName: 'broken', status: 'failed', failureMessages: ['no', 'no'] },
  ];
  const report = {
    numPassedTests: 2,
    numFailedTests: 1,
    testResults: [{ name: 'a.test.ts', assertionResults: results }],
  };
  const clone = await projectWithTests(1, report);
  const { stdout } = await clone.run('test.mjs');
  expect(stdout).toMatch(/Passed only when tried again: .*a\.test\.ts: shaky\nexpected 1 to be 2\n/);
  expect(stdout).not.toMatch(/again.*(steady|broken)/);
  expect(lastLine(stdout)).toBe('2 passed, 1 failed');
});
