// A process that only sequences events, so that a test can kill it: `node sequencing-process.ts <database url>`.
import { pino } from 'pino';
import { createSequencer } from '../../src/modules/events/sequencer.ts';
import { connectDatabase } from '../../src/platform/database.ts';

const db = await connectDatabase({ url: process.argv[2] ?? '', entities: [] });
createSequencer({ db, log: pino({ level: 'silent' }), intervalMs: 5, coalesceMs: 1 }).start();
process.stdout.write('sequencing\n');
