// The common parts of HTML pages: no scripts, texts escaped here, and the token as the password, as for git
// (docs/adr/0008).
// The template is kept: those of libraries answer plain strings, so that the author of a page marks what is not escaped,
// while here the type of a value says whether it is text.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { execute, type DocumentNode, type GraphQLSchema } from 'graphql';
import { DomainError, errorCodes } from '../domain/errors.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import type { Session } from '../modules/accounts/index.ts';
import { RateLimited } from './rate-limit.ts';
import { presentedToken } from './wrong-tokens.ts';

export interface PageOptions {
  readonly schema: GraphQLSchema;
  /** Throws DomainError, also if the account exceeds its rate limit. */
  readonly admit: (token: string, request: FastifyRequest) => Promise<Session>;
  readonly contextOf: (session: Session) => GraphQLContext;
}

/** A piece of HTML. Only `html` and `list` create one, and they escape their arguments. */
export interface Markup {
  readonly markup: string;
}

export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** The browser reloads the page by itself. */
  readonly isMoving: boolean;
}

/** Runs a GraphQL query as the token's user. */
export type Ask = <Data>(document: DocumentNode, variables: Readonly<Record<string, unknown>>) => Promise<Data>;

/** Serves the result of `render` to signed-in users, and a page with the reason to everybody else. */
export function servePage(
  fastify: FastifyInstance,
  { schema, admit, contextOf }: PageOptions,
  route: {
    readonly path: string;
    readonly render: (params: Readonly<Record<string, string>>, ask: Ask) => Promise<Page>;
  },
): void {
  fastify.get<{ Params: Record<string, string> }>(route.path, async (request, reply) => {
    try {
      const session = await admit(presentedToken(request.headers.authorization ?? ''), request);
      const ask: Ask = async (document, variableValues) => {
        const contextValue = contextOf(session);
        const { data, errors } = await execute({ schema, document, variableValues, contextValue });
        const [failure] = errors ?? [];
        if (failure !== undefined) throw failure.originalError ?? failure;
        return data as never;
      };
      return await send(reply, 200, await route.render(request.params, ask));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error instanceof RateLimited) for (const [name, value] of error.headers) reply.header(name, value);
      const status = errorCodes[error.code];
      if (status !== 401) return await send(reply, status, { title: error.message, body: html``, isMoving: false });
      reply.header('www-authenticate', 'Basic realm="Interlock", charset="UTF-8"');
      return await send(reply, status, signIn);
    }
  });
}

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.5rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:4px}
li{overflow-wrap:anywhere}`;
const policyWith = (formsTo: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formsTo}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** A page that needs no sign-in. `formsTo`: the other origin that its form is posted to. */
export async function sendPage(
  reply: FastifyReply,
  status: number,
  { title, body, formsTo }: Pick<Page, 'title' | 'body'> & { readonly formsTo?: string },
): Promise<FastifyReply> {
  return await send(reply, status, { title, body, isMoving: false }, formsTo);
}

async function send(
  reply: FastifyReply,
  status: number,
  { title, body, isMoving }: Page,
  formsTo = "'none'",
): Promise<FastifyReply> {
  const again = isMoving ? html`<meta http-equiv="refresh" content="5" />` : html``;
  const { markup } =
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${again}<title>${title}</title><style>${{ markup: style }}</style></head><body><h1>${title}</h1>${body}</body></html>`;
  return await reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', policyWith(formsTo))
    .send(`<!doctype html>${markup}\n`);
}

type Shown = string | number | Markup | readonly Markup[];

/** Every inserted value is escaped, unless `html` created it. */
export function html(parts: TemplateStringsArray, ...shown: readonly Shown[]): Markup {
  return { markup: parts.map((part, at) => `${part}${markupOf(shown[at] ?? '')}`).join('') };
}

function markupOf(shown: Shown): string {
  if (typeof shown === 'string' || typeof shown === 'number') return escaped(String(shown));
  return 'markup' in shown ? shown.markup : shown.map(({ markup }) => markup).join('');
}

/** A section with a heading. Empty without entries. */
export function section(title: string, entries: readonly Markup[]): Markup {
  return entries.length === 0 ? html`` : html`<h2>${title}</h2>${list(entries)}`;
}

/** Each entry becomes an `li`. */
export function list(entries: readonly Markup[]): Markup {
  return html`<ul>${entries}</ul>`;
}

/** A link if the address is a web address. Otherwise only the text. */
export function link(url: string | null, words: string): Markup {
  return url !== null && /^https?:\/\//i.test(url) ? html`<a href="${url}">${words}</a>` : html`${words}`;
}

/** The value of an enum as words. */
export function enumWords(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}

export function instant(at: Date | string): string {
  return at instanceof Date ? at.toISOString() : at;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}

const signIn: Page = {
  title: 'Sign in',
  body: html`<p>This page is for users of the account. Load it again and sign in with an API token as the password; any user name will do. <code>npm start</code> keeps the first token in <code>access.json</code> in its data directory.</p>`,
  isMoving: false,
};
