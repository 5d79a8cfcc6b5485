// Measures how much CPU GraphQL documents take for each point of their price. If a document took much more CPU for a
// point than other documents, an account could stall a server within its rate limit.
import { execute, parse, validate, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { Context } from '../src/context.ts';
import { draw } from '../src/domain/simulation/randomness.ts';
import { graphQLContext, type RequestServices } from '../src/graphql/context.ts';
import { pointsOf } from '../src/graphql/limits.ts';
import { encodeNodeId } from '../src/graphql/node-id.ts';
import { interlockSchema } from '../src/graphql/schema.ts';
import { withInstallation, type BenchInstallation } from './installation.ts';
import { fillAccount } from './prices.dataset.ts';
import { documentsOf, type KnownArguments, type NamedDocument } from './prices.documents.ts';
import { table } from './timing.ts';

const services = { temporal: { health: () => null } } as unknown as RequestServices;

export interface PricesOptions {
  /** The number of random documents, in addition to the documents about each field. */
  readonly documents: number;
  readonly seed: number;
  readonly isJson: boolean;
}

type Warm = NamedDocument & { readonly points: number };

interface Priced extends Warm {
  /** The CPU of this process, which executes the document. The CPU of PostgreSQL is not included. */
  readonly cpuMs: number;
  readonly cpuMsPerPoint: number;
}

/** A document that costs more than this multiple of the median for each of its points is charged too little. */
const maxOfMedian = 3;
const warmUps = 2;
const minRuns = 5;
const maxRuns = 15;
const minCpuMs = 20;
const shownRows = 15;

const known: KnownArguments = {
  'Query.repository': 'owner: "acme", name: "shop"',
  'Query.releaseProject': 'name: "shop"',
  'Query.runbook': 'number: 1',
  'Query.simulateQueue': '-',
  'Query.previewConfiguration':
    'input: {repository: {owner: "acme", name: "shop"}, yaml: "merge_rules: {labels: {trigger: go}}"}',
  'Query.node': '-',
  'Query.nodes': '-',
  'Repository.pullRequest': 'number: 1',
  'Repository.botPullRequest': '-',
  'Repository.queue': 'baseBranch: "main"',
  'Repository.permissionHolders': 'permission: SKIP_LINE',
  'ReleaseProject.release': 'version: "1.1"',
  'ReleaseProject.releaseCandidate': 'version: "1.1-rc1"',
  'ReleaseProject.environment': 'name: "production"',
};

const nodeTables: Readonly<Record<string, string>> = {
  Repository: 'repository',
  PullRequest: 'pull_request',
  BotPullRequest: 'bot_pull_request',
  Batch: 'batch',
  Queue: 'queue',
  ApiToken: 'api_token',
  User: 'account_user',
  Team: 'account_team',
  WebhookEndpoint: 'webhook_endpoint',
  WebhookDelivery: 'webhook_delivery',
  ReleaseProject: 'release_project',
  Environment: 'environment',
  Release: 'release',
  ReleaseCandidate: 'release_candidate',
  Deployment: 'deployment',
  Verification: 'verification',
  Runbook: 'runbook',
};

export async function benchPrices(options: PricesOptions): Promise<void> {
  await withInstallation(async (installation) => {
    const ctx = await installation.account('bench');
    await installation.repository(ctx, 'shop');
    await fillAccount(installation, ctx.accountId);
    let drawn = 0;
    const documents = documentsOf(
      {
        schema: interlockSchema(),
        known,
        ids: await nodeIds(installation, ctx),
        random: () => {
          drawn += 1;
          return draw(options.seed, drawn);
        },
      },
      options.documents,
    );
    const warm: Warm[] = [];
    for (const document of documents) {
      const answered = await warmUp(ctx, document);
      if (answered !== null) warm.push(answered);
    }
    // The better of two rounds counts, because a disturbance of the machine seldom affects both rounds.
    const first: number[] = [];
    for (const document of warm) first.push(await medianCpuMs(ctx, document));
    const priced: Priced[] = [];
    for (const [at, document] of warm.entries()) {
      const cpuMs = Math.min(first[at] ?? Number.POSITIVE_INFINITY, await medianCpuMs(ctx, document));
      priced.push({ ...document, cpuMs, cpuMsPerPoint: cpuMs / document.points });
    }
    tell(priced, { leftOut: documents.length - priced.length, isJson: options.isJson });
  });
}

async function nodeIds({ owner }: BenchInstallation, { accountId }: Context): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const [type, from] of Object.entries(nodeTables)) {
    const { rows } = await owner.query<{ id: string }>(`select id from ${from} where account_id = $1 limit 100`, [
      accountId,
    ]);
    ids.set(
      type,
      rows.map(({ id }) => encodeNodeId(type, id)),
    );
  }
  return ids;
}

