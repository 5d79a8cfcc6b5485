// Compares the running sandboxes of this machine with the rows, when a worker starts and once a minute. A verification
// that was killed, canceled or lost may leave a sandbox behind. No sandbox may outlive its verification or its time
// limit.
import type { Ports } from '../../../context.ts';
import type { PreviewSandboxes } from '../../../platform/previews/port.ts';

/**
 * SQL: whether the verification of a sandbox still boots, tests or tears down the preview. The row of a sandbox is
 * written before its boot, so that a booting sandbox is never removed.
 */
const isWanted = `s.state <> 'gone' and s.expires_at > $1 and v.status in ('booting', 'driving', 'tearing_down')`;
const ofRun = 'v.account_id = s.account_id and v.id = s.verification_id';

/** Removes sandboxes without a running verification. Returns their names. */
export async function reconcileSandboxes(ports: Ports, kinds: readonly PreviewSandboxes[]): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const sandboxes of kinds) {
    for (const name of await sandboxes.list()) {
      // The row is read just before the removal, because the removal of the previous sandbox may have taken a minute.
      if (await isStillWanted(ports, sandboxes.kind, name)) continue;
      try {
        await sandboxes.destroy(name);
        removed.push(name);
      } catch (error) {
        ports.log.warn(
          { error: String(error), sandbox: name },
          'A sandbox could not be removed. Interlock tries again.',
        );
      }
    }
  }
  await markEnded(ports);
  return removed;
}

async function isStillWanted({ db, clock }: Ports, kind: PreviewSandboxes['kind'], name: string): Promise<boolean> {
  const rows = await db.system.query(
    `select 1 from preview_sandbox s join verification v on ${ofRun} where ${isWanted} and s.kind = $2 and s.name = $3`,
    [clock().toISOString(), kind, name],
  );
  return rows.length > 0;
}

/** Marks ended sandboxes as gone, so that their public addresses stop working. */
async function markEnded({ db, clock }: Ports): Promise<void> {
  await db.system.query(
    `update preview_sandbox s set state = 'gone', address = null, way_key = null, gone_at = coalesce(s.gone_at, $1) from verification v
     where ${ofRun} and s.state <> 'gone' and not (${isWanted})`,
    [clock().toISOString()],
  );
}
