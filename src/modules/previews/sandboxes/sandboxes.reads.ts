// Where a sandbox is reached, by the name in its public address. Whoever knows the slug may come: it cannot be guessed.
import type { SandboxState } from '../../../domain/previews/preview.ts';
import type { Database } from '../../../platform/database.ts';

export interface ReachableSandbox {
  readonly state: SandboxState;
  /** Null: not up, or gone. */
  readonly address: string | null;
  readonly expiresAt: Date;
}

export async function findSandboxBySlug(db: Database, slug: string): Promise<ReachableSandbox | null> {
  const [row] = await db.system.query<ReachableSandbox>(
    'select state, address, expires_at as "expiresAt" from preview_sandbox where slug = $1',
    [slug],
  );
  return row === undefined ? null : { ...row, expiresAt: new Date(row.expiresAt) };
}
