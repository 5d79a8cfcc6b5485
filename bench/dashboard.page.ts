// Opens the page of a queue in Chromium, and measures it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';

interface Scrolled {
  readonly longestTaskMs: number;
  readonly longTasks: number;
  readonly framesASecond: number;
  readonly maxRows: number;
}

/** Runs in the page: records long tasks, the largest paint, and when each title was first in the document. */
const watching = `
  window.bench = { tasks: [], paint: 0, seen: {}, frames: 0, rows: 0 };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) bench.tasks.push(entry.duration); }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) bench.paint = entry.startTime; }).observe({ type: 'largest-contentful-paint', buffered: true });
  const look = () => {
    bench.frames += 1;
    const rows = document.querySelectorAll('main ol > li');
    bench.rows = Math.max(bench.rows, rows.length);
    for (const row of rows) {
      const [text] = /Change \\d{13}/.exec(row.textContent) ?? [];
      if (text && !(text in bench.seen)) bench.seen[text] = Date.now();
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

const path = '/acme/shop/queue/main';

export class QueueWatcher {
  requests = 0;
  strayRequests = 0;
  readonly #page: Page;
  readonly #session: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  /** Opens the page of the queue in a window in which a user is signed in, and waits until the page shows the line. */
  static async open(browser: Browser, server: { readonly url: string; readonly token: string }): Promise<QueueWatcher> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const watcher = new QueueWatcher(page, await context.newCDPSession(page));
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== server.url) watcher.strayRequests += 1;
      else if (pathname === '/graphql') watcher.requests += 1;
    });
    await page.goto(server.url + (await signInPath(server)));
    await page.getByRole('button').first().click();
    await page.waitForURL((url) => !url.pathname.startsWith('/session'));
    await context.addInitScript(watching);
    await page.goto(server.url + path);
    await page.getByText('#3', { exact: true }).waitFor();
    return watcher;
  }

  async firstLoad(): Promise<{ readonly largestPaintMs: number; readonly loadedBytes: number }> {
    await this.#page.waitForLoadState('networkidle');
    return await this.#page.evaluate(`({
      largestPaintMs: bench.paint,
      loadedBytes: performance.getEntriesByType('resource')
        .filter(({ name }) => /\\.(?:js|css)$/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    })`);
  }

  /** Scrolls through the line by the mouse wheel for the given time. */
  async scroll(forMs: number): Promise<Scrolled> {
    await this.#page.evaluate('void (bench.tasks.length = 0, bench.frames = 0)');
    await this.#page.mouse.move(700, 600);
    const startedAt = performance.now();
    for (let n = 0; performance.now() - startedAt < forMs; n += 1) {
      await this.#page.mouse.wheel(0, n % 40 < 30 ? 240 : -400);
      await delay(16);
    }
    const tookMs = performance.now() - startedAt;
    const { tasks, frames, rows } = await this.#page.evaluate<{ tasks: number[]; frames: number; rows: number }>(
      'bench',
    );
    return {
      longestTaskMs: Math.max(0, ...tasks),
      longTasks: tasks.length,
      framesASecond: (1000 * frames) / tookMs,
      maxRows: rows,
    };
  }

  /** Scrolls back to the top, and moves the mouse away. */
  async toTop(): Promise<void> {
    await this.#page.mouse.wheel(0, -10_000_000);
    await this.#page.mouse.move(5, 5);
    await this.#page.getByText('#3', { exact: true }).waitFor();
  }

  /** Returns when each text was first on screen. A text that was replaced before it was on screen is left out. */
  async sightings(texts: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const last = texts.at(-1);
    if (last !== undefined) await this.#page.getByText(last).first().waitFor();
    return new Map(Object.entries(await this.#page.evaluate<Record<string, number>>('bench.seen')));
  }

  async heapBytes(): Promise<number> {
    await this.#session.send('HeapProfiler.enable');
    await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage');
    return usedSize;
  }
}

async function signInPath({ url, token }: { readonly url: string; readonly token: string }): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: 'mutation { createSignInLink(input: {}) { url } }' }),
  });
  const { data } = (await response.json()) as {
    readonly data: { readonly createSignInLink: { readonly url: string } };
  };
  return new URL(data.createSignInLink.url).pathname;
}
