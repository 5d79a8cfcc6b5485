// What goes wrong on purpose. A test calls controls of the object, a person by `POST /_emulator/controls`.
import type { Permissions } from '../model/types.ts';
import type { RandomSource } from './random.ts';

export type FaultTime = 'before' | 'middle' | 'after' | 'refuse';

export interface Fault {
  /** `GET /repos/{owner}/{repo}`, `graphql`, `git-upload-pack`, `git-receive-pack`; the path alone stands for every method. Absent: everything. */
  readonly operation?: string;
  /** Of requests that meet the fault. Default 1. */
  readonly rate?: number;
  /** How often the fault happens. Default: until it is cleared. */
  readonly times?: number;
  /**
   * `before`: nothing is done. `after`: the work is done, and the answer is lost. `middle`, of a push that is not atomic:
   * half of the refs move, and the answer is lost; an atomic push does nothing. `refuse`: git reports each ref of the
   * push as refused for `reason`. Default `before`.
   */
  readonly when?: FaultTime;
  /** Default 502. `reset`: the connection is cut. */
  readonly status?: number | 'reset';
  /** What git prints in parentheses, and the lines after `remote: `. Default: `failed`, as under concurrent pushes. */
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

export interface WebhookFaults {
  /** Share of the deliveries that are never sent. */
  readonly drop?: number;
  /** Share that is sent twice, with the same delivery id. */
  readonly double?: number;
  /** This many deliveries are gathered and sent in random order. 0 and 1: in the order of the events. */
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

/** Outcomes of checks without running them. Null: the workflow's steps run. */
export type ScriptedChecks = (check: {
  readonly repository: string;
  readonly commit: string;
  readonly name: string;
  readonly attempt: number;
}) => 'success' | 'failure' | 'neutral' | 'skipped' | 'cancelled' | 'timed_out' | 'pending' | null;

export interface Controls {
  fail(fault: Fault): void;
  slow(slowness: Slowness): void;
  webhooks(faults: WebhookFaults): void;
  limits(limits: Partial<Limits>): void;
  /** While on, the API shows refs and pull requests as they were before pushes. git is never behind. */
  lag(isOn: boolean): Promise<void>;
  /** Ends every token of installations now. */
  expireTokens(): void;
  rename(fullName: string, newName: string): void;
  suspend(installationId: number, isSuspended: boolean): void;
  /** The owner accepts these permissions, more or fewer than before. */
  permit(installationId: number, permissions: Permissions): void;
  /** Gives a repository to another account. The old name redirects. */
  transfer(fullName: string, newOwner: string): void;
  checks(script: ScriptedChecks | null): void;
  /** Disables a workflow, by the name of its file, as a person does on its page; or enables it again. */
  disableWorkflow(fullName: string, file: string, isDisabled: boolean): void;
  /** False: as Enterprise Server 3.19, which does not know the field `return_run_details` of a dispatch. */
  runDetails(isKnown: boolean): void;
  /** Ends all faults, slowness, lag and scripts, and brings the limits back. */
  clear(): Promise<void>;
}

/** What the server asks of the controls. */
export interface FaultState {
  readonly controls: Controls;
  takeFault(operation: string, when: FaultTime): Fault | null;
  takeDelayMs(operation: string): number;
  readonly webhookFaults: () => WebhookFaults;
  readonly currentLimits: () => Limits;
  readonly isLagging: () => boolean;
  /** Called when the lag ends. */
  readonly whenCaughtUp: (catchUp: () => Promise<void>) => void;
  readonly scriptedChecks: () => ScriptedChecks | null;
  readonly knowsRunDetails: () => boolean;
}

/** What controls do beyond faults: the core knows how. */
export interface ControlEffects {
  expireTokens(): void;
  rename(fullName: string, newName: string): void;
  suspend(installationId: number, isSuspended: boolean): void;
  permit(installationId: number, permissions: Permissions): void;
  transfer(fullName: string, newOwner: string): void;
  disableWorkflow(fullName: string, file: string, isDisabled: boolean): void;
  readonly settled: () => Promise<void>;
}

interface Counted {
  left: number;
}

/** `random`: of faults alone, so that what else happens meanwhile does not change which calls fail. */
export function createFaults(random: RandomSource, effects: ControlEffects): FaultState {
  let faults: (Fault & Counted)[] = [];
  let delays: (Slowness & Counted)[] = [];
  let webhooks: WebhookFaults = {};
  let limits = defaultLimits;
  let isLagging = false;
  let script: ScriptedChecks | null = null;
  let knowsRunDetails = true;
  const catchUps: (() => Promise<void>)[] = [];
  const lag = async (isOn: boolean): Promise<void> => {
    isLagging = isOn;
    if (isOn) return;
    await effects.settled();
    for (const catchUp of catchUps) await catchUp();
  };
  const take = <T extends { operation?: string; rate?: number } & Counted>(all: T[], operation: string): T | null => {
    const met = all.find(
      (each) => each.left > 0 && isFor(each.operation, operation) && random.next() < (each.rate ?? 1),
    );
    if (met !== undefined) met.left -= 1;
    return met ?? null;
  };
  return {
    controls: {
      fail: (fault) => void faults.push({ ...fault, left: fault.times ?? Number.POSITIVE_INFINITY }),
      slow: (slowness) => void delays.push({ ...slowness, left: slowness.times ?? Number.POSITIVE_INFINITY }),
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
      runDetails: (isKnown) => void (knowsRunDetails = isKnown),
      clear: async () => {
        faults = [];
        delays = [];
        webhooks = {};
        limits = defaultLimits;
        script = null;
        knowsRunDetails = true;
        await lag(false);
      },
    },
    takeFault: (operation, when) =>
      take(
        faults.filter((each) => (each.when ?? 'before') === when),
        operation,
      ),
    takeDelayMs: (operation) => take(delays, operation)?.ms ?? 0,
    webhookFaults: () => webhooks,
    currentLimits: () => limits,
    isLagging: () => isLagging,
    whenCaughtUp: (catchUp) => void catchUps.push(catchUp),
    scriptedChecks: () => script,
    knowsRunDetails: () => knowsRunDetails,
  };
}

function isFor(wanted: string | undefined, operation: string): boolean {
  return wanted === undefined || wanted === operation || operation.endsWith(` ${wanted}`);
}
