// A browser without a network: whatever its pages ask for is asked of the app by our own client, so that an app that is
// anybody's reaches nothing through it. It is found by its path; Playwright only speaks to it.
import { access, constants } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import type { BrowserStep } from '../../domain/previews/skill.ts';
import type { Values } from '../../domain/previews/values.ts';
import type { AppClient } from './app-client.ts';
import { actIn } from './browser.acts.ts';
import { answerFrom } from './browser.routes.ts';
import type { DrivenStep } from './port.ts';

export interface Tab {
  act(step: BrowserStep, values: Values): Promise<Pick<DrivenStep, 'conclusion' | 'detail'>>;
  close(): Promise<void>;
}

export interface Browser {
  /** Which one drives, or why none does. */
  readonly said: string;
  /** Null: its steps are skipped. */
  readonly open: ((client: AppClient, signal: AbortSignal) => Promise<Tab>) | null;
}

/** `path` of a Chromium; null: none is configured. */
export async function findBrowser(path: string | null): Promise<Browser> {
  if (path === null)
    return { said: 'No browser drives here: set PREVIEW_BROWSER to the path of a Chromium.', open: null };
  const isThere = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) return { said: `No browser drives here: PREVIEW_BROWSER is ${path}, which cannot be run.`, open: null };
  return { said: `Pages are driven by ${path}.`, open: async (client, signal) => await openTab(path, client, signal) };
}

const actionTimeoutMs = 10_000;
const launchTimeoutMs = 60_000;
/** Nothing listens there: what is not answered by our client is not answered. */
const nowhere = 'http://127.0.0.1:9';

async function openTab(executablePath: string, client: AppClient, signal: AbortSignal): Promise<Tab> {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    timeout: launchTimeoutMs,
    proxy: { server: nowhere },
    // Root has no user namespaces of its own to put pages into.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--disable-dev-shm-usage'],
  });
  const close = async (): Promise<void> => await browser.close().catch(() => {});
  const stop = (): void => void close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const context: BrowserContext = await browser.newContext({
      baseURL: client.origin,
      serviceWorkers: 'block',
      acceptDownloads: false,
    });
    context.setDefaultTimeout(actionTimeoutMs);
    await context.route('**/*', async (route) => await answerFrom(client, route, signal));
    const page: Page = await context.newPage();
    return {
      act: async (step, values) => await actIn(page, step, values),
      close: async () => {
        signal.removeEventListener('abort', stop);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
