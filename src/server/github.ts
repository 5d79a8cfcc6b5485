// Routes for GitHub's webhooks, and the pages for setting up a GitHub App.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ports } from '../context.ts';
import { DomainError } from '../domain/errors.ts';
import type { HostEvent } from '../hosts/port.ts';
import type { Secrets } from '../modules/accounts/index.ts';
import {
  beginSetup,
  completeSetup,
  createWebhookIntake,
  markInstallations,
  type WebhookAnswer,
} from '../modules/github/index.ts';
import { html, sendPage } from './page.ts';

export interface GitHubServing {
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly storeHostEvents: (events: readonly HostEvent[]) => Promise<void>;
}

/** GitHub's payloads have at most 25 MB. */
const webhookBodyLimit = 25 * 1024 * 1024;

export async function serveGitHub(fastify: FastifyInstance, serving: GitHubServing): Promise<void> {
  await fastify.register(async (scope) => {
    serveWebhooks(scope, serving);
    await Promise.resolve();
  });
  serveSetup(fastify, serving);
}

function serveWebhooks(fastify: FastifyInstance, { ports, secrets, storeHostEvents }: GitHubServing): void {
  const intake = createWebhookIntake(ports, secrets, storeHostEvents);
  const send = async (reply: FastifyReply, { status, message }: WebhookAnswer): Promise<unknown> =>
    await reply.code(status).send(status === 202 ? { message } : { error: message });
  // The body is not parsed here, because the signature covers its exact bytes.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'string', bodyLimit: webhookBodyLimit }, (_request, body, done) => {
    done(null, body);
  });
  const headerOf = ({ headers }: FastifyRequest, name: string): string => String(headers[name] ?? '');
  fastify.post<{ Params: { path: string }; Body: string | undefined }>(
    '/github/webhooks/:path',
    {
      bodyLimit: webhookBodyLimit,
      // A request that nobody has signed is refused before its body is read.
      onRequest: async (request, reply) => {
        const { path } = request.params;
        const refused = await intake.refuse({ path, signature: headerOf(request, 'x-hub-signature-256') });
        return refused === null ? undefined : await send(reply, refused);
      },
    },
    async (request, reply) =>
      await send(
        reply,
        await intake.receive({
          path: request.params.path,
          delivery: headerOf(request, 'x-github-delivery'),
          event: headerOf(request, 'x-github-event'),
          signature: headerOf(request, 'x-hub-signature-256'),
          body: request.body ?? '',
        }),
      ),
  );
}

function serveSetup(fastify: FastifyInstance, { ports, secrets }: GitHubServing): void {
  fastify.get<{ Params: { secret: string } }>('/github/setup/:secret', async (request, reply) => {
    const { action, manifest } = await beginSetup(ports, request.params.secret);
    const body = html`<p>GitHub makes an App for this installation of Interlock. The App belongs to you, and nobody else can install it.</p>
      <form method="post" action="${action}"><input type="hidden" name="manifest" value="${manifest}" /><button>Make the App at GitHub</button></form>`;
    return await sendPage(reply, 200, { title: 'Connect GitHub', body, formsTo: new URL(action).origin });
  });
  fastify.get<{ Querystring: { code?: string; state?: string } }>('/github/callback', async (request, reply) => {
    const { code = '', state = '' } = request.query;
    if (code === '' || state === '')
      throw new DomainError('BAD_INPUT', 'GitHub sends a code and a state to this address.');
    return await reply.redirect(await completeSetup(ports, secrets, { code, state }));
  });
  // A request here does not prove that an App was installed. It is only an occasion to query GitHub for installations.
  fastify.get('/github/installed', async (_request, reply) => {
    await markInstallations(ports, 'asked');
    const body = html`<p>Interlock lists the repositories of the installation. Activate the repositories that Interlock shall work on: choose a repository <a href="${ports.publicUrl}/">in the dashboard</a>, and press “Activate” on the page of its queue. The mutation setRepositoryActive does the same.</p>`;
    return await sendPage(reply, 200, { title: 'GitHub is connected', body });
  });
}
