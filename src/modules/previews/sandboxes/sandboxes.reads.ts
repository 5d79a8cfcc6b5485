// Finds a sandbox by the slug in its public address. A visitor with the slug may open the sandbox, because the slug
// cannot be guessed.
import type { SandboxState } from '../../../domain/previews/preview.ts';
import type { Database } from '../../../platform/database.ts';
import type { GatewayRoute } from '../../../platform/previews/gateway.ts';
import { decrypt, type Secrets } from '../../accounts/index.ts';

export interface ReachableSandbox {
  readonly state: SandboxState;
  /** The route to the sandbox. Null: the sandbox is not ready yet, or is gone. */
  readonly route: GatewayRoute | null;
  readonly expiresAt: Date;
}

interface Row {
  readonly accountId: string;
  readonly verificationId: string;
  readonly state: SandboxState;
  readonly address: string | null;
  readonly sealed: Buffer | null;
  readonly expiresAt: Date;
}

/** The purpose for which the key of a sandbox's route is encrypted. */
export function routeKeyPurpose({ accountId, verificationId }: Pick<Row, 'accountId' | 'verificationId'>): string {
  return `preview-way/${accountId}/${verificationId}`;
}

export async function findSandboxBySlug(
  db: Database,
  secrets: Secrets,
  slug: string,
): Promise<ReachableSandbox | null> {
  const [row] = await db.system.query<Row>(
    `select account_id as "accountId", verification_id as "verificationId", state, address, way_key as sealed,
       expires_at as "expiresAt"
     from preview_sandbox where slug = $1`,
    [slug],
  );
  return row === undefined
    ? null
    : { state: row.state, route: routeOf(secrets, row), expiresAt: new Date(row.expiresAt) };
}

function routeOf(secrets: Secrets, { address, sealed, ...of }: Row): GatewayRoute | null {
  if (address === null || sealed === null) return null;
  return { address, key: decrypt(secrets, routeKeyPurpose(of), sealed).toString() };
}
