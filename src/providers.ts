// The providers that this process uses for deployments and builds.
import type { Ports } from './context.ts';
import { readSigningKeys, type Secrets } from './modules/accounts/index.ts';
import type { ReleaseDriving } from './modules/releases/index.ts';
import type { HttpOut } from './platform/http-out/index.ts';
import { createProviders } from './platform/providers/index.ts';
import type { InTurn } from './platform/at-most.ts';
import type { Sandbox } from './platform/sandbox/index.ts';

export interface ProviderOptions {
  readonly secrets: Secrets;
  readonly http: HttpOut;
  /** Whether commands have this machine's network. If it is a function, it is called before each command. */
  readonly network: boolean | (() => Promise<boolean>);
}

/** `sandbox` null: this machine has no sandbox, and commands are refused with a message. */
export function createReleaseDriving(
  ports: Ports,
  options: ProviderOptions & { readonly sandbox: Sandbox | null; readonly buildsInTurn?: InTurn },
): ReleaseDriving {
  const { secrets, http, sandbox, network, buildsInTurn } = options;
  const { hosts, clock } = ports;
  const accountKeys = async (accountId: string): ReturnType<typeof readSigningKeys> =>
    await readSigningKeys(ports, secrets, { accountId, now: clock() });
  return {
    secrets,
    providers: createProviders({ hosts, clock, http, sandbox, network, accountKeys }),
    ...(buildsInTurn && { buildsInTurn }),
  };
}

/**
 * Whether commands have the network under `npm start`. With the network, commands can reach every server of this
 * machine, including Temporal, which has no authentication. Therefore the default is true only while there is a single
 * account, because its commands are the operator's own. DEPLOYMENT_NETWORK overrides the default.
 */
export function networkFrom(given: boolean | null, { db }: Pick<Ports, 'db'>): ProviderOptions['network'] {
  if (given !== null) return given;
  return async () => (await db.system.query('select from account limit 2')).length < 2;
}
