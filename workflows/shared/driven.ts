// A workflow whose rows say what is needed next: deployments, builds, runbooks and verifications are driven alike.
import type { SearchAttributePair } from '@temporalio/common';
import {
  setHandler,
  type ActivityFunction,
  type ActivityInterfaceFor,
  type SignalDefinition,
} from '@temporalio/workflow';
import { createDescription } from './describe.ts';
import { driveToEnd, sentence, type Told, type Turn } from './drive.ts';

export interface Shown {
  readonly status: string;
  /** What it is about, in a line. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

export interface DrivenResult {
  readonly status: string;
  readonly summary: string;
}

type CarryOut<Input> = ActivityInterfaceFor<{ carryOut: ActivityFunction<[Input], string> }>['carryOut'];

export interface Driven<Input, Summary extends Shown> {
  /** Its rows changed: look at them now. */
  readonly signal: SignalDefinition;
  readonly advance: (input: Input) => Promise<Turn & { readonly summary: Summary }>;
  /** Does the one thing that is due, and is given up and tried again after a while. */
  readonly carryOut: CarryOut<Input>;
  /** The same for what takes as long as it takes. */
  readonly attendTo: CarryOut<Input>;
  readonly attributes: (summary: Summary) => readonly SearchAttributePair[];
}

export async function driveByRows<Input, Summary extends Shown>(
  input: Input,
  { signal, advance, carryOut, attendTo, attributes }: Driven<Input, Summary>,
): Promise<DrivenResult> {
  const told: Told = { isTold: false };
  setHandler(signal, () => {
    told.isTold = true;
  });
  const describe = createDescription();
  const { summary } = await driveToEnd(
    told,
    {
      look: async () => {
        const advanced = await advance(input);
        describe(advanced.summary.details, attributes(advanced.summary));
        return advanced;
      },
      call: async (step) => await carryOut.executeWithOptions({ summary: sentence(step) }, [input]),
      attend: async (step) => await attendTo.executeWithOptions({ summary: sentence(step) }, [input]),
    },
    input,
  );
  return { status: summary.status, summary: `${summary.title}: ${summary.status}` };
}
