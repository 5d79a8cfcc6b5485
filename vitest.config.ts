import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isFullRun } from './test/support/tier.ts';
import { planting } from './test/support/mutants.mjs';
import { LongestFirst } from './test/support/longest-first.ts';

// Tests that need no server start none: `npx vitest run test/domain` is there at once.
const pure = [
  'test/domain/**/*.test.ts',
  'test/dashboard/line*.test.ts',
  'test/dashboard/cache.test.ts',
  'test/dashboard/week.test.ts',
  'test/scripts/**/*.test.ts',
  'test/cli/{help,rules}.test.ts',
  'test/action/inputs.test.ts',
  'test/agents/model*.test.ts',
  'test/previews/analysis.test.ts',
  'test/github-emulator/**/*.test.ts',
];
// They start servers of their own.
const launcher = ['test/launcher/**/*.test.ts'];
// They start the built programs.
const endToEnd = ['test/e2e/**/*.test.ts', 'test/docs/walk-through.test.ts'];
// Stories of the queue that `npm run test:all` also plays at the emulator of GitHub, where each takes ten times as long.
const atGitHub = [
  'landing',
  'arrivals.landing',
  'arrivals.building',
  'failures',
  'merging',
  'recovery',
  'stacks',
  'stacks.full',
  'notifications',
  'final-gates',
  'sync',
  'backport',
  'auto-update',
  'branch-pause',
  'branch-freeze',
].map((name) => `test/queue/${name}.test.ts`);
const patient = { setupFiles: ['test/support/at-github.setup.ts'], testTimeout: 600_000 };
// They wait for `npm run test:all`.
const heavy = isFullRun ? [] : ['test/**/*.full.test.ts'];

const mutant = process.env['MUTANT'];

export default defineConfig({
  ...(mutant === undefined ? {} : { plugins: mutant.split(',').map((index) => planting(Number(index))) }),
  resolve: {
    // Vite prefers graphql's ESM build, while packages outside of Vite load its CommonJS build: two realms.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql/index.js')) }],
  },
  test: {
    // A planted fault must not be in the modules that later runs load.
    fsModuleCache: mutant === undefined,
    pool: 'forks',
    // More than there are cores on a small machine: tests wait for processes, leases and clocks too.
    maxWorkers: Math.min(6, availableParallelism() + 2),
    // What is waited for comes late on a busy machine: that is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      // A worker runs one file after the other in the same process: loading the service takes longer than many files.
      { extends: true, test: { name: 'pure', isolate: false, include: pure, exclude: heavy } },
      { extends: true, test: { name: 'launcher', include: launcher } },
      {
        extends: true,
        test: {
          name: 'end to end',
          include: endToEnd,
          exclude: heavy,
          globalSetup: ['test/e2e/build.ts'],
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integrated',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...pure, ...launcher, ...endToEnd, ...heavy],
          globalSetup: ['test/support/global-setup.ts'],
          ...(process.env['HOST'] === 'github' && patient),
        },
      },
      ...(isFullRun
        ? [
            {
              extends: true as const,
              test: {
                name: 'at github',
                isolate: false,
                include: atGitHub,
                env: { HOST: 'github' },
                globalSetup: ['test/support/global-setup.ts'],
                ...patient,
              },
            },
          ]
        : []),
    ],
  },
});
