// Encryption and authentication of connections to the operator's own Temporal.
import { readFileSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** The options of an encrypted connection, for the client and the worker of Temporal's SDK. */
export interface TemporalSecurity {
  readonly tls?: {
    readonly serverRootCACertificate?: Buffer;
    readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
    readonly serverNameOverride?: string;
  };
  readonly apiKey?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads TEMPORAL_TLS and the variables that belong to it. Without them, connections are plain. Throws StartError. */
export function temporalSecurityFrom(env: Environment): TemporalSecurity {
  const { TEMPORAL_TLS: given, TEMPORAL_TLS_SERVER_NAME: serverNameOverride, TEMPORAL_API_KEY: apiKey } = env;
  if (given !== undefined && given !== 'true' && given !== 'false')
    throw new StartError(`TEMPORAL_TLS must be true or false, not ${given}.`);
  const authority = readFile(env, 'TEMPORAL_TLS_CA');
  const crt = readFile(env, 'TEMPORAL_TLS_CERT');
  const key = readFile(env, 'TEMPORAL_TLS_KEY');
  if ((crt === null) !== (key === null))
    throw new StartError('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together: set both, or neither.');
  const needsTls = given === 'true' || authority !== null || crt !== null || apiKey !== undefined;
  if (given === 'false' && needsTls)
    throw new StartError('TEMPORAL_TLS is false, and another setting needs TLS: remove one of them.');
  if (!needsTls) return {};
  return {
    tls: {
      ...(authority !== null && { serverRootCACertificate: authority }),
      ...(crt !== null && key !== null && { clientCertPair: { crt, key } }),
      ...(serverNameOverride !== undefined && { serverNameOverride }),
    },
    ...(apiKey !== undefined && { apiKey }),
  };
}

function readFile(env: Environment, variable: string): Buffer | null {
  const file = env[variable];
  if (file === undefined) return null;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartError(`${variable} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
