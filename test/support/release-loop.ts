// Deployments and builds driven without Temporal: a wake or a deadline is a turn, and what a turn leaves to be carried
// out is done at once. A command runs beside the loop, as it does in a worker.
import { systemContext, type Ports, type Wake } from '../../src/context.ts';
import {
  advanceBuild,
  advanceDeployment,
  carryOutBuild,
  carryOutDeployment,
  type Attending,
} from '../../src/modules/releases/index.ts';

type Driven = Extract<Wake, { readonly deploymentId: string } | { readonly candidateId: string }>;

export interface ReleaseLoop {
  /** Null: what has a provider waits for somebody who can call it. */
  attending: Attending | null;
  wake(whose: Driven): void;
  /** What the relay would find within a minute of a killed process. */
  wakeOpen(ports: Ports): Promise<void>;
  run(ports: Ports, observe: () => Promise<void>): Promise<void>;
  /** Resolves when what was being carried out is done. */
  ended(): Promise<void>;
}

export function createReleaseLoop(): ReleaseLoop {
  const woken = new Map<string, Driven>();
  const deadlines = new Map<string, { readonly whose: Driven; readonly at: number }>();
  const running = new Map<string, Promise<void>>();
  const loop: ReleaseLoop = {
    attending: null,
    wake: (whose) => void woken.set(keyOf(whose), whose),
    async wakeOpen(ports) {
      const open = await ports.db.system.query<{
        accountId: string;
        deploymentId: string | null;
        candidateId: string | null;
      }>(
        `select account_id as "accountId", id as "deploymentId", null as "candidateId" from deployment where next_look_at is not null
         union all select account_id, null, id from release_candidate where next_look_at is not null`,
      );
      for (const { accountId, deploymentId, candidateId } of open)
        loop.wake(deploymentId === null ? { accountId, candidateId: candidateId ?? '' } : { accountId, deploymentId });
    },
    async run(ports, observe) {
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

  async function turn(ports: Ports, { key, whose }: { readonly key: string; readonly whose: Driven }): Promise<void> {
    const ctx = systemContext(ports, whose.accountId);
    const { need, nextLookAt } =
      'deploymentId' in whose
        ? await advanceDeployment(ctx, whose.deploymentId)
        : await advanceBuild(ctx, whose.candidateId);
    deadlines.delete(key);
    if (nextLookAt !== null) deadlines.set(key, { whose, at: nextLookAt });
    const { attending } = loop;
    if ((need !== 'call' && need !== 'attend') || attending === null || running.has(key)) return;
    const work =
      'deploymentId' in whose
        ? carryOutDeployment(ctx, whose.deploymentId, attending)
        : carryOutBuild(ctx, whose.candidateId, attending);
    running.set(
      key,
      work
        .catch((error: unknown) => ctx.log.error({ error: String(error) }, 'carrying out failed'))
        .then(() => {
          running.delete(key);
          woken.set(key, whose);
        }),
    );
    // A call is over in a moment, and what comes of it is the next turn's. A command may wait for the test.
    await Promise.race([running.get(key), new Promise((resolve) => setTimeout(resolve, 250))]);
  }
}

function keyOf(whose: Driven): string {
  return 'deploymentId' in whose ? `deployment ${whose.deploymentId}` : `candidate ${whose.candidateId}`;
}
