// The page at the `url` of a pull request and the `github_url` of a bot pull request (interface 2.5, 2.12), for
// repositories of the local host. It reads its data by GraphQL.
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import { DomainError } from '../domain/errors.ts';
import { enumLabel, html, instant, link, list, section, servePage, type Markup, type PageOptions } from './page.ts';

const conditionFields = 'holds observed needed sentence';
const checkFields = 'name attempt conclusion summary url';
const document = parse(`query PullRequestPage($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      number title body author status statusCode statusText headBranch baseBranch headCommitSha mergeCommit labels
      latestBotPullRequest { number githubUrl }
      explain {
        sentence who
        conditions { ${conditionFields} conditions { ${conditionFields} conditions { ${conditionFields} } } }
      }
      checks { ${checkFields} }
      comments { author body createdAt }
      commits { commit title author authoredAt }
    }
    botPullRequest(number: $number) {
      number targetBranch headCommitSha closedAt
      pullRequests { number title url status }
      batch { state endedReason checks { ${checkFields} } }
    }
  }
}`);

interface ShownCondition {
  readonly holds: boolean;
  readonly observed: string;
  readonly needed: string;
  readonly sentence: string;
  readonly conditions?: readonly ShownCondition[];
}

interface ShownCheck {
  readonly name: string;
  readonly attempt: number;
  readonly conclusion: string;
  readonly summary: string | null;
  readonly url: string | null;
}

interface ShownPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly status: string;
  readonly statusCode: number | null;
  readonly statusText: string | null;
  readonly headBranch: string;
  readonly baseBranch: string;
  readonly headCommitSha: string;
  readonly mergeCommit: string | null;
  readonly labels: readonly string[];
  readonly latestBotPullRequest: { readonly number: number; readonly githubUrl: string } | null;
  readonly explain: {
    readonly sentence: string;
    readonly who: string | null;
    readonly conditions: readonly ShownCondition[];
  };
  readonly checks: readonly ShownCheck[];
  readonly comments: readonly { readonly author: string; readonly body: string; readonly createdAt: Date }[];
  readonly commits: readonly {
    readonly commit: string;
    readonly title: string;
    readonly author: string;
    readonly authoredAt: Date;
  }[];
}

interface ShownBot {
  readonly number: number;
  readonly targetBranch: string;
  readonly headCommitSha: string;
  readonly closedAt: Date | null;
  readonly pullRequests: readonly {
    readonly number: number;
    readonly title: string;
    readonly url: string;
    readonly status: string;
  }[];
  readonly batch: {
    readonly state: string;
    readonly endedReason: string | null;
    readonly checks: readonly ShownCheck[];
  };
}

interface Answer {
  readonly repository: {
    readonly pullRequest: ShownPullRequest | null;
    readonly botPullRequest: ShownBot | null;
  } | null;
}

export function servePullRequestPages(fastify: FastifyInstance, options: PageOptions): void {
  servePage(fastify, options, {
    path: '/:owner/:name/pull/:number',
    render: async ({ owner = '', name = '', number: given = '' }, ask) => {
      const number = Number(given);
      const missing = new DomainError('NOT_FOUND', 'Pull request not found');
      if (!/^[1-9]\d{0,9}$/.test(given) || number > 0x7fffffff) throw missing;
      const { repository } = await ask<Answer>(document, { owner, name, number });
      const { pullRequest = null, botPullRequest = null } = repository ?? {};
      const where = `${owner}/${name}`;
      if (pullRequest !== null)
        return {
          title: `#${number} ${pullRequest.title}`,
          body: bodyOf(where, pullRequest),
          isMoving: !ended.includes(pullRequest.status),
        };
      if (botPullRequest === null) throw missing;
      return {
        title: `#${number} Bot pull request`,
        body: bodyOfBot(where, botPullRequest),
        isMoving: botPullRequest.closedAt === null,
      };
    },
  });
}

const ended = ['MERGED', 'CLOSED'];

function bodyOf(where: string, shown: ShownPullRequest): Markup {
  const { explain, statusText, statusCode, mergeCommit, latestBotPullRequest: bot } = shown;
  const obstacle = statusText === null ? '' : `: ${statusText}${statusCode === null ? '' : ` (${statusCode})`}`;
  return html`<p>${where}: <strong>${enumLabel(shown.status)}</strong>${obstacle}</p><p>${shown.author} wants to merge <code>${shown.headBranch}</code> at <code>${shown.headCommitSha.slice(0, 12)}</code> into <code>${shown.baseBranch}</code>${shown.labels.length === 0 ? '' : `; labels: ${shown.labels.join(', ')}`}</p>${[
    mergeCommit === null ? html`` : html`<p>The pull request is on its base branch as <code>${mergeCommit}</code>.</p>`,
    bot === null ? html`` : html`<p>Validated in bot pull request ${link(bot.githubUrl, `#${bot.number}`)}.</p>`,
    shown.body === '' ? html`` : html`<pre>${shown.body}</pre>`,
  ]}<h2>Status</h2><p>${explain.sentence}</p>${conditionsOf(explain.conditions)}${[
    section('Checks', shown.checks.map(checkOf)),
    section(
      'Comments',
      shown.comments.map(
        ({ author, body, createdAt }) => html`<li>${author}, ${instant(createdAt)}<pre>${body}</pre></li>`,
      ),
    ),
    section(
      'Commits',
      shown.commits.map(
        ({ commit, title, author, authoredAt }) =>
          html`<li><code>${commit.slice(0, 12)}</code> ${title} (${author}, ${instant(authoredAt)})</li>`,
      ),
    ),
  ]}`;
}

function bodyOfBot(where: string, { targetBranch, headCommitSha, pullRequests, batch }: ShownBot): Markup {
  const text = `${enumLabel(batch.state)}${batch.endedReason === null ? '' : `: ${batch.endedReason}`}`;
  return html`<p>${where}: validates a batch for <code>${targetBranch}</code> at <code>${headCommitSha.slice(0, 12)}</code>. The batch: <strong>${text}</strong></p>${section(
    'Pull requests',
    pullRequests.map(
      ({ number, title, url, status }) =>
        html`<li>${link(url, `#${number}`)} ${title}: <strong>${enumLabel(status)}</strong></li>`,
    ),
  )}${section('Checks', batch.checks.map(checkOf))}`;
}

function conditionsOf(conditions: readonly ShownCondition[]): Markup {
  if (conditions.length === 0) return html``;
  return list(
    conditions.map(
      ({ holds, sentence, conditions: parts = [] }) =>
        html`<li><strong>${holds ? 'holds' : 'does not hold'}</strong>: ${sentence}${conditionsOf(parts)}</li>`,
    ),
  );
}

function checkOf({ name, attempt, conclusion, summary, url }: ShownCheck): Markup {
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return html`<li>${link(url, name)}: <strong>${enumLabel(conclusion)}</strong>${again}${summary === null ? html`` : html`<pre>${summary}</pre>`}</li>`;
}
