// A browser's side of a session: its cookie, and what it says of where a request comes from.
import type { TestServer } from '../support/server.ts';

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Browser {
  /** What the browser sends as its cookies. '' : none. */
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visit>;
  /** A form of a page of this service. */
  submit(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Visit>;
  graphql(query: string, headers?: Readonly<Record<string, string>>): Promise<Visit & { readonly answer: Answer }>;
}

interface Answer {
  readonly data?: Record<string, never>;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

export function openBrowser(s: Pick<TestServer, 'url'>): Browser {
  async function send(path: string, init: RequestInit): Promise<Visit> {
    const cookies = browser.cookie === '' ? {} : { cookie: browser.cookie };
    const response = await fetch(`${s.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html,*/*', ...cookies, ...(init.headers as Record<string, string>) },
    });
    const [, pair, value] = /^((?:__Host-)?interlock=([^;]*))/.exec(response.headers.get('set-cookie') ?? '') ?? [];
    if (pair !== undefined) browser.cookie = value === '' ? '' : pair;
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const ours = { origin: s.url, 'sec-fetch-site': 'same-origin' };
  const browser: Browser = {
    cookie: '',
    get: async (path, headers = {}) => await send(path, { headers }),
    submit: async (path, fields = {}, headers = {}) =>
      await send(path, {
        method: 'POST',
        headers: { ...ours, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
    async graphql(query, headers = {}) {
      const visit = await send('/graphql', {
        method: 'POST',
        headers: { ...ours, accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
      return { ...visit, answer: JSON.parse(visit.text) as Answer };
    },
  };
  return browser;
}
