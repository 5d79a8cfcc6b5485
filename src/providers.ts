// Who deploys and builds from here, and what that takes.
import type { Ports } from './context.ts';
import { readSigningKeys, type Secrets } from './modules/accounts/index.ts';
import type { ReleaseDriving } from './modules/releases/index.ts';
import type { HttpOut } from './platform/http-out/index.ts';
import { createProviders } from './platform/providers/index.ts';
import type { Sandbox } from './platform/sandbox/index.ts';

export interface ProviderOptions {
  readonly secrets: Secrets;
  readonly http: HttpOut;
  /** Whether commands reach this machine's network; asked before each of them where it may change. */
  readonly network: boolean | (() => Promise<boolean>);
}

/** `sandbox` null: there is none, and commands are refused with a message. */
export function createReleaseDriving(
  ports: Ports,
  options: ProviderOptions & { readonly sandbox: Sandbox | null },
): ReleaseDriving {
  const { secrets, http, sandbox, network } = options;
  const { hosts, clock } = ports;
  const accountKeys = async (accountId: string): ReturnType<typeof readSigningKeys> =>
    await readSigningKeys(ports, secrets, { accountId, now: clock() });
  return { secrets, providers: createProviders({ hosts, clock, http, sandbox, network, accountKeys }) };
}

/**
 * Whether commands get the network under `npm start`, by DEPLOYMENT_NETWORK. With the network, commands reach every
 * server of this machine, Temporal included, which has no authentication. With one account these are the operator's own
 * commands. A second account takes the network from all of them, unless the operator says otherwise.
 */
export function networkFrom(given: string | undefined, { db }: Pick<Ports, 'db'>): ProviderOptions['network'] {
  if (given === 'true' || given === 'false') return given === 'true';
  return async () => (await db.system.query('select from account limit 2')).length < 2;
}
