// Starts one PostgreSQL and one Temporal for a test run. The databases of tests are copies of a template, which is
// migrated once.
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal } from '../../src/launcher/temporal.ts';
import { bundleWorkflows } from '../../src/launcher/workflow-bundle.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { bundleEngine } from './engine-bundle.ts';
import { readState, type DatabaseState } from './kept-databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { readonly adminUrl: string; readonly template: string; readonly empty: DatabaseState };
    temporal: { readonly address: string; readonly namespace: string };
    /** Null: there are no workflows. */
    workflowBundle: string | null;
    cacheDir: string;
    /** The folder of the templates of worlds during the run. */
    worldTemplates: string;
    /** The bundle of test/support/engine-process.ts for plain node. */
    engineBundle: string;
  }
}

const template = 'interlock_template';
const namespace = 'interlock-test';

interface Servers {
  readonly provided: ProvidedContext;
  stop(): Promise<void>;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await startServers((line) => project.vitest.logger.log(line));
  for (const [key, value] of Object.entries(servers.provided)) project.provide(key as keyof ProvidedContext, value);
  return async () => await servers.stop();
}

async function startServers(log: (line: string) => void): Promise<Servers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-test-'));
  // PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(dataDir, 0o755);
  const cacheDir = defaultCacheDirectory();
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(stops.map((each) => each()));
    await rm(dataDir, { recursive: true, force: true });
  };

  async function postgres() {
    const server = await startPostgres({ dataDir, cacheDir, fast: true, log });
    stops.push(() => server.stop());
    return { adminUrl: server.url, template, empty: await makeTemplate(server.url) };
  }

  async function temporal() {
    const server = await startTemporal({ dataDir, cacheDir, fast: true, namespace, searchAttributes, log });
    stops.push(() => server.stop());
    return { address: server.address, namespace };
  }

  async function workflows() {
    const entry = join(projectRoot, 'workflows', 'index.ts');
    const outFile = join(projectRoot, 'node_modules', '.cache', 'interlock', 'workflow-bundle.js');
    const sources = [join(projectRoot, 'workflows'), join(projectRoot, 'src', 'domain')];
    if (!existsSync(entry)) return null;
    await bundleWorkflows({ entry, sources, outFile });
    // Another run may build the file again meanwhile.
    const own = join(dataDir, 'workflow-bundle.js');
    await copyFile(outFile, own);
    return own;
  }

  async function engine() {
    const bundle = await bundleEngine();
    stops.push(() => bundle.remove());
    return bundle.path;
  }

  const parts = [postgres(), temporal(), workflows(), engine()] as const;
  const failure = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  const [database, workflowServer, workflowBundle, engineBundle] = await Promise.all(parts);
  return {
    provided: {
      postgres: database,
      temporal: workflowServer,
      workflowBundle,
      cacheDir,
      worldTemplates: join(dataDir, 'worlds'),
      engineBundle,
    },
    stop,
  };
}

async function makeTemplate(adminUrl: string): Promise<DatabaseState> {
  const url = new URL(adminUrl);
  url.pathname = `/${template}`;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${template}`);
    await migrate(url.href);
    const empty = await readState(url.href);
    // A template with an open session cannot be copied.
    await client.query(`alter database ${template} with is_template true allow_connections false`);
    return empty;
  } finally {
    await client.end();
  }
}
