// How people stop all landings on the base, and which landings have begun.
import { haltQueue, resumeQueue } from '../../src/modules/queue/index.ts';
import {
  freezeBranches,
  pauseBranches,
  pauseRepository,
  unfreezeBranches,
} from '../../src/modules/repositories/index.ts';
import { worldName } from '../support/world-template.ts';
import { admin } from './acting.ts';
import type { Installation, Process } from './installation.ts';

export const holds = ['pause', 'branch pause', 'freeze', 'halt'] as const;

export type Hold = (typeof holds)[number];

export const haltReason = 'A person looks at something.';

export async function setHold(by: Process, kind: Hold, isHeld: boolean): Promise<unknown> {
  const ctx = admin(by.ctx);
  const repository = worldName;
  if (kind === 'pause') return await pauseRepository(ctx, { repository, paused: isHeld });
  if (kind === 'branch pause') return await pauseBranches(ctx, { repository, pattern: 'main', paused: isHeld });
  const branch = { repository, baseBranch: 'main' };
  if (kind === 'halt')
    return isHeld ? await haltQueue(ctx, { ...branch, reason: haltReason }) : await resumeQueue(ctx, branch);
  const freeze = { repository, baseBranches: 'main' };
  return isHeld ? await freezeBranches(ctx, freeze) : await unfreezeBranches(ctx, freeze);
}

export async function startedLandings(i: Installation): Promise<ReadonlySet<string>> {
  const rows = await i.rows<{ id: string }>(
    "select format('%s of %s', id, started_at) as id from intent where kind = 'land' and started_at is not null",
  );
  return new Set(rows.map(({ id }) => id));
}
