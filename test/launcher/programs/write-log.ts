import { createLog, openLogDestination } from '../../../src/platform/logging.ts';

// Writes lines to the log that is its argument, and ends.
const log = createLog({
  level: 'info',
  secrets: [],
  destination: openLogDestination({ dest: process.argv[2] ?? '', mode: 0o600 }),
});
for (let line = 0; line < 100; line += 1) {
  log.info({ line }, 'x'.repeat(1_000));
  await new Promise(setImmediate);
}
console.log('written');
