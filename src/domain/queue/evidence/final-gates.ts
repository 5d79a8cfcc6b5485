// Final gates are workflows that run one after the other on the commit that lands, between its green build and its
// landing. They fail closed: every result except a success in time blocks the landing.
import { hasLabel } from '../../label-names.ts';
import type { FinalGate } from '../model/rules.ts';
import type { GateState } from '../model/snapshot.ts';

/** The gates that a batch of pull requests with these labels must pass, in order. */
export function gatesFor(
  gates: readonly FinalGate[],
  labels: ReadonlySet<string>,
): readonly Omit<FinalGate, 'label'>[] {
  return gates
    .filter(({ label }) => label === null || hasLabel(labels, label))
    .map(({ workflow, timeoutMins }) => ({ workflow, timeoutMins }));
}

export type GatesVerdict =
  /** Every gate of the batch has passed. */
  | { readonly kind: 'open' }
  /** The next gate has not been started. */
  | { readonly kind: 'due'; readonly workflow: string }
  | { readonly kind: 'running'; readonly workflow: string; readonly until: number }
  | { readonly kind: 'closed'; readonly workflow: string; readonly text: string };

/** The first gate that has not passed decides. A recorded success counts, however late it is read. */
export function judgeGates(gates: readonly GateState[], now: number): GatesVerdict {
  for (const { workflow, timeoutMins, run } of gates) {
    if (run === null) return { kind: 'due', workflow };
    if (run.state === 'passed') continue;
    if (run.state === 'failed')
      return {
        kind: 'closed',
        workflow,
        text: `The final gate ${workflow} failed: ${run.reason ?? 'no reason given'}`,
      };
    const until = run.plannedAt + timeoutMins * 60_000;
    if (now < until) return { kind: 'running', workflow, until };
    return { kind: 'closed', workflow, text: `The final gate ${workflow} did not succeed within ${timeoutMins} min.` };
  }
  return { kind: 'open' };
}
