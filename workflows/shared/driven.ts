// A workflow whose rows say what is needed next: deployments, builds, runbooks and verifications are driven alike. Each of
// them names its two activities, its signal and what its run is found by.
import type { SearchAttributePair } from '@temporalio/common';
import { proxyActivities, proxyLocalActivities, type SignalDefinition } from '@temporalio/workflow';
import { createDescription } from './describe.ts';
import { driveToEnd, listenTo, sentence, type Turn } from './drive.ts';
import { locallyFirst } from './locally-first.ts';
import { attendance, providerCall, turn, turnLocally } from './timeouts.ts';

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

/** What is driven is named by an id beside it. */
export interface DrivenInput {
  readonly accountId: string;
}

type Advance<Input, Advanced> = (input: Input) => Promise<Advanced>;
type CarryOut<Input> = (input: Input) => Promise<string>;

/** The activities of a kind: a turn, and the one thing that a turn left to be done, which is answered in words. */
export type DrivenActivities<Kind extends string, Input, Advanced> = Record<
  `advance${Kind}`,
  Advance<Input, Advanced>
> &
  Record<`carryOut${Kind}`, CarryOut<Input>>;

export interface Driven<Advanced extends Turn & { readonly summary: Shown }> {
  /** Its rows changed: look at them now. */
  readonly signal: SignalDefinition;
  readonly attributes: (summary: Advanced['summary']) => readonly SearchAttributePair[];
}

/** Takes a turn by the activity of that name. */
export function turnBy<Input, Advanced>(name: `advance${string}`): Advance<Input, Advanced> {
  type Turns = Record<string, Advance<Input, Advanced>>;
  return locallyFirst(named(proxyLocalActivities<Turns>(turnLocally), name), named(proxyActivities<Turns>(turn), name));
}

/** The whole workflow of a kind, whose activities are called after it. */
export function drivenBy<Advanced extends Turn & { readonly summary: Shown }>(
  kind: string,
  { signal, attributes }: Driven<Advanced>,
): (input: DrivenInput) => Promise<DrivenResult> {
  const advance = turnBy<DrivenInput, Advanced>(`advance${kind}`);
  type Carried = Record<string, CarryOut<DrivenInput>>;
  const carryOut = named(proxyActivities<Carried>(providerCall), `carryOut${kind}`);
  // The same for what takes as long as it takes.
  const attendTo = named(proxyActivities<Carried>(attendance), `carryOut${kind}`);
  return async (input) => {
    const told = listenTo(signal);
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
  };
}

/** Proxies have every name they are asked for. */
function named<Activity>(proxies: Readonly<Record<string, Activity>>, name: string): Activity {
  return proxies[name] as Activity;
}
