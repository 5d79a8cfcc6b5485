// The text about a verification that the Temporal UI shows at its workflow.
import type { VerificationCall, VerificationStep } from '../../../domain/previews/drive.ts';
import { code, plain, section } from '../../../domain/markdown.ts';
import type { AfterTurn } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readLogTail } from '../../../platform/log-pieces.ts';
import { ownerOfLog } from './run-log.ts';
import type { VerificationRow } from '../previews.entities.ts';
import type { VerificationRows } from './rows.ts';

export interface VerificationSummary {
  readonly repository: string;
  readonly pullRequestNumber: number;
  readonly status: string;
  /** The pull request and the commit, in one line. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

export type VerificationLeft = Extract<VerificationStep, AfterTurn>;

export async function describeVerification(
  tx: Transaction,
  { verification, repository, pullRequest }: VerificationRows,
  step: VerificationLeft,
): Promise<VerificationSummary> {
  const { status, headCommit, attempt, cause, summary, problem, calls, startedAt, endedAt } = verification;
  const name = `${repository.owner}/${repository.name}`;
  const lines = [
    `**${name}#${pullRequest.number}**: **${status}**${summary ? `, ${plain(summary)}` : ''}`,
    '',
    `- next: ${stepText(step)}`,
    `- head \`${headCommit}\`, attempt ${attempt}, ${causeText[cause]}`,
    `- ${describePreview(verification)}`,
    ...(problem ? [`- last call failed, attempt ${calls}: ${plain(problem)}`] : []),
    ...(startedAt ? [`- started at ${startedAt.toISOString()}`] : []),
    ...(endedAt ? [`- ended at ${endedAt.toISOString()}`] : []),
    ...section('Steps', await stepTexts(tx, verification)),
    ...section('End of the log', await readLogTail(tx, verification.accountId, ownerOfLog(verification.id))),
  ];
  return {
    repository: name,
    pullRequestNumber: pullRequest.number,
    status,
    title: `${name}#${pullRequest.number} at ${headCommit.slice(0, 10)}`,
    details: lines.join('\n'),
  };
}

/** The last steps. */
async function stepTexts(tx: Transaction, { accountId, id }: VerificationRow): Promise<string[]> {
  const steps = await tx.query<{ scenario: string; step: string; conclusion: string; detail: string | null }>(
    `select scenario, step, conclusion, detail from verification_step where account_id = $1 and verification_id = $2
     order by ordinal desc limit ${shownSteps}`,
    [accountId, id],
  );
  return steps
    .toReversed()
    .map(
      ({ scenario, step, conclusion, detail }) =>
        `- ${plain(scenario)}: ${code(step)} **${conclusion}**${detail === null ? '' : ` · ${plain(detail)}`}`,
    );
}

const shownSteps = 30;

function describePreview({ preview, degraded }: VerificationRows['verification']): string {
  if (degraded) return 'only the code was analysed, because no preview was available';
  if (!preview) return 'no preview is chosen yet';
  return preview.method === 'sandbox'
    ? `preview ${code(preview.name)}: a sandbox of the image ${code(preview.image)}`
    : `preview ${code(preview.name)}: an endpoint that CI registers`;
}

const causeText = {
  head: 'started for a new head',
  registration: 'started because the preview was registered',
  asked: 'started because a user requested it',
} as const;

/** The next step of the verification, or what it waits for. */
export function stepText(step: VerificationLeft): string {
  switch (step.kind) {
    case 'ended':
      return 'nothing, because the verification has ended';
    case 'call':
      return callText[step.call];
    case 'supervise':
      return 'boot, test and judge the preview';
    case 'wait':
      return waitText(step);
  }
}

const callText: Readonly<Record<VerificationCall, string>> = {
  prepare: 'read the changed files and choose the preview',
  publish: 'publish the status as a check of the head',
};

function waitText(step: Extract<VerificationStep, { kind: 'wait' }>): string {
  const until = step.until === null ? '' : ` until ${new Date(step.until).toISOString()} at most`;
  switch (step.for) {
    case 'registration':
      return `wait for CI to register the preview${until}`;
    case 'call':
      return 'repeat the failed call later';
    case 'lease':
      return 'the preview is being tested';
  }
}
