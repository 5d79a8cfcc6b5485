import { randomBytes } from 'node:crypto';
import type { Ports } from '../src/context.ts';
import { createAccount, deriveSecrets } from '../src/modules/accounts/index.ts';
import { connectDatabase } from '../src/platform/database.ts';

export interface BenchAccount {
  readonly id: string;
  readonly token: string;
  /** What the server derives its secrets from: the token is only valid under it. */
  readonly secret: string;
}

export async function createBenchAccount(databaseUrl: string): Promise<BenchAccount> {
  const secret = randomBytes(32).toString('base64url');
  const db = await connectDatabase({ url: databaseUrl, entities: [] });
  try {
    const { accountId, token } = await createAccount({ db } as Pick<Ports, 'db'> as Ports, deriveSecrets(secret), { name: 'bench', email: 'bench@example.com' });
    return { id: accountId, token, secret };
  } finally {
    await db.close();
  }
}
