// Makes many accounts, which send requests in turn. So no account exceeds the limits that it has in production, and
// row-level security has rows to separate.
import { randomBytes } from 'node:crypto';
import type { Ports } from '../src/context.ts';
import { createAccount, deriveSecrets } from '../src/modules/accounts/index.ts';
import { connectDatabase } from '../src/platform/database.ts';

export interface Tenant {
  readonly accountId: string;
  readonly token: string;
}

export interface Tenants {
  readonly tenants: readonly Tenant[];
  /** The secret of the server, without which the tokens are not valid. */
  readonly secret: string;
}

export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** `secret`: the secret of the server, if a server runs already. Left out: a new one. */
export async function createTenants(databaseUrl: string, count: number, secret = randomSecret()): Promise<Tenants> {
  const secrets = deriveSecrets(secret);
  const db = await connectDatabase({ url: databaseUrl, entities: [] });
  try {
    const tenants: Tenant[] = [];
    for (let n = 0; n < count; n++) {
      tenants.push(
        await createAccount({ db } as Pick<Ports, 'db'> as Ports, secrets, {
          name: `bench ${n}`,
          email: 'bench@example.com',
        }),
      );
    }
    return { tenants, secret };
  } finally {
    await db.close();
  }
}
