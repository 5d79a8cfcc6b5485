// What a process logs while the database does not answer.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createFailureLog } from '../../src/platform/outage.ts';

function logged(errors: readonly Error[]): string[] {
  const messages: string[] = [];
  const log = pino({}, { write: (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg) });
  const onError = createFailureLog(log, 'A part of the service failed.');
  for (const error of errors) onError(error);
  return messages;
}

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });

it('many failures of one outage are one line, which names the database', () => {
  expect(logged([refused, refused, starting, refused])).toEqual([
    'The database does not answer. Interlock tries again.',
  ]);
});

it('other failures are logged each, during an outage too', () => {
  expect(logged([deadlock, refused, new Error('no folder'), refused, deadlock])).toEqual([
    'A part of the service failed.',
    'The database does not answer. Interlock tries again.',
    'A part of the service failed.',
    'A part of the service failed.',
  ]);
});
