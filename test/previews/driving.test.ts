import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { findChromiums } from '../../src/launcher/chromium.ts';
import { parseSkill } from '../../src/domain/previews/skill.parse.ts';
import { createAppDriver, findBrowser, type BrowserProgram } from '../../src/platform/driving/index.ts';
import type { AppTarget, DrivenStep } from '../../src/platform/driving/port.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';

const chromiums = await findChromiums({ path: process.env['PATH'] ?? '', cacheDir: defaultCacheDirectory() });
// If the packages and the machine have no browser, this throws an error that says how to give one.
const browser = await findBrowser(process.env['PREVIEW_BROWSER'] ?? null, chromiums);

let server: Server;
let folder: string;
let listener: RequestListener;
let seen: { readonly request: IncomingMessage; readonly body: string }[];

beforeEach(async () => {
  seen = [];
  listener = (_, response) => response.end('Welcome');
  server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ request, body });
      listener(request, response);
    });
  });
  folder = mkdtempSync(join(tmpdir(), 'il-drive-'));
  await new Promise<void>((resolve) => server.listen(join(folder, 'app'), resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Options {
  readonly target?: AppTarget;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly allowPrivateAddresses?: boolean;
  readonly signal?: AbortSignal;
  readonly browser?: typeof browser;
}

async function drive(skill: string, options: Options = {}): Promise<string[]> {
  const parsed = parseSkill(skill);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  const http = createHttpOut({ allowPrivateAddresses: options.allowPrivateAddresses ?? true });
  const steps: DrivenStep[] = [];
  try {
    await createAppDriver({ http, browser: options.browser ?? (await findBrowser(null)) }).drive(
      {
        target: options.target ?? { kind: 'sandbox', address: `unix:${join(folder, 'app')}` },
        scenarios: parsed.skill.scenarios,
        preview: 'web',
        secrets: options.secrets ?? {},
      },
      {
        signal: options.signal ?? new AbortController().signal,
        onStep: async (step) => void steps.push(step),
      },
    );
  } finally {
    http.close();
  }
  return steps.map(
    ({ conclusion, step, detail }) => `${conclusion} ${step}${conclusion === 'passed' ? '' : `: ${detail}`}`,
  );
}

it('says that the connection is refused by a sandbox that has ended', async () => {
  const target = { kind: 'sandbox', address: `unix:${join(folder, 'gone')}` } as const;
  expect(await drive('## Page\n\n- `GET /`\n', { target })).toEqual(['failed `GET /`: The connection was refused.']);
});

describe('a skill file of requests', () => {
  it('uses captured values, the secrets of the preview, and the type of the body', async () => {
    listener = (request, response) => {
      response.setHeader('x-at', request.url ?? '');
      response.writeHead(request.method === 'POST' ? 201 : 200).end('{"token": "abc def"}');
    };
    const skill = [
      '## Log in',
      '- `POST /session?as=ada`',
      '  - header `X-Key: {{secret.KEY}}`',
      '  - body:',
      '    ```json',
      '    {"password": "{{secret.KEY}}"}',
      '    ```',
      '  - expect status 201',
      '  - capture `token` from json `/token`',
      '- `GET /me/{{token}}`',
      '  - expect header `X-At` is `/me/abc%20def`',
      '## Anew',
      '- `GET /{{token}}`',
    ].join('\n');
    expect(await drive(skill, { secrets: { KEY: 's3cret' } })).toEqual([
      'passed `POST /session?as=ada`',
      'passed `GET /me/{{token}}`',
      'failed `GET /{{token}}`: There is no value token: capture it in an earlier request.',
    ]);
    expect(seen[0]).toMatchObject({ body: '{"password": "s3cret"}', request: { url: '/session?as=ada' } });
    expect(seen[0]?.request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-key': 's3cret',
      host: 'localhost',
    });
  });

  it('stops a scenario at its first failed step, and skips scenarios of other previews', async () => {
    listener = (_, response) => response.writeHead(503).end('Busy');
    const skill = '## A\n\n- `GET /`\n- `GET /next`\n\n## B\n\npreview: other\n\n- `GET /`\n';
    expect(await drive(skill)).toEqual([
      'failed `GET /`: expect status below 400: The status was 503. The body begins: Busy',
      'skipped `GET /next`: An earlier step of the scenario failed.',
      'skipped `GET /`: The scenario is for the preview other.',
    ]);
  });

  it('shows no part of a secret in its report', async () => {
    const password = 'correct "horse" battery/staple';
    const begins = 'x'.repeat(290);
    listener = ({ url }, response) =>
      response.end(url === '/json' ? JSON.stringify({ a: [`${begins}${password}`] }) : `${begins}${password}`);
    const steps = await drive(
      [
        '## Text\n- `GET /`\n  - expect status 404',
        '## JSON\n- `GET /json`\n  - expect json `/a` is `1`',
        '## Body\n- `GET /json`\n  - expect body contains `none`',
      ].join('\n'),
      { secrets: { PASSWORD: password } },
    );
    expect(steps).toHaveLength(3);
    for (const step of steps) expect(step).toMatch(/^failed .*x\*\*\*[^a-z]*$/);
  });

  it('takes a redirect as an answer', async () => {
    listener = (_, response) => response.writeHead(302, { location: 'http://elsewhere.example/' }).end();
    expect(await drive('## A\n\n- `GET /`\n  - expect header `Location` contains `elsewhere`\n')).toEqual([
      'passed `GET /`',
    ]);
  });

  it('may get an answer that never ends', async () => {
    listener = (_, response) => {
      const piece = Buffer.alloc(256 * 1024, 'a');
      const more = (): void => {
        if (!response.destroyed) response.write(piece, more);
      };
      more();
    };
    expect(await drive('## A\n\n- `GET /`\n  - expect body matches `^a+$`\n')).toEqual(['passed `GET /`']);
  });

  it('stops if its signal aborts', async () => {
    const stop = new AbortController();
    listener = () => stop.abort();
    await expect(drive('## A\n\n- `GET /`\n', { signal: stop.signal })).rejects.toThrow(/abort/i);
  });

  it('sends nothing to a private address if the installation forbids it', async () => {
    const other = createServer((_, response) => response.end());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      const target = { kind: 'endpoint', url } as const;
      expect(await drive('- `GET /`\n', { target, allowPrivateAddresses: false })).toEqual([
        expect.stringContaining('failed `GET /`: The address is private'),
      ]);
      expect(await drive('- `GET /`\n', { target })).toEqual(['passed `GET /`']);
    } finally {
      other.close();
    }
  });

  it('stays below the path of its endpoint', async () => {
    const paths: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      paths.push(request.url);
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/pr-7/`;
    try {
      await drive('- `GET /`\n- `GET //evil.example/x`\n- `GET /pr-7/a`\n', { target: { kind: 'endpoint', url } });
      expect(paths).toEqual(['/pr-7/', '/pr-7//evil.example/x', '/pr-7/a']);
    } finally {
      other.close();
    }
  });

  it('skips the steps of a browser if there is none, and runs the others', async () => {
    expect(await drive('## A\n\n- open `/`\n- `GET /`\n')).toEqual([
      'skipped open `/`: This worker has no browser: set PREVIEW_BROWSER to the path of a Chromium.',
      'passed `GET /`',
    ]);
    expect((await findBrowser('/nowhere/chromium')).sentence).toContain('cannot be run');
  });
});

