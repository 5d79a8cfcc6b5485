// Draws Mermaid diagrams of the tables through which every status is written.
import { transitions } from '../../src/domain/queue/model/status.ts';

/** Leaves out events that do not change the status, because they are accepted and change nothing. */
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

/** Draws a table that only lists which status may follow which. */
export function drawMoves(moves: Readonly<Record<string, readonly string[]>>, first: string): string {
  const lines = Object.entries(moves).flatMap(([from, to]) => to.map((status) => `  ${from} --> ${status}`));
  const final = Object.entries(moves).filter(([, to]) => to.length === 0);
  return ['stateDiagram-v2', `  [*] --> ${first}`, ...lines, ...final.map(([status]) => `  ${status} --> [*]`)].join(
    '\n',
  );
}
