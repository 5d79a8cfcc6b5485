// The requests of the bench `load`: ten kinds of reads and seven kinds of writes, over REST and GraphQL, in turn.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface LoadAccount {
  readonly accountId: string;
  readonly token: string;
}

/** What a request is about: the pull request `number` of acme/shop in an account. */
export interface Subject {
  readonly account: LoadAccount;
  readonly number: number;
}

export interface Call {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

type MakeCall = (number: number) => Call;

export const shop = { owner: 'acme', name: 'shop' } as const;
const inShop = `org=${shop.owner}&repo=${shop.name}`;
const repository = 'repository(owner: "acme", name: "shop")';

const fields = 'number status statusText queued title author headBranch baseBranch queuedAt labels';

const restOne: MakeCall = (number) => get('REST, one pull request', `/api/v1/pull_request?${inShop}&number=${number}`);
const graphqlOne: MakeCall = (number) =>
  graphql(
    'GraphQL, one pull request',
    `query ($number: Int!) { ${repository} { pullRequest(number: $number) { ${fields} latestBotPullRequest { number } } } }`,
    { number },
  );

const reads: readonly MakeCall[] = [
  restOne,
  graphqlOne,
  () => get('REST, the line', `/api/v1/pull_request/queued?${inShop}`),
  restOne,
  () => graphql('GraphQL, a list', `{ ${repository} { pullRequests(first: 20) { nodes { ${fields} } } } }`),
  (number) =>
    graphql(
      'GraphQL, explain',
      `query ($number: Int!) { ${repository} { pullRequest(number: $number) { explain { kind sentence } } } }`,
      { number },
    ),
  restOne,
  (number) =>
    graphql('GraphQL, search', 'query ($text: String!) { search(text: $text) { pullRequests { number title } } }', {
      text: `change-${number}`,
    }),
  graphqlOne,
  () => graphql('GraphQL, events', `{ ${repository} { events(first: 50) { nodes { cursor action at } } } }`),
];

const pullRequestOf = (number: number): Readonly<Record<string, unknown>> => ({
  number,
  repository: { org: shop.owner, name: shop.name },
});

const act = (kind: string, action: string, more: (number: number) => object = () => ({})): MakeCall => {
  return (number) => ({
    kind,
    method: 'POST',
    path: '/api/v1/pull_request',
    body: { action, pull_request: { ...pullRequestOf(number), ...more(number) } },
  });
};

const label = (kind: string, present: boolean): MakeCall => {
  return (number) =>
    graphql(
      kind,
      'mutation ($input: LabelPullRequestInput!) { labelPullRequest(input: $input) { pullRequest { number } } }',
      {
        input: { repository: shop, number, label: 'ready for review', present },
      },
    );
};

/** A pull request gets these writes in this order, again and again. Its queue is paused, so nothing lands. */
const writes: readonly MakeCall[] = [
  act('REST, queue', 'queue'),
  label('GraphQL, add a label', true),
  act('REST, change the title', 'update', (number) => ({
    merge_commit_message: { title: `Change ${number}, ${Date.now()}`, body: '' },
  })),
  (number) =>
    graphql(
      'GraphQL, comment with a command',
      'mutation ($input: AddPullRequestCommentInput!) { addPullRequestComment(input: $input) { comment { createdAt } } }',
      { input: { repository: shop, number, body: '/interlock dequeue' } },
    ),
  label('GraphQL, remove a label', false),
  act('REST, queue', 'queue'),
  act('REST, dequeue', 'dequeue'),
];

/**
 * The n-th read of all accounts together. Each account sends every kind of read in turn about one pull request, and then
 * about the next. At any moment, the accounts are at different kinds.
 */
export function readOf(n: number, of: { readonly accounts: number; readonly pullRequests: number }): Call {
  const step = Math.floor(n / of.accounts);
  const number = 1 + (Math.floor(step / reads.length) % of.pullRequests);
  return made(reads, step + (n % of.accounts), number);
}

/** The `step`-th write of an account. */
export function writeOf(step: number, pullRequests: number): { readonly call: Call; readonly number: number } {
  const number = 1 + (Math.floor(step / writes.length) % pullRequests);
  return { call: made(writes, step, number), number };
}

function made(calls: readonly MakeCall[], n: number, number: number): Call {
  const make = calls[n % calls.length];
  if (make === undefined) throw new Error('The bench has no such request.');
  return make(number);
}

function get(kind: string, path: string): Call {
  return { kind, method: 'GET', path };
}

function graphql(kind: string, query: string, variables: Readonly<Record<string, unknown>> = {}): Call {
  return { kind, method: 'POST', path: '/graphql', body: { query, variables } };
}

export interface Sender {
  /** Sends a request. Returns why it failed. Null: it succeeded. */
  send(call: Call, token: string): Promise<string | null>;
  close(): void;
}

/** `node:http` takes less CPU than `fetch`, which matters because the bench and the server share the machine. */
export function createSender(url: string): Sender {
  const agent = new Agent({ keepAlive: true });
  return {
    send: async ({ method, path, body }, token) => await send({ agent, url: `${url}${path}`, method, body, token }),
    close: () => agent.destroy(),
  };
}

async function send(of: {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly body: unknown;
  readonly token: string;
}): Promise<string | null> {
  const { agent, url, method, body, token } = of;
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${token}`,
    ...(bytes !== null && { 'content-type': 'application/json', 'content-length': bytes.length }),
  };
  try {
    const { status, answer } = await new Promise<{ status: number; answer: string }>((resolve, reject) => {
      const sending = request(url, { method, agent, headers }, (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject);
      });
      sending.on('error', reject);
      sending.end(bytes ?? undefined);
    });
    if (status >= 400) return `${status} ${answer.slice(0, 160)}`;
    return answer.startsWith('{"errors"') || answer.includes(',"errors":[')
      ? `${status} ${answer.slice(0, 160)}`
      : null;
  } catch (error) {
    return String(error);
  }
}
