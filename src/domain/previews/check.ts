// The check of a verification, on the head that it judges.
import type { VerificationStatus } from './preview.ts';
import { checkOutcomeOf } from './verification.status.ts';

/** A name of `serviceChecks`, on the heads of pull requests only. */
export const verificationCheckName = 'interlock/verify';

export interface VerificationFacts {
  readonly status: VerificationStatus;
  readonly attempt: number;
  readonly previewName: string | null;
  readonly degraded: boolean;
  readonly summary: string | null;
  readonly steps: readonly {
    readonly scenario: string;
    readonly step: string;
    readonly conclusion: string;
    readonly detail: string | null;
  }[];
}

export interface VerificationCheck {
  readonly state: 'pending' | 'success' | 'failure';
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
}

const maxSteps = 100;

export function describeCheck(facts: VerificationFacts): VerificationCheck {
  const { status, attempt, previewName, degraded, summary, steps } = facts;
  const outcome = checkOutcomeOf(status);
  const how = degraded
    ? 'No preview started, so only the code was analysed.'
    : previewName === null
      ? null
      : `Preview \`${previewName}\`.`;
  const list = steps.slice(0, maxSteps).map(stepLine);
  const left = steps.length > maxSteps ? [`- and ${steps.length - maxSteps} more`] : [];
  const paragraphs = [summary, how, [...list, ...left].join('\n'), attempt > 1 ? `Attempt ${attempt}.` : null];
  return {
    // Code hosts have no state `canceled` for a check that is not CI's. The head is abandoned, so nobody reads its
    // check.
    state: outcome === 'cancelled' ? 'failure' : outcome,
    title: titles[status],
    summary: paragraphs.filter((text) => text).join('\n\n') || titles[status],
  };
}

function stepLine({ scenario, step, conclusion, detail }: VerificationFacts['steps'][number]): string {
  return `- ${conclusion}: ${oneLine(scenario)}: ${oneLine(step)}${detail === null ? '' : `. ${oneLine(detail).slice(0, 300)}`}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function checkTitle(status: VerificationStatus): string {
  return titles[status];
}

const titles = {
  pending: 'To be verified',
  waiting: 'Waiting for the preview',
  booting: 'The preview boots',
  driving: 'The steps are carried out',
  tearing_down: 'The preview is torn down',
  passed: 'Verified',
  failed: 'Failed',
  skipped: 'Needs no verification',
  canceled: 'Canceled',
  error: 'Could not be verified',
} as const satisfies Record<VerificationStatus, string>;
