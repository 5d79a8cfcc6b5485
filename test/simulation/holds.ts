// How people stop all landings on the base, and which landings have begun.
import { haltQueue, resumeQueue, setRepositoryActive } from '../../src/modules/queue/index.ts';
import {
  freezeBranches,
  pauseBranches,
  pauseRepository,
  unfreezeBranches,
} from '../../src/modules/repositories/index.ts';
import { worldName } from '../support/world-template.ts';
import { admin } from './acting.ts';
import type { Installation, Process } from './installation.ts';

/** A pause and a deactivation concern all branches, the others only `main`. */
export const holds = ['pause', 'branch pause', 'freeze', 'halt', 'deactivation'] as const;

export type Hold = (typeof holds)[number];

export const haltReason = 'A person looks at something.';

export async function setHold(by: Process, kind: Hold, isHeld: boolean): Promise<unknown> {
  const ctx = admin(by.ctx);
  const repository = worldName;
  if (kind === 'deactivation') return await setRepositoryActive(ctx, { repository, active: !isHeld });
  if (kind === 'pause') return await pauseRepository(ctx, { repository, paused: isHeld });
  if (kind === 'branch pause') return await pauseBranches(ctx, { repository, pattern: 'main', paused: isHeld });
  const branch = { repository, baseBranch: 'main' };
  if (kind === 'halt')
    return isHeld ? await haltQueue(ctx, { ...branch, reason: haltReason }) : await resumeQueue(ctx, branch);
  const freeze = { repository, baseBranches: 'main' };
  return isHeld ? await freezeBranches(ctx, freeze) : await unfreezeBranches(ctx, freeze);
}

/** The landings that have started and that the hold would have stopped. */
export async function startedLandings(i: Installation, kind: Hold): Promise<ReadonlySet<string>> {
  const rows = await i.rows<{ id: string }>(
    `select format('%s of %s', n.id, n.started_at) as id from intent n join queue q on q.account_id = n.account_id and q.id = n.queue_id
     where n.kind = 'land' and n.started_at is not null and (q.base_branch = 'main' or $1)`,
    [kind === 'pause' || kind === 'deactivation'],
  );
  return new Set(rows.map(({ id }) => id));
}
