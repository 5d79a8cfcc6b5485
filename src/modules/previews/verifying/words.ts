// What a person reads of a verification where its run is shown, and on its check.
import type { VerificationCall, VerificationStep } from '../../../domain/previews/drive.ts';
import type { VerificationRows } from './rows.ts';

export interface VerificationSummary {
  readonly repository: string;
  readonly pullRequestNumber: number;
  readonly status: string;
  /** What is verified, in a line. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

type Left = Exclude<VerificationStep, { kind: 'become' | 'attach' | 'degrade' }>;

export function describeVerification(
  { verification, repository, pullRequest }: VerificationRows,
  step: Left,
): VerificationSummary {
  const { status, headCommit, attempt, cause, summary, problem, calls, startedAt, endedAt } = verification;
  const name = `${repository.owner}/${repository.name}`;
  const lines = [
    `**${name}#${pullRequest.number}**: **${status}**${summary ? `, ${summary}` : ''}`,
    '',
    `- next: ${stepText(step)}`,
    `- head \`${headCommit}\`, attempt ${attempt}, ${causeText[cause]}`,
    `- ${governedBy(verification)}`,
    ...(problem ? [`- last call failed, for the ${calls}. time: ${problem}`] : []),
    ...(startedAt ? [`- started at ${startedAt.toISOString()}`] : []),
    ...(endedAt ? [`- ended at ${endedAt.toISOString()}`] : []),
  ];
  return {
    repository: name,
    pullRequestNumber: pullRequest.number,
    status,
    title: `${name}#${pullRequest.number} at ${headCommit.slice(0, 10)}`,
    details: lines.join('\n'),
  };
}

function governedBy({ preview, degraded }: VerificationRows['verification']): string {
  if (degraded) return 'judged by its code alone, no preview came up';
  if (!preview) return 'no preview governs it yet';
  return preview.method === 'sandbox'
    ? `preview \`${preview.name}\`: a sandbox of the image \`${preview.image}\``
    : `preview \`${preview.name}\`: an endpoint that CI registers`;
}

const causeText = {
  head: 'begun for a new head',
  registration: 'begun because its preview was registered',
  asked: 'begun because somebody asked',
} as const;

/** What is done next, or waited for. */
export function stepText(step: Left): string {
  switch (step.kind) {
    case 'ended':
      return 'nothing, it has ended';
    case 'call':
      return callText[step.call];
    case 'attend':
      return 'boot, drive and judge its preview';
    case 'wait':
      return waitText(step);
  }
}

const callText: Readonly<Record<VerificationCall, string>> = {
  prepare: 'read what it changes and which preview governs it',
  publish: 'say on the head how it stands',
};

function waitText(step: Extract<VerificationStep, { kind: 'wait' }>): string {
  const until = step.until === null ? '' : ` until ${new Date(step.until).toISOString()} at most`;
  switch (step.for) {
    case 'registration':
      return `wait for CI to register its preview${until}`;
    case 'call':
      return 'ask the host again in a while';
    case 'attendant':
      return 'its preview is driven';
  }
}