/** Parses, validates and executes a document, and writes the answer. Returns false if the document was refused. */
async function answer(ctx: Context, text: string): Promise<boolean> {
  const schema = interlockSchema();
  const document = parse(text);
  if (validate(schema, document).length > 0) throw new Error(`The bench made a document that is not valid: ${text}`);
  const contextValue = graphQLContext(ctx, services, 'graphql_api');
  const result = await execute({ schema, document, contextValue });
  JSON.stringify(result);
  return result.errors === undefined;
}

/**
 * Executes a document until its statements are prepared. Null: the document is refused as too expensive, or needs
 * something that this installation lacks, such as a code host.
 */
async function warmUp(ctx: Context, { name, text }: NamedDocument): Promise<Warm | null> {
  const points = pointsOrNull(parse(text));
  if (points === null) return null;
  for (let n = 0; n < warmUps; n += 1) if (!(await answer(ctx, text))) return null;
  return { name, text, points };
}

async function medianCpuMs(ctx: Context, { text }: Warm): Promise<number> {
  const samples: number[] = [];
  let spentMs = 0;
  while (samples.length < minRuns || (samples.length < maxRuns && spentMs < minCpuMs)) {
    const before = process.cpuUsage();
    await answer(ctx, text);
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / 1000);
    spentMs += (user + system) / 1000;
  }
  return samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
}

function pointsOrNull(document: DocumentNode): number | null {
  try {
    const operation = document.definitions[0] as OperationDefinitionNode;
    return pointsOf({ schema: interlockSchema(), document, operation, variables: {} });
  } catch {
    return null;
  }
}

function tell(priced: readonly Priced[], { leftOut, isJson }: { leftOut: number; isJson: boolean }): void {
  const sorted = priced.toSorted((a, b) => b.cpuMsPerPoint - a.cpuMsPerPoint);
  const median = sorted[sorted.length >> 1]?.cpuMsPerPoint ?? Number.NaN;
  const tooCheap = sorted.filter(({ cpuMsPerPoint }) => cpuMsPerPoint > maxOfMedian * median);
  const summary = {
    documents: priced.length,
    leftOut,
    medianCpuMsPerPoint: median,
    greatestToMedian: (sorted[0]?.cpuMsPerPoint ?? Number.NaN) / median,
    beyondThreeTimes: tooCheap.length,
  };
  if (isJson) {
    console.log(JSON.stringify({ summary, documents: sorted }, null, 2));
    return;
  }
  console.log(
    `${summary.documents} documents (${leftOut} left out), median ${median.toFixed(3)} ms of CPU for a point. The most expensive document takes ${summary.greatestToMedian.toFixed(1)} times the median. ${tooCheap.length} documents take more than ${maxOfMedian} times the median.\n`,
  );
  const rows = sorted
    .slice(0, shownRows)
    .map((each) => [
      each.name,
      String(each.points),
      each.cpuMs.toFixed(2),
      each.cpuMsPerPoint.toFixed(3),
      (each.cpuMsPerPoint / median).toFixed(1),
    ]);
  console.log(table(['document', 'points', 'CPU ms', 'ms a point', 'to the median'], rows));
}
