// The life of a pull request as a Mermaid diagram, drawn from the table of transitions.
import { transitions } from '../../src/domain/queue/status.ts';

/** Events that lead to the status they come from are accepted and change nothing: they are left out. */
export function drawStateDiagram(): string {
  const lines = Object.entries(transitions).flatMap(([from, row]) => {
    const eventsByTarget = new Map<string, string[]>();
    for (const [event, to] of Object.entries(row)) {
      if (to !== from) eventsByTarget.set(to, [...(eventsByTarget.get(to) ?? []), event]);
    }
    return [...eventsByTarget].map(([to, events]) => `  ${from} --> ${to}: ${events.join(', ')}`);
  });
  const final = Object.entries(transitions).filter(([, row]) => Object.keys(row).length === 0);
  return ['stateDiagram-v2', '  [*] --> open', ...lines, ...final.map(([status]) => `  ${status} --> [*]`)].join('\n');
}
