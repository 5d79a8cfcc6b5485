// Signs people in at the emulator of GitHub, for tests of what these people may do.
import { expect } from 'vitest';
import { openBrowser, type Browser, type Visit } from '../../accounts/browser.ts';
import type { AppWorld } from './app-world.ts';

/** Goes to GitHub and back, like a browser. `change` changes the address to which GitHub sends the browser back. */
export async function signInAs(
  w: AppWorld,
  login: string,
  change = (back: URL): URL => back,
): Promise<Visit & { readonly browser: Browser }> {
  const browser = openBrowser(w);
  const form = await browser.get('/session?next=/acme/shop/queue/main');
  const [, way = ''] = /href="(\/session\/github\/[^"]+)"/.exec(form.text) ?? [];
  const started = await browser.get(way.replaceAll('&amp;', '&'));
  expect([started.status, browser.cookie]).toEqual([303, expect.stringContaining('interlock-github=')]);
  const asked = new URL(started.headers.get('location') ?? '');
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    client_id: w.emulator.clientId,
    code_challenge_method: 'S256',
    redirect_uri: `${w.url}/session/github/callback`,
  });
  const agreed = await fetch(`${asked.origin}/login/oauth/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...Object.fromEntries(asked.searchParams), as: login }),
  });
  const back = change(new URL(agreed.headers.get('location') ?? ''));
  return { ...(await browser.get(back.pathname + back.search)), browser };
}

/** The data, or the codes and messages of the errors. */
export async function answerTo(browser: Browser, query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const { answer } = await browser.graphql(query, {}, variables);
  return answer.errors?.map(({ message, extensions }) => [extensions.code, message]) ?? answer.data;
}
