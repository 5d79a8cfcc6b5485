// The attributes by which runs are found in Temporal's UI. They are registered at the start
// (src/launcher/temporal-namespace.ts).
import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';

/** The subject of a run, under the name that people know. */
export const subjectAttribute = defineSearchAttributeKey('Subject', SearchAttributeType.TEXT);
export const repositoryAttribute = defineSearchAttributeKey('Repository', SearchAttributeType.KEYWORD);
export const baseBranchAttribute = defineSearchAttributeKey('BaseBranch', SearchAttributeType.KEYWORD);
export const queueStatusAttribute = defineSearchAttributeKey('QueueStatus', SearchAttributeType.KEYWORD);
export const batchStateAttribute = defineSearchAttributeKey('BatchState', SearchAttributeType.KEYWORD);
export const environmentAttribute = defineSearchAttributeKey('Environment', SearchAttributeType.KEYWORD);
export const deploymentStatusAttribute = defineSearchAttributeKey('DeploymentStatus', SearchAttributeType.KEYWORD);
export const runbookNumberAttribute = defineSearchAttributeKey('RunbookNumber', SearchAttributeType.INT);
export const runbookStatusAttribute = defineSearchAttributeKey('RunbookStatus', SearchAttributeType.KEYWORD);
export const releaseCandidateAttribute = defineSearchAttributeKey('ReleaseCandidate', SearchAttributeType.KEYWORD);

export const pullRequestNumberAttribute = defineSearchAttributeKey('PullRequestNumber', SearchAttributeType.INT);
export const verificationStatusAttribute = defineSearchAttributeKey('VerificationStatus', SearchAttributeType.KEYWORD);

export function deploymentAttributes(summary: {
  readonly repository: string;
  readonly environment: string;
  readonly version: string;
  readonly status: string;
}): readonly SearchAttributePair[] {
  return [
    { key: repositoryAttribute, value: summary.repository },
    { key: environmentAttribute, value: summary.environment },
    { key: releaseCandidateAttribute, value: summary.version },
    { key: deploymentStatusAttribute, value: summary.status },
  ];
}

export function buildAttributes(summary: {
  readonly repository: string;
  readonly version: string;
}): readonly SearchAttributePair[] {
  return [
    { key: repositoryAttribute, value: summary.repository },
    { key: releaseCandidateAttribute, value: summary.version },
  ];
}

export function runbookAttributes(summary: {
  readonly repository: string;
  readonly number: number;
  readonly status: string;
}): readonly SearchAttributePair[] {
  return [
    { key: repositoryAttribute, value: summary.repository },
    { key: runbookNumberAttribute, value: summary.number },
    { key: runbookStatusAttribute, value: summary.status },
  ];
}

export function verificationAttributes(summary: {
  readonly repository: string;
  readonly pullRequestNumber: number;
  readonly status: string;
}): readonly SearchAttributePair[] {
  return [
    { key: repositoryAttribute, value: summary.repository },
    { key: pullRequestNumberAttribute, value: summary.pullRequestNumber },
    { key: verificationStatusAttribute, value: summary.status },
  ];
}
