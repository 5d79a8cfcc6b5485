// The controls, by which a test makes the emulator fail, lag or change. A test in the same process calls the controls
// directly, and everybody else uses `POST /_emulator/controls`.
import { setTimeout as delay } from 'node:timers/promises';
import type { Permissions } from '../model/types.ts';
import type { RandomSource } from './random.ts';

export type FaultTime = 'before' | 'middle' | 'after' | 'refuse';

export interface Fault {
  /**
   * For example `GET /repos/{owner}/{repo}`, `graphql`, `git-upload-pack` or `git-receive-pack`. A path without a
   * method means every method. Left out: every operation.
   */
  readonly operation?: string;
  /** The share of the requests that fail, from 0 to 1. Default: 1. */
  readonly rate?: number;
  /** How often the fault happens. Default: until it is cleared. */
  readonly times?: number;
  /**
   * When the request fails. Default: `before`.
   * - `before`: before the work is done.
   * - `after`: after the work is done. The answer is lost.
   * - `middle`: only for a push. Half of its refs move, or none if the push is atomic. The answer is lost.
   * - `refuse`: only for a push. git reports each ref as refused for `reason`.
   */
  readonly when?: FaultTime;
  /**
   * The status of the answer. Default: 502.
   * - `reset`: the connection is closed.
   * - `cut`: the answer has status 200, and the connection is closed in the middle of its body.
   */
  readonly status?: number | 'reset' | 'cut';
  /**
   * The reason that git prints in parentheses, and the lines that it prints after `remote: `. Default: `failed`, as for
   * concurrent pushes.
   */
  readonly reason?: string;
  readonly remote?: readonly string[];
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Slowness {
  readonly operation?: string;
  readonly ms: number;
  readonly rate?: number;
  readonly times?: number;
}

export interface Held {
  /** Resolves when the request has arrived. It is then counted, and nothing is read or written for it. */
  readonly arrived: Promise<void>;
  release(): void;
}

export interface WebhookFaults {
  /** The share of the deliveries that are never sent, from 0 to 1. */
  readonly drop?: number;
  /** The share of the deliveries that are sent twice, with the same delivery id. */
  readonly double?: number;
  /**
   * How many deliveries are collected and then sent in random order. 0 and 1: all are sent in the order of their
   * events.
   */
  readonly reorder?: number;
}

export interface Limits {
  readonly restPerHour: number;
  readonly graphqlPerHour: number;
  readonly pointsPerMinute: number;
  readonly graphqlPointsPerMinute: number;
  readonly contentPerMinute: number;
  readonly contentPerHour: number;
}

export const defaultLimits: Limits = {
  restPerHour: 5000,
  graphqlPerHour: 5000,
  pointsPerMinute: 900,
  graphqlPointsPerMinute: 2000,
  contentPerMinute: 80,
  contentPerHour: 500,
};

/** Returns the result of a check, without running its steps. Null: the steps run. */
export type ScriptedChecks = (check: {
  readonly repository: string;
  readonly commit: string;
  readonly name: string;
  readonly attempt: number;
}) => 'success' | 'failure' | 'neutral' | 'skipped' | 'cancelled' | 'timed_out' | 'pending' | null;

export interface Controls {
  fail(fault: Fault): void;
  slow(slowness: Slowness): void;
  /** Holds the next request of an operation, until the test releases it. Only for a test in the same process. */
  hold(operation: string): Held;
  webhooks(faults: WebhookFaults): void;
  limits(limits: Partial<Limits>): void;
  /**
   * While the lag is on, the API shows refs and pull requests as they were before the pushes. git always shows the
   * present refs.
   */
  lag(isOn: boolean): Promise<void>;
  /** Makes all tokens of installations expire now. */
  expireTokens(): void;
  rename(fullName: string, newName: string): void;
  suspend(installationId: number, isSuspended: boolean): void;
  /** Sets the permissions that the owner of an installation has accepted. */
  permit(installationId: number, permissions: Permissions): void;
  /** Gives a repository to another account. The old name redirects. */
  transfer(fullName: string, newOwner: string): void;
  checks(script: ScriptedChecks | null): void;
  /** Disables or enables the workflow with this file name, as a person does on the page of the workflow. */
  disableWorkflow(fullName: string, file: string, isDisabled: boolean): void;
  /** Deletes a workflow run that has ended with its check runs, as a person does on the page of the workflow. */
  deleteWorkflowRun(fullName: string, runId: number): void;
  /** False: a dispatch refuses the field `return_run_details`, like Enterprise Server 3.19. */
  runDetails(isKnown: boolean): void;
  /** True: every account has the plan GitHub Free, so private repositories have no protection and no rulesets. */
  freePlan(isFree: boolean): void;
  /** Ends all faults, delays, lag and scripts, and resets the limits. */
  clear(): Promise<void>;
}

/** The faults that are in effect. The server reads them at each request. */
export interface FaultState {
  readonly controls: Controls;
  takeFault(operation: string, when: FaultTime): Fault | null;
  /** Waits as long as the request is to be slow or held. */
  delay(operation: string): Promise<void>;
  readonly webhookFaults: () => WebhookFaults;
  readonly currentLimits: () => Limits;
  readonly isLagging: () => boolean;
  /** Registers a function that is called when the lag ends. */
  readonly onLagEnd: (catchUp: () => Promise<void>) => void;
  readonly scriptedChecks: () => ScriptedChecks | null;
  readonly knowsRunDetails: () => boolean;
  readonly hasFreePlan: () => boolean;
}

/** The controls that change rows. */
export interface ControlEffects {
  expireTokens(): void;
  rename(fullName: string, newName: string): void;
  suspend(installationId: number, isSuspended: boolean): void;
  permit(installationId: number, permissions: Permissions): void;
  transfer(fullName: string, newOwner: string): void;
  deleteWorkflowRun(fullName: string, runId: number): void;
  disableWorkflow(fullName: string, file: string, isDisabled: boolean): void;
  readonly settled: () => Promise<void>;
}

interface Hold {
  readonly operation: string;
  readonly arrive: () => void;
  readonly released: Promise<void>;
  readonly release: () => void;
}

interface Counted {
  left: number;
}

/** Only faults use `random`, so that other random choices do not change which calls fail. */
export function createFaults(random: RandomSource, effects: ControlEffects): FaultState {
  let faults: (Fault & Counted)[] = [];
  let delays: (Slowness & Counted)[] = [];
  let holds: (Hold & Counted)[] = [];
  let webhooks: WebhookFaults = {};
  let limits = defaultLimits;
  let isLagging = false;
  let script: ScriptedChecks | null = null;
  let knowsRunDetails = true;
  let hasFreePlan = false;
  const catchUps: (() => Promise<void>)[] = [];
  const lag = async (isOn: boolean): Promise<void> => {
    isLagging = isOn;
    if (isOn) return;
    await effects.settled();
    for (const catchUp of catchUps) await catchUp();
  };
  const take = <T extends { operation?: string; rate?: number } & Counted>(all: T[], operation: string): T | null => {
    const matching = all.find(
      (each) => each.left > 0 && isFor(each.operation, operation) && random.next() < (each.rate ?? 1),
    );
    if (matching !== undefined) matching.left -= 1;
    return matching ?? null;
  };
  return {
    controls: {
      fail: (fault) => void faults.push({ ...fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
      slow: (slowness) => void delays.push({ ...slowness, left: slowness.times ?? Number.POSITIVE_INFINITY }),
      hold(operation) {
        const [arrival, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        holds.push({ operation, arrive: arrival.resolve, released: end.promise, release: end.resolve, left: 1 });
        return { arrived: arrival.promise, release: end.resolve };
      },
      webhooks: (chosen) => void (webhooks = chosen),
      limits: (chosen) => void (limits = { ...limits, ...chosen }),
      lag,
      expireTokens: () => effects.expireTokens(),
      rename: (fullName, newName) => effects.rename(fullName, newName),
      suspend: (installationId, isSuspended) => effects.suspend(installationId, isSuspended),
      permit: (installationId, permissions) => effects.permit(installationId, permissions),
      transfer: (fullName, newOwner) => effects.transfer(fullName, newOwner),
      checks: (chosen) => void (script = chosen),
      disableWorkflow: (fullName, file, isDisabled) => effects.disableWorkflow(fullName, file, isDisabled),
      deleteWorkflowRun: (fullName, runId) => effects.deleteWorkflowRun(fullName, runId),
      runDetails: (isKnown) => void (knowsRunDetails = isKnown),
      freePlan: (isFree) => void (hasFreePlan = isFree),
      clear: async () => {
        faults = [];
        delays = [];
        for (const { release } of holds) release();
        holds = [];
        webhooks = {};
        limits = defaultLimits;
        script = null;
        knowsRunDetails = true;
        hasFreePlan = false;
        await lag(false);
      },
    },
    takeFault: (operation, when) =>
      take(
        faults.filter((each) => (each.when ?? 'before') === when),
        operation,
      ),
    async delay(operation) {
      const slowness = take(delays, operation);
      if (slowness !== null) await delay(slowness.ms);
      const hold = take(holds, operation);
      hold?.arrive();
      await hold?.released;
    },
    webhookFaults: () => webhooks,
    currentLimits: () => limits,
    isLagging: () => isLagging,
    onLagEnd: (catchUp) => void catchUps.push(catchUp),
    scriptedChecks: () => script,
    knowsRunDetails: () => knowsRunDetails,
    hasFreePlan: () => hasFreePlan,
  };
}

function isFor(wanted: string | undefined, operation: string): boolean {
  return wanted === undefined || wanted === operation || operation.endsWith(` ${wanted}`);
}
