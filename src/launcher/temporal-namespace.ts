// Prepares a namespace: it must exist and have the search attributes. Servers accept connections before this is so.
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { StartError } from './start-error.ts';
import type { TemporalSecurity } from './temporal-security.ts';

// The values of temporal.api.enums.v1.IndexedValueType.
const indexedValueTypes = { Text: 1, Keyword: 2, Int: 3, Double: 4, Bool: 5, Datetime: 6, KeywordList: 7 } as const;
export type SearchAttributes = Readonly<Record<string, keyof typeof indexedValueTypes>>;

/** The attributes by which workflows can be searched for in Temporal's UI. */
export const searchAttributes = {
  // On PostgreSQL and SQLite, Temporal allows ten attributes of the type Keyword and three of the type Text for each
  // namespace.
  Subject: 'Text',
  Repository: 'Keyword',
  BaseBranch: 'Keyword',
  QueueStatus: 'Keyword',
  BatchState: 'Keyword',
  Environment: 'Keyword',
  ReleaseCandidate: 'Keyword',
  DeploymentStatus: 'Keyword',
  RunbookStatus: 'Keyword',
  VerificationStatus: 'Keyword',
  RunbookNumber: 'Int',
  PullRequestNumber: 'Int',
} as const satisfies SearchAttributes;

export interface NamespaceWanted {
  readonly address: string;
  readonly namespace: string;
  readonly searchAttributes: SearchAttributes;
  readonly withinSec?: number;
  /** Absent: connections are plain. */
  readonly security?: TemporalSecurity;
  /** Whether an embedded server is used if no address is given. Default: no. */
  readonly hasEmbedded?: boolean;
}

/** Waits for the namespace and registers missing search attributes. Throws StartError. */
export async function prepareNamespace({
  address,
  namespace,
  searchAttributes,
  withinSec = 20,
  security = {},
  hasEmbedded = false,
}: NamespaceWanted): Promise<void> {
  const cure = hasEmbedded
    ? 'Start the server, or leave --temporal-address out to use the embedded server.'
    : 'Start the server, or correct --temporal-address (TEMPORAL_ADDRESS).';
  const connection = await Connection.connect({ address, connectTimeout: withinSec * 1000, ...security }).catch(
    (error: Error) => {
      throw new StartError(`Temporal at ${address} cannot be reached (${error.message}). ${cure}`);
    },
  );
  const deadline = performance.now() + withinSec * 1000;
  try {
    while (!(await hasNamespace(connection, namespace))) {
      if (performance.now() > deadline) {
        throw new StartError(
          `Temporal at ${address} has no namespace ${namespace}. Create the namespace: temporal operator namespace create --address ${address} ${namespace}`,
        );
      }
      await delay(50);
    }
    while (!(await hasSearchAttributes(connection, namespace, searchAttributes))) {
      if (performance.now() > deadline) {
        throw new StartError(
          `Temporal at ${address} does not accept the search attributes ${Object.keys(searchAttributes).join(', ')}. Register them: temporal operator search-attribute create.`,
        );
      }
      await delay(50);
    }
  } finally {
    await connection.close();
  }
}

async function hasNamespace(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error)) return false;
    throw error;
  }
}

async function hasSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: SearchAttributes,
): Promise<boolean> {
  const known = (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes ?? {};
  const missing = Object.entries(wanted).filter(([name]) => !(name in known));
  if (missing.length === 0) return true;
  await connection.operatorService
    .addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, indexedValueTypes[type]])),
    })
    // The server may be registering them at the same moment. The next call shows whether they exist.
    .catch((error: unknown) => {
      if (!isGrpcServiceError(error)) throw error;
    });
  return false;
}
