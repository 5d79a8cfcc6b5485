// What the service drives without Temporal: a wake or a deadline is a turn, and what a turn leaves to be carried out is
// done beside the loop, as it is in a worker.
import { systemContext, type Context, type Ports, type Wake } from '../../src/context.ts';
import {
  advanceVerification,
  carryOutVerification,
  wakeDueVerifications,
  type Verifying,
} from '../../src/modules/previews/index.ts';
import {
  advanceBuild,
  advanceDeployment,
  carryOutBuild,
  carryOutDeployment,
  type ReleaseDriving,
} from '../../src/modules/releases/index.ts';
import {
  advanceRunbook,
  carryOutRunbook,
  wakeDueRunbooks,
  type RunbookDriving,
} from '../../src/modules/runbooks/index.ts';

export interface DrivenLoop<Whose extends Wake, CarriedOutBy> {
  /** Null: nobody is there who could. */
  driving: CarriedOutBy | null;
  wake(whose: Whose): void;
  /** Wakes what the relay would find within a minute of a killed process. */
  wakeOpen(ports: Ports): Promise<void>;
  run(ports: Ports, observe: () => Promise<void>): Promise<void>;
  /** Resolves when what was being carried out is done. */
  ended(): Promise<void>;
}

interface Kind<Whose extends Wake, CarriedOutBy> {
  keyOf(whose: Whose): string;
  readonly is: (whose: Wake) => whose is Whose;
  /** SQL: `whose` is to be looked at again. */
  readonly open: string;
  /** Looks like the relay. Left out: only deadlines wake. */
  wakeDue?(ports: Ports): Promise<void>;
  advance(
    ctx: Context,
    whose: Whose,
  ): Promise<{ readonly need: 'call' | 'supervise' | 'wait' | 'ended'; readonly nextLookAt: number | null }>;
  carryOut(ctx: Context, whose: Whose, driving: CarriedOutBy): Promise<unknown>;
}

function createDrivenLoop<Whose extends Wake, CarriedOutBy>(
  onWake: () => void,
  kind: Kind<Whose, CarriedOutBy>,
): DrivenLoop<Whose, CarriedOutBy> {
  const woken = new Map<string, Whose>();
  const deadlines = new Map<string, { readonly whose: Whose; readonly at: number }>();
  const running = new Map<string, Promise<void>>();
  const loop: DrivenLoop<Whose, CarriedOutBy> = {
    driving: null,
    wake(whose) {
      woken.set(kind.keyOf(whose), whose);
      onWake();
    },
    async wakeOpen({ db }) {
      for (const { whose } of await db.system.query<{ readonly whose: Whose }>(kind.open)) loop.wake(whose);
    },
    async run(ports, observe) {
      await kind.wakeDue?.({ ...ports, wake: async (whose) => void (kind.is(whose) && loop.wake(whose)) });
      for (const [key, { whose, at }] of deadlines)
        if (at <= ports.clock().getTime() && !running.has(key)) woken.set(key, whose);
      for (;;) {
        const next = woken.entries().next().value;
        if (next === undefined) return;
        const [key, whose] = next;
        woken.delete(key);
        await turn(ports, { key, whose });
        await observe();
      }
    },
    ended: async () => void (await Promise.all(running.values())),
  };
  return loop;

  async function turn(ports: Ports, { key, whose }: { readonly key: string; readonly whose: Whose }): Promise<void> {
    const ctx = systemContext(ports, whose.accountId);
    const { need, nextLookAt } = await kind.advance(ctx, whose);
    deadlines.delete(key);
    if (nextLookAt !== null) deadlines.set(key, { whose, at: nextLookAt });
    const { driving } = loop;
    if ((need !== 'call' && need !== 'supervise') || driving === null || running.has(key)) return;
    running.set(
      key,
      kind
        .carryOut(ctx, whose, driving)
        .then(
          (message) => ctx.log.debug({ message }, 'carried out'),
          (error: unknown) => ctx.log.error({ error: String(error) }, 'carrying out failed'),
        )
        .then(() => {
          running.delete(key);
          loop.wake(whose);
        }),
    );
    // A call is over in a moment, and what comes of it is the next turn's. What takes long may wait for the test.
    await Promise.race([running.get(key), new Promise((resolve) => setTimeout(resolve, 250))]);
  }
}

type OfRelease = Extract<Wake, { readonly deploymentId: string } | { readonly candidateId: string }>;
type OfRunbook = Extract<Wake, { readonly runbookId: string }>;
type OfVerification = Extract<Wake, { readonly verificationId: string }>;

/** Deployments and builds. */
export type ReleaseLoop = DrivenLoop<OfRelease, ReleaseDriving>;
export type RunbookLoop = DrivenLoop<OfRunbook, RunbookDriving>;
export type VerificationLoop = DrivenLoop<OfVerification, Verifying>;

export const createReleaseLoop = (onWake: () => void): ReleaseLoop =>
  createDrivenLoop(onWake, {
    is: (whose) => 'deploymentId' in whose || 'candidateId' in whose,
    keyOf: (whose) => ('deploymentId' in whose ? `deployment ${whose.deploymentId}` : `candidate ${whose.candidateId}`),
    open: `select json_build_object('accountId', account_id::text, 'deploymentId', id::text) as whose
             from deployment where next_look_at is not null
           union all select json_build_object('accountId', account_id::text, 'candidateId', id::text)
             from release_candidate where next_look_at is not null`,
    advance: async (ctx, whose) =>
      'deploymentId' in whose
        ? await advanceDeployment(ctx, whose.deploymentId)
        : await advanceBuild(ctx, whose.candidateId),
    carryOut: async (ctx, whose, driving) =>
      'deploymentId' in whose
        ? await carryOutDeployment(ctx, whose.deploymentId, driving)
        : await carryOutBuild(ctx, whose.candidateId, driving),
  });

export const createRunbookLoop = (onWake: () => void): RunbookLoop =>
  createDrivenLoop(onWake, {
    is: (whose) => 'runbookId' in whose,
    keyOf: ({ runbookId }) => runbookId,
    open: `select json_build_object('accountId', account_id::text, 'runbookId', id::text) as whose
             from runbook where next_look_at is not null`,
    wakeDue: wakeDueRunbooks,
    advance: async (ctx, { runbookId }) => await advanceRunbook(ctx, runbookId),
    carryOut: async (ctx, { runbookId }, driving) => await carryOutRunbook(ctx, runbookId, driving),
  });

export const createVerificationLoop = (onWake: () => void): VerificationLoop =>
  createDrivenLoop(onWake, {
    is: (whose) => 'verificationId' in whose,
    keyOf: ({ verificationId }) => verificationId,
    open: `select json_build_object('accountId', account_id::text, 'verificationId', id::text) as whose
             from verification where next_look_at is not null`,
    wakeDue: wakeDueVerifications,
    advance: async (ctx, { verificationId }) => await advanceVerification(ctx, verificationId),
    carryOut: async (ctx, { verificationId }, driving) => await carryOutVerification(ctx, verificationId, driving),
  });
