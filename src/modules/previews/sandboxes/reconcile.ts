// What runs here is compared with the rows, when a worker starts and once a minute: a run that was killed, canceled or
// lost may leave a sandbox behind, and none may outlive its run or its time.
import type { Ports } from '../../../context.ts';
import type { PreviewSandboxes } from '../../../platform/previews/port.ts';

/**
 * SQL: its run still boots, drives or tears down. A sandbox's row is written before its boot, so it is never seen as
 * lost.
 */
const isWanted = `s.state <> 'gone' and s.expires_at > $1 and v.status in ('booting', 'driving', 'tearing_down')`;
const ofRun = 'v.account_id = s.account_id and v.id = s.verification_id';

/** Removes sandboxes without a run. Returns their names. */
export async function reconcileSandboxes(ports: Ports, kinds: readonly PreviewSandboxes[]): Promise<readonly string[]> {
  const takenAway: string[] = [];
  for (const sandboxes of kinds) {
    for (const name of await sandboxes.list()) {
      // Asked just before: taking the one before it away may have taken a minute.
      if (await isStillWanted(ports, sandboxes.kind, name)) continue;
      try {
        await sandboxes.destroy(name);
        takenAway.push(name);
      } catch (error) {
        ports.log.warn(
          { error: String(error), sandbox: name },
          'A sandbox could not be taken away; it is tried again.',
        );
      }
    }
  }
  await forgetEnded(ports);
  return takenAway;
}

async function isStillWanted({ db, clock }: Ports, kind: PreviewSandboxes['kind'], name: string): Promise<boolean> {
  const rows = await db.system.query(
    `select 1 from preview_sandbox s join verification v on ${ofRun} where ${isWanted} and s.kind = $2 and s.name = $3`,
    [clock().toISOString(), kind, name],
  );
  return rows.length > 0;
}

/** The public addresses of those lead nowhere any more. */
async function forgetEnded({ db, clock }: Ports): Promise<void> {
  await db.system.query(
    `update preview_sandbox s set state = 'gone', address = null, way_key = null, gone_at = coalesce(s.gone_at, $1) from verification v
     where ${ofRun} and s.state <> 'gone' and not (${isWanted})`,
    [clock().toISOString()],
  );
}
