import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { project } from './project.ts';

// A fake vitest that writes the given report.
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
])('the last line of `npm test` counts passed and failed tests if %s', async (_, status, report, line, code) => {
  const clone = await projectWithTests(status, report);
  const run = await clone.run('test.mjs');
  expect([lastLine(run.stdout), run.code]).toEqual([line, code]);
});

test('a failed check and a failed build count as one failure each', async () => {
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

test('with arguments, only the chosen tests and no checks run', async () => {
  const clone = await projectWithTests(0, { numPassedTests: 1, numFailedTests: 0 });
  await clone.write('knip.json', '{}');
  await clone.write('node_modules/.bin/knip', '#!/bin/sh\nexit 1\n');
  const { stdout, code } = await clone.run('test.mjs', ['test/domain']);
  expect(stdout).toContain('test/domain');
  expect([lastLine(stdout), code]).toEqual(['1 passed, 0 failed', 0]);
});

test('changed files select the folders of their tests, and tests without a server by their imports', async () => {
  const { affectedTests } = await import('../../scripts/affected.mjs');
  expect(
    affectedTests([
      'src/modules/releases/deployments.service.ts',
      'src/domain/queue/plan.ts',
      'src/platform/agents/index.ts',
      'test/rest/routes.test.ts',
      'README.md',
    ]),
  ).toEqual({
    filters: ['test/agents', 'test/docs/pages', 'test/queue/landing', 'test/releases', 'test/rest/routes.test.ts'],
    related: [
      'src/modules/releases/deployments.service.ts',
      'src/domain/queue/plan.ts',
      'src/platform/agents/index.ts',
      'test/rest/routes.test.ts',
    ],
  });
  expect(affectedTests(['src/modules/accounts/index.ts'])).toMatchObject({ filters: ['test/accounts'] });
  expect(affectedTests([])).toEqual({ filters: [], related: [] });
});

test('a run has its own folder for files that tests leave behind, and removes it', async () => {
  const clone = await projectWithTests(0, { numPassedTests: 1, numFailedTests: 0 });
  await clone.write(
    'node_modules/vitest/fake.cjs',
    `console.log('in', process.env.TMPDIR, process.env.INTERLOCK_TESTS);${vitest(0, { numPassedTests: 1, numFailedTests: 0 })}`,
  );
  const { stdout } = await clone.run('test.mjs', ['--all', 'test/domain']);
  const [, folder = '', tier] = /^in (\S*) (\S*)$/m.exec(stdout) ?? [];
  expect(folder).toContain('interlock-tests-');
  expect(tier).toBe('all');
  expect(existsSync(folder)).toBe(false);
});
