// Analyses the code of a head for which no preview is available. Each finding is written as a step of the verification.
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import type { AnalysisReport, Finding } from '../../../platform/analysis/port.ts';
import type { SupervisedVerification, Ending } from './supervised-verification.ts';
import { deleteSteps, writeStep } from './drive-app.ts';

const maxFiles = 3_000;
const maxSkillBytes = 128 * 1024;
const maxFindings = 100;
const longestSummary = 1_000;

export async function judgeCode(supervised: SupervisedVerification): Promise<Ending> {
  const { ctx, rows, verifying, log, signal } = supervised;
  const { repository, verification, pullRequest } = rows;
  const { analysis } = verifying;
  const client = hostClient(ctx, toHostedRepository(repository));
  const head = verification.headCommit;
  const because = verification.summary ?? '';
  const base = await client.readRef(`refs/heads/${pullRequest.baseBranch}`);
  const changed = base && (await client.listChangedFiles({ base: base.commit, head, limit: maxFiles }));
  if (!changed)
    return {
      status: 'error',
      summary: `${because} The code was not analysed either, because the pull request changes more than ${maxFiles} files or its base branch does not exist.`,
    };
  log.write(`[interlock] ${because} Interlock analyses the code instead. ${analysis.sentence}\n`);
  const path = verification.preview?.verifySkill ?? '';
  const skill = path === '' ? null : await client.readFile({ commit: head, path, maxBytes: maxSkillBytes });
  const report = await analysis.analyse({
    title: pullRequest.title,
    head,
    base: changed.base,
    changes: changed.files,
    read: async (file) => (await client.readFile(file))?.text ?? null,
    skill: skill === null ? null : { path, text: skill.text },
    signal,
  });
  await writeFindings(supervised, report);
  log.write(`${report.summary}\n`);
  return { status: report.verdict, summary: `${because} ${report.summary}`.slice(0, longestSummary) };
}

async function writeFindings(supervised: SupervisedVerification, { findings }: AnalysisReport): Promise<void> {
  await deleteSteps(supervised);
  for (const [index, finding] of findings.slice(0, maxFindings).entries())
    await writeStep(
      supervised,
      {
        scenario: 'Code analysis',
        step: placeOf(finding),
        conclusion: finding.weight === 'failure' ? 'failed' : 'passed',
        detail: finding.message,
        durationMs: 0,
      },
      index + 1,
    );
}

function placeOf({ path, line }: Finding): string {
  return line === null ? path : `${path}, line ${line}`;
}
