// The page that a runbook's `url` leads to (interface 2.12): what GraphQL says of it, for people with a browser. A token is
// the password, as it is for git. Prompts, summaries and titles are anybody's words: all of it is text, and nothing runs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { execute, parse, type GraphQLSchema } from 'graphql';
import { DomainError, errorCodes } from '../domain/errors.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import type { Session } from '../modules/accounts/index.ts';

export interface RunbookPageOptions {
  readonly schema: GraphQLSchema;
  /** Throws DomainError, also where the account asks too often. */
  readonly admit: (token: string, request: FastifyRequest) => Promise<Session>;
  readonly contextOf: (session: Session) => GraphQLContext;
}

const document = parse(`query RunbookPage($number: Int!) {
  runbook(number: $number) {
    number title status targetBranch authorEmail createdBy createdAt problem nextTryAt failingSince
    repository { owner name }
    prompts { ordinal text author }
    steps { number title leaves { number title status summary error } }
    pullRequests { number url state stepNumbers }
  }
}`);

interface ShownRunbook {
  readonly number: number;
  readonly title: string;
  readonly status: string;
  readonly targetBranch: string;
  readonly authorEmail: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly problem: string | null;
  readonly nextTryAt: Date | null;
  readonly failingSince: Date | null;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly prompts: readonly { readonly ordinal: number; readonly text: string; readonly author: string }[];
  readonly steps: readonly { readonly number: string; readonly title: string; readonly leaves: readonly ShownLeaf[] }[];
  readonly pullRequests: readonly {
    readonly number: number;
    readonly url: string;
    readonly state: string;
    readonly stepNumbers: readonly string[];
  }[];
}

interface ShownLeaf {
  readonly number: string;
  readonly title: string;
  readonly status: string;
  readonly summary: string | null;
  readonly error: string | null;
}

export function serveRunbookPages(fastify: FastifyInstance, { schema, admit, contextOf }: RunbookPageOptions): void {
  fastify.get<{ Params: { number: string } }>('/runbooks/:number', async (request, reply) => {
    try {
      const session = await admit(tokenOf(request), request);
      const runbook = await readRunbook(Number(request.params.number), schema, contextOf(session));
      return await send(reply, 200, { title: `Runbook ${runbook.number}: ${runbook.title}`, ...bodyOf(runbook) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const status = errorCodes[error.code];
      if (status === 401) reply.header('www-authenticate', 'Basic realm="Interlock", charset="UTF-8"');
      return await send(reply, status, { title: error.message, body: '', isMoving: false });
    }
  });
}

/** As a bearer, or as the password of any user. */
function tokenOf({ headers: { authorization = '' } }: FastifyRequest): string {
  const [, scheme = '', given = ''] = /^(Bearer|Basic) +(\S+)\s*$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return given;
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(given, 'base64').toString('utf8')) ?? [];
  return password;
}

async function readRunbook(number: number, schema: GraphQLSchema, contextValue: GraphQLContext): Promise<ShownRunbook> {
  const missing = new DomainError('NOT_FOUND', 'Runbook not found');
  if (!Number.isSafeInteger(number) || number < 1 || number > 0x7fffffff) throw missing;
  const { data, errors } = await execute({ schema, document, variableValues: { number }, contextValue });
  const [failure] = errors ?? [];
  if (failure !== undefined) throw failure.originalError ?? failure;
  const { runbook } = data as unknown as { readonly runbook: ShownRunbook | null };
  if (runbook === null) throw missing;
  return runbook;
}

interface Page {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** It is looked at again by itself. */
  readonly isMoving: boolean;
}

async function send(reply: FastifyReply, status: number, { title, body, isMoving }: Page): Promise<FastifyReply> {
  const again = isMoving ? '<meta http-equiv="refresh" content="5">' : '';
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${again}<title>${text(title)}</title><style>${style}</style></head><body><h1>${text(title)}</h1>${body}</body></html>\n`;
  return await reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .send(page);
}

const style =
  'body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}li{overflow-wrap:anywhere}';

const ended = ['COMPLETED', 'FAILED', 'completed', 'failed'];

function bodyOf(runbook: ShownRunbook): Omit<Page, 'title'> {
  const { repository, steps, prompts, pullRequests, problem } = runbook;
  const body = [
    `<p><strong>${words(runbook.status)}</strong>, in ${text(`${repository.owner}/${repository.name}`)} into ${text(runbook.targetBranch)}, for ${text(runbook.authorEmail)}, asked for by ${text(runbook.createdBy)} at ${text(instant(runbook.createdAt))}</p>`,
    problem === null ? '' : `<p>${text(problemOf(runbook, problem))}</p>`,
    section(
      'Steps',
      steps.map(({ number, title, leaves }) => `<li>${text(`${number} ${title}`)}${list(leaves.map(leafOf))}</li>`),
    ),
    section('Pull requests', pullRequests.map(pullRequestOf)),
    section(
      'Prompts',
      prompts.map(({ author, text: prompt }) => `<li>${text(author)}<pre>${text(prompt)}</pre></li>`),
    ),
  ];
  return { body: body.join(''), isMoving: !ended.includes(runbook.status) || runbook.nextTryAt !== null };
}

function problemOf({ failingSince, nextTryAt }: ShownRunbook, problem: string): string {
  const since = failingSince === null ? '' : ` Failing since ${instant(failingSince)}.`;
  return `${problem}${since}${nextTryAt === null ? '' : ` Tried again at ${instant(nextTryAt)}.`}`;
}

function leafOf({ number, title, status, summary, error }: ShownLeaf): string {
  const more = error ?? summary;
  return `<li>${text(`${number} ${title}`)}: <strong>${words(status)}</strong>${more === null ? '' : `<pre>${text(more)}</pre>`}</li>`;
}

function pullRequestOf({ number, url, state, stepNumbers }: ShownRunbook['pullRequests'][number]): string {
  const name = /^https?:\/\//i.test(url) ? `<a href="${text(url)}">#${number}</a>` : `#${number}`;
  return `<li>${name} ${words(state)}, steps ${text(stepNumbers.join(', '))}</li>`;
}

function section(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : `<h2>${title}</h2>${list(entries)}`;
}

function list(entries: readonly string[]): string {
  return `<ul>${entries.join('')}</ul>`;
}

function words(name: string): string {
  return text(name.toLowerCase().replaceAll('_', ' '));
}

function instant(at: Date | string): string {
  return at instanceof Date ? at.toISOString() : at;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function text(given: string): string {
  return given.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
