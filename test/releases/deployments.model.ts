// A model that only knows the rules. It says what the event log of an environment must contain after any request.
import { canMove } from '../../src/domain/releases/deployment.status.ts';
import type { DeploymentKind, DeploymentStatus } from '../../src/domain/releases/release.ts';

/** A deployment, as one event of the log shows it. */
export interface LoggedDeployment {
  readonly id: string;
  readonly version: string;
  readonly kind: DeploymentKind;
  readonly rollbackOf: string | null;
  readonly status: DeploymentStatus;
  readonly forced: boolean;
}

interface Known extends LoggedDeployment {
  /** The last status was written by the service, not reported. */
  readonly isByService: boolean;
}

export class EnvironmentModel {
  isFrozen = false;
  readonly #deployments = new Map<string, Known>();
  /** The deployments that started, in the order of their starts. */
  #started: string[] = [];
  /** The deployments that have succeeded, in the order in which the success was reported. */
  #succeeded: string[] = [];

  /** Follows the log. `reported` is the deployment that these events report, and its status. */
  follow(
    events: readonly LoggedDeployment[],
    reported: { readonly version: string; readonly status: DeploymentStatus } | null,
  ): void {
    let isReport = reported !== null;
    for (const event of events) {
      const before = this.#deployments.get(event.id);
      const isByService = !(isReport && event.version === reported?.version && event.status === reported.status);
      if (!isByService) isReport = false;
      if (isByService) this.#judge(event, before);
      this.#note(event, before, isByService);
    }
    this.#atMostOne();
  }

  #judge(event: LoggedDeployment, before: Known | undefined): void {
    const { id, status } = event;
    if (before === undefined) {
      if (status !== 'pending') throw new Error(`${id} begins as ${status}.`);
      if (this.isFrozen && !event.forced) throw new Error(`${id} was made while frozen.`);
      return;
    }
    if (!canMove(before.status, status)) throw new Error(`${id} went from ${before.status} to ${status}.`);
    if (status === 'in_progress' && this.isFrozen && !event.forced) throw new Error(`${id} began while frozen.`);
  }

  #note(event: LoggedDeployment, before: Known | undefined, isByService: boolean): void {
    const { id, status } = event;
    this.#deployments.set(id, { ...event, isByService });
    const wasPending = (before?.status ?? 'pending') === 'pending';
    const starts = status !== 'pending' && !(status === 'canceled' && wasPending);
    const wasFinal = before !== undefined && isFinal(before.status);
    const isAgain = wasFinal ? ['in_progress', 'canceling'].includes(status) : wasPending && starts;
    if (isAgain) this.#started = this.#started.filter((each) => each !== id);
    if (starts && !this.#started.includes(id)) this.#started.push(id);
    this.#succeeded = this.#succeeded.filter((each) => each !== id);
    if (status === 'success') this.#succeeded.push(id);
  }

  #atMostOne(): void {
    const byService = [...this.#deployments.values()].filter(
      ({ status, isByService }) => isByService && (status === 'in_progress' || status === 'canceling'),
    );
    if (byService.length > 1) throw new Error(`${byService.map(({ id }) => id).join(' and ')} are under way at once.`);
  }

  /** The version that a rollback must restore now. Null: there is none. */
  rollbackTarget(): string | null {
    const latest = this.#deployments.get(this.#started.at(-1) ?? '');
    if (latest === undefined) return null;
    const history = this.#historyUpTo(this.#succeeded.length);
    if (latest.status === 'success') return history.at(-2) ?? null;
    return latest.kind === 'rollback' ? latest.version : (history.at(-1) ?? null);
  }

  #historyUpTo(count: number): string[] {
    const last = this.#deployments.get(this.#succeeded[count - 1] ?? '');
    if (last === undefined) return [];
    const before = this.#historyUpTo(count - 1);
    if (last.kind === 'forward') return before.at(-1) === last.version ? before : [...before, last.version];
    const tookBack = this.#deployments.get(last.rollbackOf ?? '')?.version ?? '';
    const at = before.includes(last.version) ? before.lastIndexOf(last.version) : before.lastIndexOf(tookBack);
    const kept = at < 0 ? before : before.slice(0, at);
    return kept.at(-1) === last.version ? kept : [...kept, last.version];
  }

  get active(): readonly Known[] {
    return [...this.#deployments.values()].filter(({ status }) => !isFinal(status));
  }

  get all(): readonly Known[] {
    return [...this.#deployments.values()];
  }
}

function isFinal(status: DeploymentStatus): boolean {
  return ['success', 'failure', 'canceled', 'error'].includes(status);
}
