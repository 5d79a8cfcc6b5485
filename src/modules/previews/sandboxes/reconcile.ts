// Compares the running sandboxes of this machine with the rows, when a worker starts and once a minute. A verification
// that was killed, canceled or lost may leave a sandbox behind. No sandbox may outlive its verification or its time
// limit.
import type { Ports } from '../../../context.ts';
import { ownerOfSandbox } from '../../../domain/previews/sandbox-name.ts';
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
    for (const name of await listed(ports, sandboxes)) {
      // The row is read just before the removal, because the removal of the previous sandbox may have taken a minute.
      const need = await readNeed(ports, sandboxes.kind, name);
      if (need === 'wanted') continue;
      try {
        // The teardown script could remove what the other sandbox of the verification uses.
        await (need === 'replaced' ? sandboxes.remove(name) : sandboxes.destroy(name));
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

/** The names of the running sandboxes of this kind. None if they cannot be listed, which the log says. */
async function listed({ log }: Ports, sandboxes: PreviewSandboxes): Promise<readonly string[]> {
  return await sandboxes.list().catch((error: unknown) => {
    log.warn(
      { error: String(error), kind: sandboxes.kind },
      'The sandboxes could not be listed. Interlock tries again.',
    );
    return [];
  });
}

/** `replaced`: the verification goes on in another sandbox, because the worker of this one was lost. */
type Need = 'wanted' | 'replaced' | 'over';

async function readNeed({ db, clock }: Ports, kind: PreviewSandboxes['kind'], name: string): Promise<Need> {
  const owner = ownerOfSandbox(name);
  if (owner === null) return 'over';
  const [wanted] = await db.system.query<{ kind: string; name: string }>(
    `select s.kind, s.name from preview_sandbox s join verification v on ${ofRun}
     where ${isWanted} and s.account_id = $2 and s.verification_id = $3`,
    [clock().toISOString(), owner.accountId, owner.verificationId],
  );
  if (wanted === undefined) return 'over';
  return wanted.kind === kind && wanted.name === name ? 'wanted' : 'replaced';
}

/** Marks ended sandboxes as gone, so that their public addresses stop working. */
async function markEnded({ db, clock }: Ports): Promise<void> {
  await db.system.query(
    `update preview_sandbox s set state = 'gone', address = null, way_key = null, gone_at = coalesce(s.gone_at, $1) from verification v
     where ${ofRun} and s.state <> 'gone' and not (${isWanted})`,
    [clock().toISOString()],
  );
}
