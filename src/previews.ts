// Creates everything that this process needs to boot, test and judge previews.
import { delimiter } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ports } from './context.ts';
import type { RunBounds } from './domain/runs/bounds.ts';
import { defaultCacheDirectory } from './launcher/cache-directory.ts';
import { findChromiums } from './launcher/chromium.ts';
import { StartError } from './launcher/start-error.ts';
import type { Secrets } from './modules/accounts/index.ts';
import { reconcileSandboxes, type VerificationPorts } from './modules/previews/index.ts';
import { recordServiceCheck } from './modules/queue/index.ts';
import type { ModelSettings } from './platform/agents/index.ts';
import { createAnalysis } from './platform/analysis/index.ts';
import { createAppDriver, findBrowser, type BrowserProgram } from './platform/driving/index.ts';
import type { HttpOut } from './platform/http-out/index.ts';
import {
  createPreviewSandboxes,
  parseGatewayAddress,
  openPreviewGateway,
  loopbackGateway,
  type GatewayAddress,
  type PreviewGateway,
} from './platform/previews/index.ts';
import { repeat } from './platform/repeat.ts';
import type { InTurn } from './platform/at-most.ts';
import type { Sandbox } from './platform/sandbox/index.ts';

export interface PreviewOptions {
  /** The path of the Chromium for pages. Null: a Chromium of this machine, or the one from npm, is used. */
  readonly browserPath: string | null;
  /** The directories of this machine that images may use, subdirectories included. */
  readonly imageDirectories: readonly string[];
  /** The address at which servers reach previews that run here. Null: a free port that only this machine can reach. */
  readonly gateway: GatewayAddress | null;
  /** The model that reviews code if there is no preview. Null: no model does. */
  readonly model: ModelSettings | null;
}

/** The budget of one review of code, in millionths of a US dollar. */
const reviewBudgetMicros = 500_000;

/** `sandbox` null: this machine has no sandbox, and previews that need one are refused with a message. */
export async function createVerifying(
  ports: Ports,
  options: PreviewOptions & {
    readonly secrets: Secrets;
    readonly http: HttpOut;
    readonly sandbox: Sandbox | null;
    readonly bounds?: RunBounds | undefined;
    readonly inTurn?: InTurn;
  },
): Promise<VerificationPorts> {
  const { secrets, http, sandbox, bounds, browserPath, imageDirectories, gateway, model, inTurn } = options;
  return {
    secrets,
    sandboxes: createPreviewSandboxes({
      hosts: ports.hosts,
      sandbox,
      ...(bounds && { diskBytes: bounds.bytes }),
      directories: imageDirectories,
      installation: ports.publicUrl,
      clock: ports.clock,
    }),
    ...(inTurn && { inTurn }),
    gateway: await openGateway(gateway ?? loopbackGateway),
    driver: createAppDriver({ http, browser: await findBrowser(browserPath, await chromiums()) }),
    analysis: createAnalysis({ review: model === null ? null : { model, budgetMicros: reviewBudgetMicros } }),
    recordCheck: recordServiceCheck,
  };
}

/**
 * Reads PREVIEW_BROWSER, PREVIEW_ADDRESS, and PREVIEW_IMAGE_DIRECTORIES, which has the format of PATH. Throws StartError.
 */
export function previewOptionsFrom(env: NodeJS.ProcessEnv, model: ModelSettings | null): PreviewOptions {
  return {
    browserPath: env['PREVIEW_BROWSER'] || null,
    imageDirectories: (env['PREVIEW_IMAGE_DIRECTORIES'] ?? '').split(delimiter).filter((path) => path !== ''),
    gateway: gatewayAddressFrom(env['PREVIEW_ADDRESS'] || null),
    model,
  };
}

async function chromiums(): Promise<readonly BrowserProgram[]> {
  return await findChromiums({ path: process.env['PATH'] ?? '', cacheDir: defaultCacheDirectory() });
}

async function openGateway(place: GatewayAddress): Promise<PreviewGateway> {
  return await openPreviewGateway(place).catch((error: unknown) => {
    const { host, port } = place;
    throw new StartError(
      `Previews cannot be reached at ${host}${port === 0 ? '' : `, port ${port}`}: ${String(error)}. PREVIEW_ADDRESS must name an address of this machine, and a free port.`,
    );
  });
}

function gatewayAddressFrom(text: string | null): GatewayAddress | null {
  const place = text === null ? null : parseGatewayAddress(text);
  if (text !== null && place === null)
    throw new StartError(
      `PREVIEW_ADDRESS is ${text}: write the address by which servers reach this machine, such as 10.0.0.7 or 10.0.0.7:4100.`,
    );
  return place;
}

const reconcileEveryMs = 60_000;
const stopWithinMs = 10_000;

/** Removes sandboxes that run here without a row that wants them, at once and then every minute. */
export function reconcileSandboxesRegularly(ports: Ports, { sandboxes }: VerificationPorts): { stop(): Promise<void> } {
  const loop = repeat(
    reconcileEveryMs,
    async () => {
      const names = await reconcileSandboxes(ports, sandboxes);
      if (names.length > 0) ports.log.warn({ names }, 'Sandboxes that no verification needs were removed.');
    },
    (error) => ports.log.warn({ error: String(error) }, 'The running sandboxes could not be compared with their rows.'),
  );
  loop.start();
  // The stop does not wait long for a running teardown script. The next worker finishes the removal.
  return { stop: async () => await Promise.race([loop.stop(), delay(stopWithinMs, undefined, { ref: false })]) };
}
