// Loads pure tests for mutation testing: `npm run mutation`. Their `vitest` is replaced, so that they can run many times
// in one process.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const collected = fileURLToPath(new URL('test/support/mutation/collected.ts', import.meta.url));

export default defineConfig({
  plugins: [
    {
      name: 'collected tests',
      enforce: 'pre',
      transform(code, id) {
        const isTest = /\/test\/(?!support\/mutation\/).*\.ts$/.test(id);
        return isTest ? { code: code.replaceAll("from 'vitest'", `from '${collected}'`), map: null } : null;
      },
    },
  ],
  // As in vitest.config.ts.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql/index.js')) }] },
  test: {
    include: ['test/support/mutation/serve.mutation.ts'],
    // The thread ends with the process that Stryker kills if a mutant does not end.
    pool: 'threads',
    maxWorkers: 1,
    reporters: [{}],
    watch: false,
    testTimeout: 0,
    teardownTimeout: 1_000,
  },
});