describe('a browser', () => {
  const broken: BrowserProgram = {
    name: '/usr/bin/chromium-browser',
    prepare: async () => {
      writeFileSync(join(folder, 'stub'), '#!/bin/sh\necho "error: this is a stub" >&2\nexit 10\n', { mode: 0o755 });
      return { path: join(folder, 'stub'), env: {} };
    },
  };

  test('that does not start is skipped for the next one', async () => {
    const other = await findBrowser(null, [broken, ...chromiums]);
    expect(await drive('## A\n\n- open `/`\n', { browser: other })).toEqual(['passed open `/`']);
  });

  test('that is the only one and does not start counts as none, and its steps say why', async () => {
    const other = await findBrowser(null, [broken]);
    expect(await drive('## A\n\n- open `/`\n- `GET /`\n', { browser: other })).toEqual([
      expect.stringMatching(
        /^skipped open `\/`: No browser of this worker can be started\. \/usr\/bin\/chromium-browser: .*this is a stub/,
      ),
      'passed `GET /`',
    ]);
  });

  test('that the operator configured is used, and a step fails if it does not start', async () => {
    const { path } = await broken.prepare();
    const named = await findBrowser(path, chromiums);
    expect(await drive('## A\n\n- open `/`\n', { browser: named })).toEqual([
      expect.stringMatching(/^failed open `\/`/),
    ]);
  });
});

