// Who deploys and builds from here, and what that takes.
import type { Ports } from './context.ts';
import { readSigningKeys, type Secrets } from './modules/accounts/index.ts';
import type { Attending } from './modules/releases/index.ts';
import type { HttpOut } from './platform/http-out/index.ts';
import { createProviders } from './platform/providers/index.ts';
import type { Sandbox } from './platform/sandbox/index.ts';

export interface ProviderOptions {
  readonly secrets: Secrets;
  readonly http: HttpOut;
  /** Whether commands reach this machine's network. */
  readonly network: boolean;
}

/** `sandbox` null: there is none, and commands are refused with words. */
export function createAttending(
  ports: Ports,
  options: ProviderOptions & { readonly sandbox: Sandbox | null },
): Attending {
  const { secrets, http, sandbox, network } = options;
  const { hosts, clock } = ports;
  const accountKeys = async (accountId: string): ReturnType<typeof readSigningKeys> =>
    await readSigningKeys(ports, secrets, { accountId, now: clock() });
  return { secrets, providers: createProviders({ hosts, clock, http, sandbox, network, accountKeys }) };
}
