// A browser without a network. Interlock's own client sends the requests of its pages to the app, so that an untrusted
// app cannot reach another server through the browser. The caller chooses the browser program, and Playwright controls
// it.
import { access, constants } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Browser as Chromium, BrowserContext, BrowserType, Page } from 'playwright-core';
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
  /** A sentence that says which browser drives, or why none does. */
  readonly sentence: string;
  /** Opens a tab. Null: there is no browser, and steps for a browser are skipped. */
  readonly open: ((client: AppClient, signal: AbortSignal) => Promise<Tab>) | null;
}

/** A Chromium that can be used. */
export interface BrowserProgram {
  /** The name of the browser, for people. */
  readonly name: string;
  /** Puts the program where it can be run, and returns its path and environment. May be called again. */
  prepare(): Promise<{ readonly path: string; readonly env: Readonly<Record<string, string>> }>;
}

/** None of the browsers that were found can be started. */
export class NoBrowser extends Error {}

/**
 * `named` is the path of the only Chromium that the operator allows. Null: the first of `others` that starts is used.
 */
export async function findBrowser(named: string | null, others: readonly BrowserProgram[] = []): Promise<Browser> {
  if (named !== null) return await findNamed(named);
  const [first] = others;
  if (first === undefined)
    return { sentence: 'This worker has no browser: set PREVIEW_BROWSER to the path of a Chromium.', open: null };
  let starts: BrowserProgram | null = null;
  const launchOne = async (): Promise<Chromium> => {
    if (starts !== null) return await launch(await starts.prepare());
    const reasons: string[] = [];
    for (const program of others) {
      try {
        const chromium = await launch(await program.prepare());
        starts = program;
        return chromium;
      } catch (error) {
        reasons.push(`${program.name}: ${reasonOf(error)}`);
      }
    }
    throw new NoBrowser(`No browser of this worker can be started. ${reasons.join(' ')}`);
  };
  return {
    sentence: `Pages are tested with ${first.name}.`,
    open: async (client, signal) => await openTab(launchOne, client, signal),
  };
}

async function findNamed(path: string): Promise<Browser> {
  const isThere = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere)
    return { sentence: `This worker has no browser: PREVIEW_BROWSER is ${path}, which cannot be run.`, open: null };
  const launchIt = async (): Promise<Chromium> => await launch({ path, env: {} });
  return {
    sentence: `Pages are tested with ${path}.`,
    open: async (client, signal) => await openTab(launchIt, client, signal),
  };
}

/** The last line that the browser wrote before it ended, or the first line of the error. */
function reasonOf(error: unknown): string {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  const wrote = text.match(/(?<=\[err\] ).+/g)?.filter((line) => /error|fatal|cannot|No usable/i.test(line))[0];
  return (wrote ?? text.split('\n')[0] ?? '').slice(0, 300);
}

const actionTimeoutMs = 10_000;
const launchTimeoutMs = 60_000;
/** A proxy address where nothing listens, so that requests which the routes do not answer fail. */
const nowhere = 'http://127.0.0.1:9';

async function launch({
  path: executablePath,
  env,
}: Awaited<ReturnType<BrowserProgram['prepare']>>): Promise<Chromium> {
  const { chromium }: { readonly chromium: BrowserType } = await import('playwright-core');
  return await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    headless: true,
    timeout: launchTimeoutMs,
    proxy: { server: nowhere },
    // Chromium's sandbox does not work for the user root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--disable-dev-shm-usage'],
  });
}

async function openTab(start: () => Promise<Chromium>, client: AppClient, signal: AbortSignal): Promise<Tab> {
  const browser = await start();
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
