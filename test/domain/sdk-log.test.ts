// Which lines of Temporal's SDK are warnings.
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CallGivenBack } from '../../src/hosts/port.ts';
import { WorkHandedOver } from '../../src/platform/turns/index.ts';
import { writeSdkLine } from '../../src/sdk-log.ts';

const levels = { info: 30, warn: 40 } as const;

function written(message: string, error: unknown): Record<string, unknown> {
  const lines: string[] = [];
  writeSdkLine(pino({}, { write: (line: string) => void lines.push(line) }), {
    message,
    meta: { workflowId: 'batch:1:7', error },
  });
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

const red = ApplicationFailure.nonRetryable('acme/shop #7: red');
const lost = new ActivityFailure('Activity task failed', 'driveBatch', '1', RetryState.TIMEOUT, undefined, red);
it.each([
  ['work that a stop hands over', 'Activity failed', new WorkHandedOver(), 'info', new WorkHandedOver().message],
  ['a call that a stop gives back', 'Activity failed', new CallGivenBack(), 'info', new CallGivenBack().message],
  ['a red batch', 'Workflow failed', structuredClone(red), 'info', 'ApplicationFailure: acme/shop #7: red'],
  ['an activity that failed', 'Activity failed', red, 'warn', expect.stringContaining(' at ')],
  [
    'a workflow whose activity failed',
    'Workflow failed',
    structuredClone(lost),
    'warn',
    expect.stringContaining(' at '),
  ],
] as const)('%s', (_, message, error, level, text) => {
  expect(written(message, error)).toMatchObject({
    level: levels[level],
    temporal: { workflowId: 'batch:1:7', error: text },
  });
});

it('a line without an error is a warning', () => {
  expect(written('The server is slow', undefined)).toMatchObject({ level: 40, msg: 'The server is slow' });
});
