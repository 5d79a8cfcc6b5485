// Drives rows such as deployments without Temporal. A wake or a deadline causes a turn. Work that a turn decides on is
// carried out concurrently, as in a worker.
import { systemContext, type Context, type Ports, type Wake } from '../../src/context.ts';
import {
  advanceVerification,
  carryOutVerification,
  wakeDueVerifications,
  type VerificationPorts,
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

export interface DrivenLoop<RowRef extends Wake, Driving> {
  /** What carrying out work needs. Null: no work is carried out. */
  driving: Driving | null;
  wake(rowRef: RowRef): void;
  /** Wakes all rows that the relay would find after a process was killed. */
  wakeOpen(ports: Ports): Promise<void>;
  run(ports: Ports, observe: () => Promise<void>): Promise<void>;
  /** Resolves when all work that is being carried out has ended. */
  ended(): Promise<void>;
}

interface Kind<RowRef extends Wake, Driving> {
  keyOf(rowRef: RowRef): string;
  readonly is: (rowRef: Wake) => rowRef is RowRef;
  /** A query for the rows that need another turn. */
  readonly open: string;
  /** Wakes the rows that the relay would find. Left out: only deadlines wake rows. */
  wakeDue?(ports: Ports): Promise<void>;
  advance(
    ctx: Context,
    rowRef: RowRef,
  ): Promise<{ readonly need: 'call' | 'supervise' | 'wait' | 'ended'; readonly nextLookAt: number | null }>;
  carryOut(ctx: Context, rowRef: RowRef, driving: Driving): Promise<unknown>;
}

function createDrivenLoop<RowRef extends Wake, Driving>(
  onWake: () => void,
  kind: Kind<RowRef, Driving>,
): DrivenLoop<RowRef, Driving> {
  const woken = new Map<string, RowRef>();
  const deadlines = new Map<string, { readonly rowRef: RowRef; readonly at: number }>();
  const running = new Map<string, Promise<void>>();
  const loop: DrivenLoop<RowRef, Driving> = {
    driving: null,
    wake(rowRef) {
      woken.set(kind.keyOf(rowRef), rowRef);
      onWake();
    },
    async wakeOpen({ db }) {
      for (const { rowRef } of await db.system.query<{ readonly rowRef: RowRef }>(kind.open)) loop.wake(rowRef);
    },
    async run(ports, observe) {
      await kind.wakeDue?.({ ...ports, wake: async (rowRef) => void (kind.is(rowRef) && loop.wake(rowRef)) });
      for (const [key, { rowRef, at }] of deadlines)
        if (at <= ports.clock().getTime() && !running.has(key)) woken.set(key, rowRef);
      for (;;) {
        const next = woken.entries().next().value;
        if (next === undefined) return;
        const [key, rowRef] = next;
        woken.delete(key);
        await turn(ports, { key, rowRef });
        await observe();
      }
    },
    ended: async () => void (await Promise.all(running.values())),
  };
  return loop;

  async function turn(ports: Ports, { key, rowRef }: { readonly key: string; readonly rowRef: RowRef }): Promise<void> {
    const ctx = systemContext(ports, rowRef.accountId);
    const { need, nextLookAt } = await kind.advance(ctx, rowRef);
    deadlines.delete(key);
    if (nextLookAt !== null) deadlines.set(key, { rowRef, at: nextLookAt });
    const { driving } = loop;
    if ((need !== 'call' && need !== 'supervise') || driving === null || running.has(key)) return;
    running.set(
      key,
      kind
        .carryOut(ctx, rowRef, driving)
        .then(
          (message) => ctx.log.debug({ message }, 'carried out'),
          (error: unknown) => ctx.log.error({ error: String(error) }, 'carrying out failed'),
        )
        .then(() => {
          running.delete(key);
          loop.wake(rowRef);
        }),
    );
    // Calls end soon, and the next turn reads their results. Work that takes longer may be waiting for the test.
    await Promise.race([running.get(key), new Promise((resolve) => setTimeout(resolve, 250))]);
  }
}

type ReleaseWake = Extract<Wake, { readonly deploymentId: string } | { readonly candidateId: string }>;
type RunbookWake = Extract<Wake, { readonly runbookId: string }>;
type VerificationWake = Extract<Wake, { readonly verificationId: string }>;

/** The loop of deployments and builds. */
export type ReleaseLoop = DrivenLoop<ReleaseWake, ReleaseDriving>;
export type RunbookLoop = DrivenLoop<RunbookWake, RunbookDriving>;
export type VerificationLoop = DrivenLoop<VerificationWake, VerificationPorts>;

export const createReleaseLoop = (onWake: () => void): ReleaseLoop =>
  createDrivenLoop(onWake, {
    is: (rowRef) => 'deploymentId' in rowRef || 'candidateId' in rowRef,
    keyOf: (rowRef) =>
      'deploymentId' in rowRef ? `deployment ${rowRef.deploymentId}` : `candidate ${rowRef.candidateId}`,
    open: `select json_build_object('accountId', account_id::text, 'deploymentId', id::text) as "rowRef"
             from deployment where next_look_at is not null
           union all select json_build_object('accountId', account_id::text, 'candidateId', id::text)
             from release_candidate where next_look_at is not null`,
    advance: async (ctx, rowRef) =>
      'deploymentId' in rowRef
        ? await advanceDeployment(ctx, rowRef.deploymentId)
        : await advanceBuild(ctx, rowRef.candidateId),
    carryOut: async (ctx, rowRef, driving) =>
      'deploymentId' in rowRef
        ? await carryOutDeployment(ctx, rowRef.deploymentId, driving)
        : await carryOutBuild(ctx, rowRef.candidateId, driving),
  });

export const createRunbookLoop = (onWake: () => void): RunbookLoop =>
  createDrivenLoop(onWake, {
    is: (rowRef) => 'runbookId' in rowRef,
    keyOf: ({ runbookId }) => runbookId,
    open: `select json_build_object('accountId', account_id::text, 'runbookId', id::text) as "rowRef"
             from runbook where next_look_at is not null`,
    wakeDue: wakeDueRunbooks,
    advance: async (ctx, { runbookId }) => await advanceRunbook(ctx, runbookId),
    carryOut: async (ctx, { runbookId }, driving) => await carryOutRunbook(ctx, runbookId, driving),
  });

export const createVerificationLoop = (onWake: () => void): VerificationLoop =>
  createDrivenLoop(onWake, {
    is: (rowRef) => 'verificationId' in rowRef,
    keyOf: ({ verificationId }) => verificationId,
    open: `select json_build_object('accountId', account_id::text, 'verificationId', id::text) as "rowRef"
             from verification where next_look_at is not null`,
    wakeDue: wakeDueVerifications,
    advance: async (ctx, { verificationId }) => await advanceVerification(ctx, verificationId),
    carryOut: async (ctx, { verificationId }, driving) => await carryOutVerification(ctx, verificationId, driving),
  });
