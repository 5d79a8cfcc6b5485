// One turn of the build of a candidate: read, decide, write, in one transaction under the candidate's row.
import type { Context } from '../../../context.ts';
import { decideBuild, type BuildStep } from '../../../domain/releases/drive.ts';
import { relayAt } from '../../../domain/turns.ts';
import type { Transaction } from '../../../platform/database.ts';
import { buildSituationOf, endBuild, lockCandidate } from './build.rows.ts';
import type { CandidateRows } from './deployment.rows.ts';
import { callText, problemText, providerText, runText, timeText, told, waitText } from './deployment.words.ts';

export interface BuildAdvance {
  /** `call` and `attend` are left to be carried out. */
  readonly need: 'call' | 'attend' | 'wait' | 'ended';
  /** What is done next, or waited for, in words. */
  readonly step: string;
  /** When to look again although nothing wakes it; null: never. Milliseconds since the epoch. */
  readonly nextLookAt: number | null;
  readonly summary: {
    readonly repository: string;
    readonly version: string;
    readonly status: string;
    /** What is built, in a line. */
    readonly title: string;
    /** Markdown. */
    readonly details: string;
  };
}

type Left = Exclude<BuildStep, { kind: 'become' }>;

export async function advanceBuild(ctx: Context, candidateId: string): Promise<BuildAdvance> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const rows = await lockCandidate(ctx, tx, candidateId);
    const step = await decide(ctx, tx, rows);
    rows.candidate.nextLookAt = relayAt(step, ctx.clock());
    return {
      need: step.kind,
      step: stepText(step),
      nextLookAt: step.kind === 'wait' ? step.until : null,
      summary: describeBuild(rows, step),
    };
  });
}

async function decide(ctx: Context, tx: Transaction, rows: CandidateRows): Promise<Left> {
  for (;;) {
    const step = decideBuild(buildSituationOf(rows), ctx.clock().getTime());
    if (step.kind !== 'become') return step;
    if (step.status === 'building') throw new Error('What is built does not begin again.');
    const problem = rows.candidate.problem ?? null;
    const errorMessage = problem === null ? step.because : `${step.because} Last: ${problem}`;
    await endBuild(ctx, tx, rows, { status: step.status, errorMessage });
  }
}

function stepText(step: Left): string {
  switch (step.kind) {
    case 'ended':
      return 'nothing, it has ended';
    case 'call':
      return callText[step.call];
    case 'attend':
      return 'run its command';
    case 'wait':
      return waitText(step);
  }
}

function describeBuild(rows: CandidateRows, step: Left): BuildAdvance['summary'] {
  const { project, candidate, repository } = rows;
  const lines = [
    `**${project.name}** \`${candidate.version}\`: **${candidate.status}**${told(candidate.errorMessage)}`,
    '',
    `- next: ${stepText(step)}`,
    `- commit \`${candidate.commit}\` of ${repository.owner}/${repository.name}`,
    `- asked for by ${candidate.actor} at ${candidate.createdAt.toISOString()}`,
    `- provider: ${providerText(project.buildProvider ?? { kind: 'none' })}${runText(candidate)}`,
    ...problemText(candidate),
    ...timeText('ended', candidate.endedAt),
  ];
  return {
    repository: `${repository.owner}/${repository.name}`,
    version: candidate.version,
    status: candidate.status,
    title: `${candidate.version} of ${project.name}`,
    details: lines.join('\n'),
  };
}
