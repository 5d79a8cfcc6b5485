// The live suite: `npm run test:live`, against a repository of GitHub that somebody throws away. docs/live-suite.md.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql/index.js')) }] },
  test: {
    pool: 'forks',
    // One repository, one test at a time.
    maxWorkers: 1,
    fileParallelism: false,
    isolate: false,
    include: ['test/live/*.live.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Workflows wait for a machine first.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000, interval: 1_000 } },
  },
});
