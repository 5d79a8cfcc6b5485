import type { SearchAttributePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { subjectAttribute } from './search-attributes.ts';

const longestSubject = 200;

/**
 * Shows the state of a run in Temporal's UI. Details cost no events of the history. Attributes cost an event, so only
 * changed attributes are written.
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
    // The subject is written with the first attributes, so that it costs no further event, and so that histories of an
    // earlier version can be replayed.
    const withSubject = written.size === 0 ? [{ key: subjectAttribute, value: subject.slice(0, longestSubject) }] : [];
    upsertSearchAttributes([...changed, ...withSubject]);
    for (const { key, value } of changed) written.set(key.name, value);
  };
}
