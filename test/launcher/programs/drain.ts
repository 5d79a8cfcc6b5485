import { once } from 'node:events';
import { stopOnSignals } from '../../../src/launcher/stop-signals.ts';

// Drains until the test sends SIGUSR2.
stopOnSignals({
  async stop(reason) {
    console.log(JSON.stringify({ draining: reason }));
    await once(process, 'SIGUSR2');
  },
});
console.log(JSON.stringify({ ppid: process.ppid }));
setInterval(() => undefined, 1000);
