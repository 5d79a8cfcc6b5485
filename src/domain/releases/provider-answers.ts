// Decides what an answer of a provider means for a deployment or for the build of a candidate, and when the provider is
// called again.
import { backOff } from '../turns.ts';
import type { CandidateStatus, DeploymentStatus } from './release.ts';
import type { DeploymentSituation } from './situation.ts';

/** Whether a report has said since the start that the run goes on. */
export function isReportedAsRunning({
  status,
  triggerStartedAt,
  isReportedSinceStart,
}: Pick<DeploymentSituation, 'status' | 'triggerStartedAt' | 'isReportedSinceStart'>): boolean {
  return status === 'in_progress' && triggerStartedAt !== null && isReportedSinceStart;
}

/**
 * What follows if the provider refuses the start. If a report says that the run goes on, the provider carries out the
 * run that an earlier call started (`goes_on`). Only a provider that is called over HTTP can be asked about a run, and
 * can be told to cancel it, without the answer to its start. `isRepeated`: an earlier call may have started the run.
 */
export function decideRefusedStart(
  situation: Pick<DeploymentSituation, 'status' | 'provider' | 'triggerStartedAt' | 'isReportedSinceStart'>,
  { isRepeated }: { readonly isRepeated: boolean },
): 'goes_on' | 'canceled' | 'error' {
  const canBeReached = situation.provider.kind === 'http';
  if (situation.status === 'canceling') return isRepeated && !canBeReached ? 'error' : 'canceled';
  return canBeReached && isReportedAsRunning(situation) ? 'goes_on' : 'error';
}

/** The back-off before the next call of the provider, in milliseconds, after this many calls in a row. */
export const pauseAfter = backOff([2, 4, 8, 15, 30, 60]);

const maxCancelCalls = 10;

/**
 * The back-off after this many failed calls in a row, in milliseconds. Null: the provider of a deployment that was
 * canceled without the slot is not called again. The provider of any other deployment is called until the time limit.
 */
export function pauseAfterFailure({
  cancelPending,
  calls,
}: Pick<DeploymentSituation, 'cancelPending' | 'calls'>): number | null {
  return cancelPending && calls >= maxCancelCalls ? null : pauseAfter(calls);
}

/** `gone`: the provider does not know the run. `unknown`: the answer is not understood, or the provider cannot tell. */
export type ProviderState = 'running' | 'success' | 'failure' | 'canceled' | 'error' | 'gone' | 'unknown';

/** The statuses that a deployment gets after the provider's answer, in order. Empty: the status does not change. */
export function statusesByReading(
  state: ProviderState,
  { status, triggeredAt }: { readonly status: DeploymentStatus; readonly triggeredAt: number | null },
): readonly DeploymentStatus[] {
  if (status !== 'in_progress' && status !== 'canceling') return [];
  switch (state) {
    case 'success':
    case 'failure':
    case 'error':
      return [state];
    case 'canceled':
      // The run was stopped at the provider. If nobody had canceled it here, the status `canceling` comes first.
      return status === 'canceling' ? ['canceled'] : ['canceling', 'canceled'];
    case 'running':
      return [];
    case 'gone':
      // The provider may have deleted the record of an ended run. A run that is being canceled has ended in any case.
      return status === 'canceling' ? ['canceled'] : [];
    case 'unknown':
      // The provider never accepted the run, and the run must not start any more.
      return status === 'canceling' && triggeredAt === null ? ['canceled'] : [];
  }
}

/** The status of a candidate after the provider's answer about its build. Null: the build goes on. */
export function candidateStatusByReading(state: ProviderState): CandidateStatus | null {
  switch (state) {
    case 'success':
      return 'ready';
    case 'failure':
    case 'error':
    case 'canceled':
      return 'failed';
    case 'running':
    case 'gone':
    case 'unknown':
      return null;
  }
}
