// A client that behaves like a browser: it keeps the cookie of a session, and sends the headers Origin and
// Sec-Fetch-Site.
export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Browser {
  /** The value of the header Cookie. Empty: the browser has no cookie. */
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visit>;
  /** Submits a form like a page of this service. */
  submit(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Visit>;
  graphql(
    query: string,
    headers?: Readonly<Record<string, string>>,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<Visit & { readonly answer: Answer }>;
}

interface Answer {
  readonly data?: Record<string, never>;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

export function openBrowser(s: { readonly url: string }): Browser {
  const jar = new Map<string, string>();
  async function send(path: string, init: RequestInit): Promise<Visit> {
    const cookies = browser.cookie === '' ? {} : { cookie: browser.cookie };
    const response = await fetch(`${s.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html,*/*', ...cookies, ...(init.headers as Record<string, string>) },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const ours = { origin: s.url, 'sec-fetch-site': 'same-origin' };
  const browser: Browser = {
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(cookies) {
      jar.clear();
      for (const [, name = '', value = ''] of cookies.matchAll(/([^=; ]+)=([^;]*)/g)) jar.set(name, value);
    },
    get: async (path, headers = {}) => await send(path, { headers }),
    submit: async (path, fields = {}, headers = {}) =>
      await send(path, {
        method: 'POST',
        headers: { ...ours, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      }),
    async graphql(query, headers = {}, variables = {}) {
      const visit = await send('/graphql', {
        method: 'POST',
        headers: { ...ours, accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return { ...visit, answer: JSON.parse(visit.text) as Answer };
    },
  };
  return browser;
}
