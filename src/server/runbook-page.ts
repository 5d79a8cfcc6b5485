// The page at a runbook's `url` (interface 2.12). It reads its data by GraphQL.
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import { DomainError } from '../domain/errors.ts';
import { enumLabel, html, instant, link, list, section, servePage, type Markup, type PageOptions } from './page.ts';

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

export function serveRunbookPages(fastify: FastifyInstance, options: PageOptions): void {
  servePage(fastify, options, {
    path: '/runbooks/:number',
    render: async ({ number: given = '' }, ask) => {
      const number = Number(given);
      const missing = new DomainError('NOT_FOUND', 'Runbook not found');
      if (!Number.isSafeInteger(number) || number < 1 || number > 0x7fffffff) throw missing;
      const { runbook } = await ask<{ readonly runbook: ShownRunbook | null }>(document, { number });
      if (runbook === null) throw missing;
      return {
        title: `Runbook ${runbook.number}: ${runbook.title}`,
        body: bodyOf(runbook),
        isMoving: !ended.includes(runbook.status) || runbook.nextTryAt !== null,
      };
    },
  });
}

const ended = ['COMPLETED', 'FAILED', 'completed', 'failed'];

function bodyOf(runbook: ShownRunbook): Markup {
  const { repository, steps, prompts, pullRequests, problem } = runbook;
  return html`<p><strong>${enumLabel(runbook.status)}</strong>, in ${`${repository.owner}/${repository.name}`} into ${runbook.targetBranch}, for ${runbook.authorEmail}, requested by ${runbook.createdBy} at ${instant(runbook.createdAt)}</p>${[
    problem === null ? html`` : html`<p>${problemOf(runbook, problem)}</p>`,
    section(
      'Steps',
      steps.map(({ number, title, leaves }) => html`<li>${`${number} ${title}`}${list(leaves.map(leafOf))}</li>`),
    ),
    section('Pull requests', pullRequests.map(pullRequestOf)),
    section(
      'Prompts',
      prompts.map(({ author, text: prompt }) => html`<li>${author}<pre>${prompt}</pre></li>`),
    ),
  ]}`;
}

function problemOf({ failingSince, nextTryAt }: ShownRunbook, problem: string): string {
  const since = failingSince === null ? '' : ` Failing since ${instant(failingSince)}.`;
  return `${problem}${since}${nextTryAt === null ? '' : ` Tried again at ${instant(nextTryAt)}.`}`;
}

function leafOf({ number, title, status, summary, error }: ShownLeaf): Markup {
  const more = error ?? summary;
  return html`<li>${`${number} ${title}`}: <strong>${enumLabel(status)}</strong>${more === null ? html`` : html`<pre>${more}</pre>`}</li>`;
}

function pullRequestOf({ number, url, state, stepNumbers }: ShownRunbook['pullRequests'][number]): Markup {
  return html`<li>${link(url, `#${number}`)} ${enumLabel(state)}, steps ${stepNumbers.join(', ')}</li>`;
}
