// Boots previews on a local host with real git. The commits of a test say what the app does.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  requestToSandbox,
  type PreviewBoot,
  type PreviewSandbox,
  type PreviewSandboxes,
} from '../../src/platform/previews/index.ts';
import { localWorld, type LocalWorld } from '../hosts/local-world.ts';

export const setup = '.service/scripts/preview-setup.sh';
export const teardown = '.service/scripts/preview-teardown.sh';

/** An app that answers with its environment variables, the request, and the files of its folder. */
export const app = `
  const { createServer } = require('node:http');
  const { readdirSync } = require('node:fs');
  createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body, env: process.env, files: readdirSync('.') }));
  }).listen(Number(process.env.PORT), '127.0.0.1');
`;
/** A setup script that starts the app in the background. */
export const startsApp = 'node app.cjs &\n';

export interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

export interface PreviewWorld extends AsyncDisposable {
  readonly local: LocalWorld;
  readonly workDir: string;
  /** The output since the test began. */
  output(): string;
  forget(): void;
  /**
   * Boots the preview of a commit with the files of `options`. By default the setup script starts the app of the test.
   */
  boot(sandboxes: PreviewSandboxes, options?: BootOptions): Promise<PreviewSandbox>;
}

export type BootOptions = Partial<PreviewBoot> & {
  readonly files?: Readonly<Record<string, string | null>>;
  readonly signal?: AbortSignal;
};

export async function previewWorld(): Promise<PreviewWorld> {
  const local = await localWorld();
  const workDir = mkdtempSync(join(tmpdir(), 'il-'));
  // A plain command runs as the user nobody, and must be able to pass through this folder.
  chmodSync(workDir, 0o711);
  let output = '';
  return {
    local,
    workDir,
    output: () => output,
    forget: () => void (output = ''),
    async boot(sandboxes, { files = {}, signal, ...more } = {}) {
      const commit = local.commit({
        branch: 'change',
        from: null,
        files: { 'app.cjs': app, [setup]: startsApp, ...files },
      });
      return await sandboxes.boot(
        {
          name: 'interlock-preview-1-1',
          image: { kind: 'command', source: 'true' },
          repository: { ...local.repository, host: 'local' },
          commit,
          port: 3000,
          setup,
          teardown: null,
          env: { HEAD_SHA: commit },
          secrets: {},
          bootTimeoutMs: 60_000,
          lifeMs: 120_000,
          ...more,
        },
        { signal: signal ?? new AbortController().signal, onOutput: (piece) => void (output += piece) },
      );
    },
    async [Symbol.asyncDispose]() {
      await local.close();
      rmSync(workDir, { recursive: true, force: true });
    },
  };
}

export async function ask(
  address: string,
  path = '/',
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string } = {},
): Promise<Echo> {
  return await new Promise((resolve, reject) => {
    const request = requestToSandbox(address, { method, path, headers: { host: 'app' }, agent: false }, (response) => {
      text(response).then((said) => resolve(JSON.parse(said) as Echo), reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
