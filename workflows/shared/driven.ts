// The workflow of a driven row, which says what is needed next. Deployments, builds, runbooks and verifications share
// this workflow. Each kind gives its name, its signal and its search attributes.
import type { SearchAttributePair } from '@temporalio/common';
import {
  ApplicationFailure,
  patched,
  proxyActivities,
  proxyLocalActivities,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { AllDriven } from '../activities.ts';
import { createDescription } from './describe.ts';
import type { Advance, CarryOut, DrivenInput } from './driven.types.ts';
import { driveToEnd, listenTo, toSentence, type Turn } from './drive.ts';
import { locallyFirst } from './locally-first.ts';
import { supervision, providerCall, turn, turnLocally } from './timeouts.ts';

interface Shown {
  readonly status: string;
  /** The row in a few words, such as a version and an environment. */
  readonly title: string;
  /** Markdown. */
  readonly details: string;
}

export interface DrivenResult {
  readonly status: string;
  readonly summary: string;
}

type ShownTurn = Turn & { readonly summary: Shown };

/** The names of the kinds in workflows/activities.ts, such as `Deployment`. */
type DrivenName = { [Name in keyof AllDriven]: Name extends `advance${infer Kind}` ? Kind : never }[keyof AllDriven];
export type AdvanceOf<Kind extends DrivenName> = AllDriven[`advance${Kind}`] extends (
  input: never,
) => Promise<infer Advanced extends ShownTurn>
  ? Advanced
  : never;

interface Driven<Advanced extends ShownTurn> {
  /** Sent when the rows have changed: the workflow takes a turn. */
  readonly signal: SignalDefinition;
  readonly attributes: (summary: Advanced['summary']) => readonly SearchAttributePair[];
  /** The statuses that are failures. Temporal then lists the run as failed, so that people and alerts find it. */
  readonly failures: readonly string[];
}

/** Returns the function that takes a turn of the kind. */
export function turnOfKind<Kind extends DrivenName>(kind: Kind): Advance<DrivenInput, AdvanceOf<Kind>> {
  type Turns = Record<string, Advance<DrivenInput, AdvanceOf<Kind>>>;
  const name = `advance${kind}`;
  return locallyFirst(
    activityNamed(proxyLocalActivities<Turns>(turnLocally), name),
    activityNamed(proxyActivities<Turns>(turn), name),
  );
}

/** Returns the workflow of a kind. The names of the activities of a kind end with the name of the kind. */
export function drivenWorkflow<Kind extends DrivenName>(
  kind: Kind,
  { signal, attributes, failures }: Driven<AdvanceOf<Kind>>,
): (input: DrivenInput) => Promise<DrivenResult> {
  const advance = turnOfKind(kind);
  type Carried = Record<string, CarryOut<DrivenInput>>;
  const carryOut = activityNamed(proxyActivities<Carried>(providerCall), `carryOut${kind}`);
  // The same activity, with the time limit of supervised work.
  const superviseBy = activityNamed(proxyActivities<Carried>(supervision), `carryOut${kind}`);
  return async (input) => {
    const wake = listenTo(signal);
    const describe = createDescription();
    const { summary } = await driveToEnd(
      wake,
      {
        takeTurn: async () => {
          const advanced = await advance(input);
          describe(advanced.summary.details, attributes(advanced.summary), advanced.summary.title);
          return advanced;
        },
        call: async (step) => await carryOut.executeWithOptions({ summary: toSentence(step) }, [input]),
        supervise: async (step) => await superviseBy.executeWithOptions({ summary: toSentence(step) }, [input]),
      },
      input,
    );
    return conclude(summary, failures);
  };
}

/** The failures of deployments and rollbacks. */
export const deploymentFailures = ['failure', 'error'] as const;

/** Ends a run: returns the result, or throws if the status is a failure. The rows have the result in both cases. */
export function conclude(
  { status, title }: Pick<Shown, 'status' | 'title'>,
  failures: readonly string[],
): DrivenResult {
  const summary = `${title}: ${status}`;
  // In histories of an earlier version, runs end as completed even after a failure.
  if (failures.includes(status) && patched('failures-fail')) throw ApplicationFailure.nonRetryable(summary, status);
  return { status, summary };
}

/** A proxy of activities has an activity for every name. */
function activityNamed<Activity>(proxies: Readonly<Record<string, Activity>>, name: string): Activity {
  return proxies[name] as Activity;
}
