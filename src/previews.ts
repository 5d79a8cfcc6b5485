// Who boots, drives and judges previews from here, and what that takes.
import { delimiter } from 'node:path';
import type { Ports } from './context.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { reconcileSandboxes, type Verifying } from './modules/previews/index.ts';
import { recordServiceCheck } from './modules/queue/index.ts';
import type { ModelSettings } from './platform/agents/index.ts';
import { createAnalysis } from './platform/analysis/index.ts';
import { createAppDriver, findBrowser } from './platform/driving/index.ts';
import type { HttpOut } from './platform/http-out/index.ts';
import { createPreviewSandboxes } from './platform/previews/index.ts';
import type { Sandbox } from './platform/sandbox/index.ts';

export interface PreviewOptions {
  /** Path of the Chromium that drives pages. Null: steps that need one are skipped. */
  readonly browserPath: string | null;
  /** Directories of this machine that images may name, and what lies below them. */
  readonly imageDirectories: readonly string[];
  /** Reviews code where no preview comes up. Null: none does. */
  readonly model: ModelSettings | null;
}

/** Of one review of code, in millionths of a US dollar. */
const reviewBudgetMicros = 500_000;

/** `sandbox` null: there is none, and what would boot in one is refused with words. */
export async function createVerifying(
  ports: Ports,
  options: PreviewOptions & { readonly secrets: Secrets; readonly http: HttpOut; readonly sandbox: Sandbox | null },
): Promise<Verifying> {
  const { secrets, http, sandbox, browserPath, imageDirectories, model } = options;
  return {
    secrets,
    sandboxes: createPreviewSandboxes({
      hosts: ports.hosts,
      sandbox,
      directories: imageDirectories,
      installation: ports.publicUrl,
      clock: ports.clock,
    }),
    driver: createAppDriver({ http, browser: await findBrowser(browserPath) }),
    analysis: createAnalysis({ review: model === null ? null : { model, budgetMicros: reviewBudgetMicros } }),
    recordCheck: recordServiceCheck,
  };
}

/** From PREVIEW_BROWSER, and PREVIEW_IMAGE_DIRECTORIES as PATH is written. */
export function previewOptionsFrom(env: NodeJS.ProcessEnv, model: ModelSettings | null): PreviewOptions {
  return {
    browserPath: env['PREVIEW_BROWSER'] || null,
    imageDirectories: (env['PREVIEW_IMAGE_DIRECTORIES'] ?? '').split(delimiter).filter((path) => path !== ''),
    model,
  };
}

const reconcileEveryMs = 3_600_000;

/** Takes away what runs here and no row wants: now, and once an hour. */
export function keepReconciled(ports: Ports, { sandboxes }: Verifying): { stop(): Promise<void> } {
  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    looking = reconcileSandboxes(ports, sandboxes).then(
      (names) => {
        if (names.length > 0) ports.log.warn({ names }, 'Sandboxes that nothing wanted were taken away.');
      },
      (error: unknown) => ports.log.warn({ error: String(error) }, 'Sandboxes were not compared with their rows.'),
    );
  };
  look();
  const timer = setInterval(look, reconcileEveryMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
