import type { SearchAttributePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';

/** Shows where a run stands. The details cost no history; an attribute costs an event, so only what changed is written. */
export function createDescription(): (details: string, attributes: readonly SearchAttributePair[]) => void {
  const written = new Map<string, unknown>();
  return (details, attributes) => {
    setCurrentDetails(details);
    const changed = attributes.filter(({ key, value }) => written.get(key.name) !== value);
    if (changed.length === 0) return;
    upsertSearchAttributes([...changed]);
    for (const { key, value } of changed) written.set(key.name, value);
  };
}
