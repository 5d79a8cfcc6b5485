// Code analysis: deterministic checks of the files, and a review by a model if a model is configured.
import { checkFiles, type FileCheckReport } from './checks.ts';
import type { Analysis, AnalysisRequest } from './port.ts';
import type { Review, ReviewCost, ReviewOptions } from './review.ts';

export type * from './port.ts';

export interface AnalysisOptions {
  /** Null: no model reviews the changes. */
  readonly review: ReviewOptions | null;
}

export function createAnalysis({ review: options }: AnalysisOptions): Analysis {
  return {
    sentence:
      options === null
        ? 'No model reviews the changes, because RUNBOOK_MODEL is not set.'
        : `The model ${options.model.provider}/${options.model.model} reviews the changes.`,
    async analyse(request) {
      const checked = await checkFiles(request);
      const spent = { micros: 0 };
      const reviewed = options === null ? null : await reviewOrReason(request, options, spent);
      const findings = [...checked.findings, ...(reviewed?.findings ?? [])];
      return {
        verdict: findings.some(({ weight }) => weight === 'failure') ? 'failed' : 'passed',
        summary: summaryOf(checked, reviewed),
        findings,
        costMicros: spent.micros,
      };
    },
  };
}

// If the review fails, the findings of the other checks are the result, so that a verification does not wait for a
// provider that is down.
async function reviewOrReason(request: AnalysisRequest, options: ReviewOptions, spent: ReviewCost): Promise<Review> {
  try {
    // Loaded here, because most processes never ask a model (platform/agents/model-agent.ts).
    const { review } = await import('./review.ts');
    return await review(request, options, spent);
  } catch (error) {
    request.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { findings: [], summary: `No model reviewed the changes: ${reason}` };
  }
}

function summaryOf({ findings, fileCount, leftOut }: FileCheckReport, reviewed: Review | null): string {
  const failures = findings.filter(({ weight }) => weight === 'failure').length;
  const files = fileCount === 1 ? '1 file was' : `${fileCount} files were`;
  return [
    `${files} checked for syntax and conflict markers, with ${failures === 1 ? '1 failure' : `${failures} failures`}.`,
    ...leftOut,
    ...(reviewed === null ? [] : [reviewed.summary]),
  ].join(' ');
}
