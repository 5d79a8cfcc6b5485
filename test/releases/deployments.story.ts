// Random requests for an environment. Deployments are driven only by wakes and deadlines, as by workflows. After every
// step the log is compared with the model.
import { fc } from '../support/properties.ts';
import { expect } from 'vitest';
import { systemContext, type Context } from '../../src/context.ts';
import { deploymentStatuses } from '../../src/domain/releases/release.ts';
import { DomainError } from '../../src/domain/errors.ts';
import {
  advanceDeployment,
  cancelDeployment,
  carryOutDeployment,
  createDeployment,
  reportDeployment,
  rollBackEnvironment,
} from '../../src/modules/releases/index.ts';
import { freezeEnvironment, unfreezeEnvironment } from '../../src/modules/releases/freezes.service.ts';
import type { Provider, ProviderReading } from '../../src/platform/providers/port.ts';
import type { TestServer } from '../support/server.ts';
import { EnvironmentModel, type LoggedDeployment } from './deployments.model.ts';

export const versions = ['v1-rc1', 'v2-rc1', 'v3-rc1', 'v4-rc1'] as const;
const reportTimeoutMs = 3_600_000;

const state = fc.constantFrom('success', 'success', 'success', 'failure', 'canceled', 'error', 'running', 'unknown');
const [version, force, rarely] = [
  fc.constantFrom(...versions),
  fc.boolean(),
  fc.constantFrom(true, false, false, false),
];
/** How the deployment ends, if its turn comes. Null: it stays in line. */
const ends = fc.option(state, { freq: 5 });
export const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('deploy'), version, supersede: rarely, force, ends }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('roll_back'), force, ends }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('report'), version, status: fc.constantFrom(...deploymentStatuses) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), nth: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('answer'), state }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('freeze', 'freeze', 'wait') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('thaw') }) },
);
export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

export interface Stage {
  readonly s: TestServer;
  /** The time of the server's clock. */
  readonly clock: { now: number };
  readonly project: string;
  /** The name of the environment. */
  readonly name: string;
  readonly id: string;
}

/** An environment, the provider that deploys to it, and the deployments that wait to be driven. */
export class Story {
  readonly model = new EnvironmentModel();
  readonly #ctx: Context;
  readonly #woken = new Set<string>();
  readonly #deadlines = new Map<string, number>();
  #answer: ProviderReading['state'] = 'running';
  #seen = '0';
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { s } = stage;
    this.#ctx = {
      ...systemContext(s.ports, s.accountId),
      wake: async (whose) => void ('deploymentId' in whose && this.#woken.add(whose.deploymentId)),
    };
  }

  get environmentId(): string {
    return this.#stage.id;
  }

  get #of(): { readonly project: string; readonly environment: string } {
    return { project: this.#stage.project, environment: this.#stage.name };
  }

  async run(asked: Command): Promise<void> {
    this.#stage.clock.now += 61_000;
    const target = this.model.rollbackTarget();
    const of = this.#of;
    switch (asked.do) {
      case 'deploy':
        await this.#refusable(createDeployment(this.#ctx, { ...of, ...asked }), asked.force);
        return await this.#end(asked.ends);
      case 'report':
        await reportDeployment(this.#ctx, { ...of, ...asked });
        return await this.#follow(asked);
      case 'roll_back': {
        const answer = await this.#refusable(rollBackEnvironment(this.#ctx, { ...of, ...asked }), asked.force);
        if (answer !== 'frozen') expectSame(answer, target);
        return await this.#end(asked.ends);
      }
      case 'cancel': {
        const of = this.model.all.at(-1 - asked.nth);
        const canBe = of !== undefined && (this.model.active.includes(of) || of.status === 'canceled');
        if (of) await cancelDeployment(this.#ctx, { id: of.id }).catch((error: unknown) => refused(error, !canBe));
        return await this.#follow();
      }
      case 'answer':
        return await this.#end(asked.state);
      case 'freeze':
        return await this.freeze(true);
      case 'thaw':
        return await this.freeze(false);
      case 'wait':
        this.#stage.clock.now += reportTimeoutMs;
        return await this.#drive();
    }
  }

  async #end(state: ProviderReading['state'] | null): Promise<void> {
    await this.#follow();
    if (state === null) return;
    this.#answer = state;
    await this.#drive();
  }

  async freeze(isFrozen: boolean): Promise<void> {
    const of = this.#of;
    await (isFrozen ? freezeEnvironment(this.#ctx, of) : unfreezeEnvironment(this.#ctx, of));
    this.model.isFrozen = isFrozen;
  }

  /** Ends the story: no more requests are made, all runs succeed, and all deployments that Interlock drives end. */
  async drain(): Promise<void> {
    await this.freeze(false);
    for (let turns = 0; turns <= this.model.all.length + 2; turns += 1) {
      this.#answer = 'success';
      this.#stage.clock.now += reportTimeoutMs;
      await this.#drive();
    }
  }

  async #refusable(asked: ReturnType<typeof createDeployment>, force: boolean): Promise<string | null> {
    const count = this.model.all.length;
    try {
      return (await asked).deployment.releaseCandidateVersion;
    } catch (error) {
      const isFrozen = error instanceof DomainError && error.code === 'ENVIRONMENT_FROZEN';
      if (!isFrozen) refused(error, true);
      expectSame(isFrozen, this.model.isFrozen && !force);
      await this.#follow();
      expectSame(this.model.all.length, count);
      return isFrozen ? 'frozen' : null;
    }
  }

  // Deployments are driven only by wakes and deadlines, as workflows drive them.
  async #drive(): Promise<void> {
    for (const [id, at] of this.#deadlines) if (at <= this.#stage.clock.now) this.#woken.add(id);
    for (let turns = 0; turns < 100; turns += 1) {
      const [id] = this.#woken;
      if (id === undefined) return;
      this.#woken.delete(id);
      this.#deadlines.delete(id);
      const { need, nextLookAt } = await advanceDeployment(this.#ctx, id);
      await this.#follow();
      if (nextLookAt !== null) this.#deadlines.set(id, nextLookAt);
      if (need !== 'call') continue;
      await carryOutDeployment(this.#ctx, id, { secrets: this.#stage.s.secrets, providers: () => this.#provider });
      await this.#follow();
      this.#woken.add(id);
    }
    throw new Error('It goes on without an end.');
  }

  get #provider(): Provider {
    return {
      shape: 'remote',
      trigger: async () => null,
      read: async () => ({ state: this.#answer, message: null, url: null }),
      cancel: async () => 'asked',
    };
  }

  async #follow(reported: Parameters<EnvironmentModel['follow']>[1] = null): Promise<void> {
    const logged = await this.#stage.s.rows<LoggedDeployment & { readonly at: string }>(
      `select e.id as at, e.deployment_id as id, c.version, d.kind, d.rollback_of_id as "rollbackOf", d.forced,
              substring(e.action from 12) as status
       from event e join deployment d on d.id = e.deployment_id join release_candidate c on c.id = d.candidate_id
       where e.environment_id = $1 and e.id > $2::bigint and e.action like 'deployment\\_%' order by e.id`,
      [this.#stage.id, this.#seen],
    );
    this.#seen = logged.at(-1)?.at ?? this.#seen;
    this.model.follow(logged, reported);
  }
}

function expectSame(is: unknown, said: unknown): void {
  expect(is).toBe(said);
}

function refused(error: unknown, isExpected: boolean): void {
  if (!(error instanceof DomainError) || !isExpected) throw error;
}