const shop = `<!doctype html><title>Shop of Ada</title><h1>Shop</h1>
<form method="post" action="/session"><label>Email <input name="email"></label>
<select name="colour" aria-label="Colour"><option>Red</option><option>Blue</option></select>
<button>Sign in</button></form><script src="https://cdn.example/evil.js"></script>`;

describe('a skill file with a browser', () => {
  const visit = (steps: string): string => `## A visitor\n\n${steps}`;

  test('fills a form, follows the redirect with its cookie, and sees the page', async () => {
    listener = (request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/session')
        return response.writeHead(303, { location: '/orders', 'set-cookie': 'user=ada' }).end();
      if (request.url === '/orders')
        return response.end(`<title>Orders</title><h1>Hello ${request.headers.cookie}</h1>`);
      return response.end(shop);
    };
    const steps = [
      '- open `/`',
      '- expect title `Ada`',
      '- fill `Email` with `{{secret.EMAIL}}`',
      '- choose `Blue` in `Colour`',
      '- click button `Sign in`',
      '- expect address `/orders`',
      '- expect heading `Hello user=ada`',
      '- expect no text `Sign in`',
    ];
    expect(await drive(visit(steps.join('\n')), { browser, secrets: { EMAIL: 'ada@example.test' } })).toEqual(
      steps.map((step) => `passed ${step.slice(2)}`),
    );
    expect(seen.find(({ request }) => request.url === '/session')?.body).toBe('email=ada%40example.test&colour=Blue');
  });

  test('reports what the page showed instead', async () => {
    const [opened, missing] = await drive(visit('- open `/`\n- expect heading `Orders`\n'), { browser });
    expect(opened).toBe('passed open `/`');
    expect(missing).toMatch(/^failed expect heading `Orders`: .*The page was \/, and said: Welcome$/);
  });

  test('survives answers with a wrong encoding', async () => {
    const strayed: unknown[] = [];
    const keep = (error: unknown): unknown => strayed.push(error);
    process.on('unhandledRejection', keep);
    listener = (request, response) => {
      if (request.url === '/broken') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain');
      response.setHeader('content-type', 'text/html');
      return response.end(
        `<p id="said">waiting</p><script>fetch('/broken').catch(() => { said.textContent = 'refused'; })</script>`,
      );
    };
    try {
      expect(await drive(visit('- open `/`\n- expect text `refused`\n'), { browser })).toEqual([
        'passed open `/`',
        'passed expect text `refused`',
      ]);
      expect(strayed).toEqual([]);
    } finally {
      process.off('unhandledRejection', keep);
    }
  });

  test('keeps pages from reaching anything but the app', async () => {
    let reached = 0;
    const inside = createServer((_, response) => response.end(String((reached += 1))));
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(inside.address() as AddressInfo).port}`;
    const page = `<p id="said">waiting</p><script>
      const tries = [fetch('http://${address}/', { mode: 'no-cors' }), fetch('/away'), new Promise((_, no) => {
        const socket = new WebSocket('ws://${address}/'); socket.onerror = no; }),
        new Promise((_, no) => { const image = new Image(); image.onerror = no; image.src = 'http://${address}/i.png'; })];
      Promise.allSettled(tries).then((all) => { said.textContent = all.map(({ status }) => status).join(' '); });
    </script>`;
    listener = (request, response) => {
      if (request.url === '/away') return response.writeHead(302, { location: `http://${address}/` }).end();
      response.setHeader('content-type', 'text/html');
      return response.end(page);
    };
    try {
      const steps = '- open `/`\n- expect text `rejected fulfilled rejected rejected`\n';
      expect(await drive(visit(steps), { browser })).toEqual([
        'passed open `/`',
        'passed expect text `rejected fulfilled rejected rejected`',
      ]);
      expect(reached).toBe(0);
    } finally {
      inside.close();
    }
  });
});
