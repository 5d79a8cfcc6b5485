// What Temporal's SDK says, as lines of the log of the process. The SDK warns about each activity and workflow that
// ends with an error. Some of these errors are part of normal operation.
import type { Logger } from 'pino';
import { CallGivenBack } from './hosts/port.ts';
import { errorText, withErrorTexts } from './platform/logging.ts';
import { WorkHandedOver } from './platform/turns/index.ts';

export interface SdkLine {
  readonly message: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Work that a process gives back while it stops, and failures by which workflows show their outcome, are not warnings. */
export function writeSdkLine(log: Logger, { message, meta = {} }: SdkLine): void {
  const { error } = meta;
  if (error instanceof WorkHandedOver || error instanceof CallGivenBack)
    log.info({ temporal: { ...meta, error: error.message } }, 'This process gives work back to other workers.');
  else if (message === 'Workflow failed' && isOutcome(error))
    log.info({ temporal: { ...meta, error: errorText(error).split('\n')[0] } }, 'A workflow ended as failed.');
  else log.warn({ temporal: withErrorTexts(meta) }, message);
}

// Workflows throw an ApplicationFailure themselves only to show how a batch, a deployment and so on ended. An error in
// their code fails a task of the workflow instead, and an error of an activity is an ActivityFailure. The error comes
// from another thread, so only its stack tells its class.
function isOutcome(error: unknown): boolean {
  return errorText(error).startsWith('ApplicationFailure: ');
}
