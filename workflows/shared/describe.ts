import type { SearchAttributePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { subjectAttribute } from './search-attributes.ts';

const longestSubject = 200;

/**
 * Shows where a run stands. The details cost no history; an attribute costs an event, so only what changed is written.
 */
export function createDescription(): (
  details: string,
  attributes: readonly SearchAttributePair[],
  subject: string,
) => void {
  const written = new Map<string, unknown>();
  return (details, attributes, subject) => {
    setCurrentDetails(details);
    const changed = attributes.filter(({ key, value }) => written.get(key.name) !== value);
    if (changed.length === 0) return;
    // The subject comes with the first ones, so that it costs no event of its own, and runs of an earlier version
    // replay.
    const named = written.size === 0 ? [{ key: subjectAttribute, value: subject.slice(0, longestSubject) }] : [];
    upsertSearchAttributes([...changed, ...named]);
    for (const { key, value } of changed) written.set(key.name, value);
  };
}
