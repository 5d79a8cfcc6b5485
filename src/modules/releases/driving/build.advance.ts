// What a turn of a candidate's build reads, decides and writes in a transaction that locks the candidate's row.
import type { Context } from '../../../context.ts';
import { decideBuild, type BuildStep } from '../../../domain/releases/drive.ts';
import type { BuildSituation } from '../../../domain/releases/situation.ts';
import type { AfterTurn } from '../../../domain/turns.ts';
import { takeTurn, type Kind, type KindTypes, type TurnOf } from '../../../platform/turns/index.ts';
import type { ReleaseDriving } from './supervise-run.ts';
import { buildSituationOf, endBuild, lockCandidate } from './build.rows.ts';
import type { CandidateRows } from './deployment.rows.ts';
import { callText, problemText, providerText, runText, timeText, afterComma, waitText } from './deployment.text.ts';

export interface BuildTypes extends KindTypes {
  readonly rows: CandidateRows;
  readonly situation: BuildSituation;
  readonly left: Extract<BuildStep, AfterTurn>;
  readonly written: Exclude<BuildStep, AfterTurn>;
  readonly shown: { readonly step: string; readonly summary: BuildSummary };
  readonly by: ReleaseDriving;
}

export type BuildAdvance = TurnOf<BuildTypes>;

interface BuildSummary {
  readonly repository: string;
  readonly version: string;
  readonly status: string;
  /** The candidate and its project, in one line. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

export const buildKind: Kind<BuildTypes> = {
  whose: (id) => ({ candidateId: id }),
  lock: lockCandidate,
  rowOf: ({ candidate }) => candidate,
  read: async (_ctx, _tx, rows) => buildSituationOf(rows),
  decide: decideBuild,
  write: async (ctx, tx, { rows, step: { status, because } }) => {
    if (status === 'building') throw new Error('A build of a candidate cannot begin again.');
    const problem = rows.candidate.problem ?? null;
    const errorMessage = problem === null ? because : `${because} The last failure: ${problem}`;
    await endBuild(ctx, tx, { rows, status, errorMessage });
    return rows;
  },
  show: async (_ctx, _tx, { rows, step }) => ({ step: stepText(step), summary: describeBuild(rows, step) }),
};

export async function advanceBuild(ctx: Context, candidateId: string): Promise<BuildAdvance> {
  return await takeTurn(ctx, buildKind, candidateId);
}

function stepText(step: BuildTypes['left']): string {
  switch (step.kind) {
    case 'ended':
      return 'nothing, because the build has ended';
    case 'call':
      return callText[step.call];
    case 'supervise':
      return 'run the command';
    case 'wait':
      return waitText(step);
  }
}

function describeBuild(rows: CandidateRows, step: BuildTypes['left']): BuildSummary {
  const { project, candidate, repository } = rows;
  const lines = [
    `**${project.name}** \`${candidate.version}\`: **${candidate.status}**${afterComma(candidate.errorMessage)}`,
    '',
    `- next: ${stepText(step)}`,
    `- commit \`${candidate.commit}\` of ${repository.owner}/${repository.name}`,
    `- requested by ${candidate.actor} at ${candidate.createdAt.toISOString()}`,
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
