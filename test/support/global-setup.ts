// One PostgreSQL and one Temporal per test run, started side by side. Tests get databases of their own, copied from a
// template that was migrated once.
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { startPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal } from '../../src/launcher/temporal.ts';
import { bundleWorkflows } from '../../src/launcher/workflow-bundle.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { bundleEngine } from './engine-bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { readonly adminUrl: string; readonly template: string };
    temporal: { readonly address: string; readonly namespace: string };
    /** Null while there are no workflows. */
    workflowBundle: string | null;
    cacheDir: string;
    /** test/support/engine-process.ts for plain node. */
    engineBundle: string;
  }
}

const template = 'interlock_template';
const namespace = 'interlock-test';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-test-'));
  // The database's user has to walk through it.
  await chmod(dataDir, 0o755);
  const cacheDir = defaultCacheDirectory();
  const stops: (() => Promise<void>)[] = [];
  const log = (line: string) => project.vitest.logger.log(line);
  const teardown = async () => {
    await Promise.all(stops.map((stop) => stop()));
    await rm(dataDir, { recursive: true, force: true });
  };

  async function postgres() {
    const server = await startPostgres({ dataDir, cacheDir, fast: true, log });
    stops.push(() => server.stop());
    await makeTemplate(server.url);
    project.provide('postgres', { adminUrl: server.url, template });
  }

  async function temporal() {
    const server = await startTemporal({ dataDir, cacheDir, fast: true, namespace, searchAttributes, log });
    stops.push(() => server.stop());
    project.provide('temporal', { address: server.address, namespace });
  }

  async function workflows() {
    const entry = join(projectRoot, 'workflows', 'index.ts');
    const outFile = join(projectRoot, 'node_modules', '.cache', 'interlock', 'workflow-bundle.js');
    const sources = [join(projectRoot, 'workflows'), join(projectRoot, 'src', 'domain')];
    if (existsSync(entry)) await bundleWorkflows({ entry, sources, outFile });
    project.provide('workflowBundle', existsSync(entry) ? outFile : null);
  }

  async function engine() {
    const bundle = await bundleEngine();
    stops.push(() => bundle.remove());
    project.provide('engineBundle', bundle.path);
  }

  project.provide('cacheDir', cacheDir);
  const parts = await Promise.allSettled([postgres(), temporal(), workflows(), engine()]);
  const failure = parts.find((part) => part.status === 'rejected');
  if (failure) {
    await teardown();
    throw failure.reason;
  }
  return teardown;
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = `/${template}`;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${template}`);
    await migrate(url.href);
    // A session on the template would stop every copy of it.
    await client.query(`alter database ${template} with is_template true allow_connections false`);
  } finally {
    await client.end();
  }
}
