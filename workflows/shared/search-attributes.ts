import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** What runs are found by in Temporal's UI. Registered at start (src/launcher/temporal-namespace.ts). */
export const repositoryAttribute = defineSearchAttributeKey('Repository', SearchAttributeType.KEYWORD);
export const baseBranchAttribute = defineSearchAttributeKey('BaseBranch', SearchAttributeType.KEYWORD);
export const queueStatusAttribute = defineSearchAttributeKey('QueueStatus', SearchAttributeType.KEYWORD);
export const batchStateAttribute = defineSearchAttributeKey('BatchState', SearchAttributeType.KEYWORD);
