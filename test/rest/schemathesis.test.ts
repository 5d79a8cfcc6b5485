// Sends random requests, generated from the OpenAPI document that the server serves, and checks the answers against the
// document.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../support/properties.ts';
import { findSchemathesis, runSchemathesis } from '../../scripts/schemathesis.mjs';
import { startServer, type TestServer } from '../support/server.ts';
import { examples } from '../support/tier.ts';
import { OpenApi } from './contract/openapi.ts';
import { prepareExampleCandidate, prepareHistory, prepareReleases } from './contract/releases.ts';
import { prepareUsers } from './contract/access.ts';
import { prepareLine } from './contract/repository.ts';
import { prepareRunbooks } from './contract/runbooks.ts';
import { prepareEndpoint } from './contract/previews.ts';

const fewest = 2;
const drawn = Number(process.env['SCHEMATHESIS_EXAMPLES'] ?? examples({ standard: fewest, full: 100 }));
const seeds = (process.env['SCHEMATHESIS_SEEDS'] ?? String(seed)).split(',').map(Number);
/** The `operationId`s of the operations under test. Empty: all. */
const only = (process.env['SCHEMATHESIS_OPERATIONS'] ?? '').split(',').filter(Boolean);
// 100 examples of every operation take two minutes on an idle machine, and the preparation as long as 20 examples.
const timeout = 120_000 + drawn * 5_000;
// The phase `coverage` tries the bounds of each parameter, and takes four fifths of the time. refusals.test.ts and the
// tables of `contract` test most of these bounds.
const phases = ['examples', ...(drawn > fewest ? ['coverage'] : []), 'fuzzing', 'stateful'];
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  // The repository that the examples of the document use.
  const { merged: number } = await prepareLine(server, 'web');
  const releases = await prepareReleases(server, { org: 'acme', name: 'web', number });
  await prepareExampleCandidate(server, releases);
  await prepareHistory(server, releases);
  await prepareEndpoint(server);
  await prepareUsers(server);
  await prepareRunbooks(server, { org: 'acme', name: 'web' });
});
afterAll(async () => await server.close());

/** Null, after a skip with its reason, if Schemathesis is not installed. Then nothing is tested, and nothing passes. */
function toolOr(skip: (reason: string) => never): ReturnType<typeof findSchemathesis> {
  try {
    return findSchemathesis();
  } catch (error) {
    const reason = (error as Error).message;
    console.warn(`Schemathesis did not run: ${reason}`);
    return skip(reason);
  }
}

/** How many requests had an answer below 300, in all phases. */
function acceptedOf(phases: Readonly<Record<string, { readonly accepted: number }>> | undefined): number {
  return Object.values(phases ?? {}).reduce((sum, { accepted }) => sum + accepted, 0);
}

describe('Schemathesis', () => {
  it.for(seeds)(
    `finds no failure in ${drawn} examples of each operation (FC_SEED=%i)`,
    { timeout },
    async (seed, { skip }) => {
      const tool = toolOr(skip);
      const { status, output, report } = await runSchemathesis(tool, {
        url: server.url,
        token: server.token,
        examples: drawn,
        phases,
        operations: only,
        seed,
      });
      expect(status, output).toBe(0);
      const openApi = new OpenApi();
      const all = openApi.operations.filter((name) => only.length === 0 || only.includes(openApi.idOf(name)));
      expect(report).toMatchObject({
        complete: true,
        errors: [],
        operations: { tested: all.length, ...(only.length === 0 && { skipped: 0 }) },
      });
      const accepted = all.filter((name) => acceptedOf(report?.valid_rates[name]) > 0);
      expect(accepted, 'operations of which some request was accepted').toEqual(all);
    },
  );
});
