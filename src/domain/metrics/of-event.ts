// What an event of the event log adds to counters and histograms.
import type { BlockCode, ResetCode } from '../queue/model/snapshot.ts';
import { grades, type CounterName, type HistogramName, type LabelsOf } from './catalogue.ts';

type Of<Names extends CounterName | HistogramName> = {
  readonly [Name in Names]: { readonly name: Name; readonly labels: LabelsOf<Name> };
}[Names];

export type Measurement =
  /** Adds one to a counter. */
  | ({ readonly kind: 'count' } & Of<CounterName>)
  | ({ readonly kind: 'time'; readonly seconds: number } & Of<HistogramName>);

const resetCauses: Readonly<Record<ResetCode, string>> = {
  300: 'by_hand',
  301: 'failed_pull_request',
  302: 'skipped_line',
  303: 'dequeued',
  304: 'closed',
  305: 'base_moved_from_outside',
  307: 'configuration_changed',
  308: 'build_timed_out',
  309: 'no_longer_fits_the_line',
  310: 'commit_added',
};

const blockReasons: Readonly<Record<BlockCode, string>> = {
  101: 'missing_approvals',
  104: 'dequeued',
  105: 'blocking_label',
  106: 'merge_conflict',
  107: 'failed_check',
  108: 'failed_validation',
  109: 'missing_owner_review',
  110: 'refused_by_host',
  111: 'build_timed_out',
  112: 'own_checks_timed_out',
  113: 'unresolved_conversations',
  114: 'draft',
  115: 'unverified_commits',
  116: 'commit_added',
  117: 'changes_requested',
  118: 'base_not_managed',
  119: 'failed_final_gate',
};

const knownGrades: ReadonlySet<string> = new Set(grades);
const deploymentEnds = /^deployment_(success|failure|canceled|error)$/;
const verificationEnds = /^verification_(passed|failed|skipped|canceled|error)$/;

/** A value that the table does not have counts as `other`, so that the number of label values is bounded. */
function labelOf(table: Readonly<Record<number, string>>, code: unknown): string {
  return (typeof code === 'number' ? table[code] : undefined) ?? 'other';
}

/** `payload` is the content of the event. A missing value counts as `other`. */
export function measurementsOf(action: string, payload: Readonly<Record<string, unknown>>): readonly Measurement[] {
  switch (action) {
    case 'queued':
      return [{ kind: 'count', name: 'interlock_pull_requests_queued_total', labels: {} }];
    case 'merged':
      return [{ kind: 'count', name: 'interlock_pull_requests_merged_total', labels: {} }, ...timeInQueue(payload)];
    case 'blocked': {
      const reason = labelOf(blockReasons, payload['statusCode']);
      return [{ kind: 'count', name: 'interlock_pull_requests_blocked_total', labels: { reason } }];
    }
    case 'batch_merged': {
      const given = payload['grade'];
      const grade = typeof given === 'string' && knownGrades.has(given) ? given : 'other';
      return [batchEnded('landed'), { kind: 'count', name: 'interlock_landings_total', labels: { grade } }];
    }
    case 'batch_failed':
      return [batchEnded('failed')];
    case 'batch_bisected':
      return [batchEnded('bisected')];
    case 'batch_reset':
      return [batchEnded('reset')];
    case 'reset':
      return [
        {
          kind: 'count',
          name: 'interlock_resets_total',
          labels: { cause: labelOf(resetCauses, payload['resetCode']) },
        },
      ];
    case 'check_retried':
      return [{ kind: 'count', name: 'interlock_retries_total', labels: { what: 'check' } }];
    default:
      return measurementsOfEnd(action);
  }
}

/** The time in the queue. Empty if the pull request was not merged by the queue. */
function timeInQueue({ mergedByQueue, queuedAt, mergedAt }: Readonly<Record<string, unknown>>): readonly Measurement[] {
  if (mergedByQueue !== true || !(queuedAt instanceof Date) || !(mergedAt instanceof Date)) return [];
  const seconds = Math.max(0, mergedAt.getTime() - queuedAt.getTime()) / 1_000;
  return [{ kind: 'time', name: 'interlock_queued_to_merged_seconds', labels: {}, seconds }];
}

function batchEnded(outcome: string): Measurement {
  return { kind: 'count', name: 'interlock_builds_total', labels: { outcome } };
}

function measurementsOfEnd(action: string): readonly Measurement[] {
  const deployment = deploymentEnds.exec(action)?.[1];
  if (deployment !== undefined)
    return [{ kind: 'count', name: 'interlock_deployments_total', labels: { status: deployment } }];
  const verification = verificationEnds.exec(action)?.[1];
  if (verification !== undefined)
    return [{ kind: 'count', name: 'interlock_verifications_total', labels: { status: verification } }];
  return [];
}
