// The common parts of HTML pages. They have no scripts, and all texts are escaped here. A reader has a session, or
// sends a token as the password, as for git (docs/adr/0008). The template function is our own, because those of
// libraries return plain strings. With plain strings, the author of a page would have to mark each value that must not
// be escaped. Here the type of a value says whether it is markup.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { execute, type DocumentNode, type GraphQLSchema } from 'graphql';
import { DomainError, errorCodes } from '../domain/errors.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import type { Session } from '../modules/accounts/index.ts';
import { RateLimited } from './rate-limit.ts';

export interface PageOptions {
  readonly schema: GraphQLSchema;
  /** Throws DomainError, also if the account exceeds its rate limit. */
  readonly admit: (request: FastifyRequest) => Promise<Session>;
  /**
   * Answers with the dashboard or a redirect to the sign-in page. False: it sent nothing, and the route must answer.
   */
  readonly answerBrowser: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;
  readonly contextOf: (session: Session) => GraphQLContext;
}

/** A piece of HTML. Only `html` and `list` create one, and they escape their arguments. */
export interface Markup {
  readonly markup: string;
}

export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** Whether the browser reloads the page every few seconds. */
  readonly isMoving: boolean;
}

/** Runs a GraphQL query as the user of the request. */
export type Ask = <Data>(document: DocumentNode, variables: Readonly<Record<string, unknown>>) => Promise<Data>;

/**
 * Serves the result of `render` to authenticated users, and a page with the reason to others. If the dashboard is
 * built, browsers get the dashboard instead.
 */
export function servePage(
  fastify: FastifyInstance,
  { schema, admit, contextOf, answerBrowser }: PageOptions,
  route: {
    readonly path: string;
    readonly render: (params: Readonly<Record<string, string>>, ask: Ask) => Promise<Page>;
  },
): void {
  fastify.get<{ Params: Record<string, string> }>(route.path, async (request, reply) => {
    if (await answerBrowser(request, reply)) return reply;
    try {
      const session = await admit(request);
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

const style = `:root{color-scheme:light dark;--page:#f3f4f6;--card:#fff;--edge:#e2e5ea;--edge2:#cfd4dc;--ink:#14171c;--ink2:#4c535e;--on:#fcfcfd;--blue:#1f55c7;--focus:#2f6bea;--red:#b62a24;--red-s:#fdeae8}
@media (prefers-color-scheme:dark){:root{--page:#0c0e11;--card:#161a1f;--edge:#252b32;--edge2:#38404a;--ink:#eceff3;--ink2:#aab2bd;--on:#111418;--blue:#8db1ff;--focus:#5b8df6;--red:#ff8d85;--red-s:#331a1a}}
*{box-sizing:border-box}
body{font:400 15px/1.5 ui-sans-serif,system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:20px;line-height:1.3;font-weight:600;overflow-wrap:anywhere}h2{font-size:15px;margin-top:1.5rem}
a{color:var(--blue)}
code,pre{font-family:ui-monospace,monospace;font-size:.92em}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.5rem;background:var(--card);border:1px solid var(--edge);border-radius:4px}
li,strong{overflow-wrap:anywhere}
h3{font-size:13px;margin:1rem 0 4px}
summary{padding:6px 0;cursor:pointer}
details{border-bottom:1px solid var(--edge)}
details[open]{padding-bottom:1rem}
table{width:100%;border-collapse:collapse;font-size:13px}
th,td{text-align:left;vertical-align:top;padding:4px 8px 4px 0;border-top:1px solid var(--edge);overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
form{margin:1rem 0}
label{display:block;font-size:13px;font-weight:500;color:var(--ink2);margin-bottom:4px}
input{display:block;width:100%;font:inherit;color:inherit;background:var(--page);border:1px solid var(--edge2);border-radius:7px;padding:8px 10px;margin-bottom:12px}
input[aria-invalid=true]{border-color:var(--red)}
button,a.button{display:block;width:100%;font:600 15px/1.4 ui-sans-serif,system-ui,sans-serif;text-align:center;text-decoration:none;color:var(--on);background:var(--ink);border:1px solid var(--ink);border-radius:7px;padding:8px 14px;cursor:pointer}
.quiet{color:var(--ink);background:none;border-color:var(--edge2)}
.dim{color:var(--ink2);font-size:13px}
[role=alert]{color:var(--red);background:var(--red-s);border-radius:7px;padding:8px 12px}
.narrow{max-width:26rem;margin:12vh auto 2rem}
.narrow main{background:var(--card);border:1px solid var(--edge);border-radius:11px;padding:8px 24px 16px}`;
const policyWith = (formsTo: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    `form-action ${formsTo}`,
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Sends a page that needs no sign-in. `formsTo` is the target of its form in the Content-Security-Policy: an origin, or
 * `'self'` in quotes.
 */
export async function sendPage(
  reply: FastifyReply,
  status: number,
  { title, body, formsTo, isNarrow }: Pick<Page, 'title' | 'body'> & PageForm,
): Promise<FastifyReply> {
  const shown = { title, body, isMoving: false };
  return await send(reply, status, shown, { formsTo: formsTo ?? "'none'", isNarrow: isNarrow ?? false });
}

interface PageForm {
  readonly formsTo?: string;
  /** Whether the page is a narrow card in the middle of the window. */
  readonly isNarrow?: boolean;
}

async function send(
  reply: FastifyReply,
  status: number,
  { title, body, isMoving }: Page,
  { formsTo, isNarrow }: Required<PageForm> = { formsTo: "'none'", isNarrow: false },
): Promise<FastifyReply> {
  const again = isMoving ? html`<meta http-equiv="refresh" content="5" />` : html``;
  const { markup } =
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${again}<title>${title}</title><style>${{ markup: style }}</style></head><body class="${isNarrow ? 'narrow' : ''}"><main><h1>${title}</h1>${body}</main></body></html>`;
  return await reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    // With the policy no-referrer, a browser would send `Origin: null` with forms, which would be refused.
    .header('referrer-policy', 'same-origin')
    .header('content-security-policy', policyWith(formsTo))
    .send(`<!doctype html>${markup}\n`);
}

type Shown = string | number | Markup | readonly Markup[];

/** Makes markup. Every inserted value is escaped, unless `html` or `list` created it. */
export function html(parts: TemplateStringsArray, ...shown: readonly Shown[]): Markup {
  return { markup: parts.map((part, at) => `${part}${markupOf(shown[at] ?? '')}`).join('') };
}

function markupOf(shown: Shown): string {
  if (typeof shown === 'string' || typeof shown === 'number') return escaped(String(shown));
  return 'markup' in shown ? shown.markup : shown.map(({ markup }) => markup).join('');
}

/** A section with a heading. Empty if there are no entries. */
export function section(title: string, entries: readonly Markup[]): Markup {
  return entries.length === 0 ? html`` : html`<h2>${title}</h2>${list(entries)}`;
}

/** A list. Each entry must be an `li`. */
export function list(entries: readonly Markup[]): Markup {
  return html`<ul>${entries}</ul>`;
}

/** A link if the address begins with http or https, otherwise only the text. */
export function link(url: string | null, text: string): Markup {
  return url !== null && /^https?:\/\//i.test(url) ? html`<a href="${url}">${text}</a>` : html`${text}`;
}

/** An enum's value as a label. */
export function enumLabel(name: string): string {
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
  body: html`<p>This page is for users of the account. <a href="/session">Sign in</a>, or load this page again, and give any user name with an API token as the password. <code>npm start</code> stores the first token in <code>access.json</code> in its data directory.</p>`,
  isMoving: false,
};
