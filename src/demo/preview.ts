// The chapter about previews. A pull request adds a page and a skill file. Its preview is booted in a sandbox, driven
// by the steps of the skill file with a secret of the account, and torn down.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { playChapter, type Chapter } from './chapter.ts';
import { cursorOfNow, followUntil } from './follow.ts';
import { commitFiles, type DemoRun } from './play.ts';

const page = {
  branch: 'price-list',
  title: 'A price list anybody can look at',
  files: {
    'serve.mjs': `import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const prices = () => Object.fromEntries(readdirSync('teas').map((tea) => [tea, Number(readFileSync(\`teas/\${tea}\`))]));

createServer(({ url, headers }, response) => {
  if (url === '/') return response.end('Tea shop: ' + readFileSync('title', 'utf8'));
  if (url === '/prices') return response.end(JSON.stringify(prices()));
  const isOwner = headers.authorization === \`Bearer \${process.env.TILL_KEY}\`;
  response.writeHead(isOwner ? 200 : 401).end(isOwner ? 'The till is open.' : 'Hands off!');
}).listen(process.env.PORT);
`,
    '.service/scripts/preview-setup.sh': 'echo "$(ls teas | wc -l) teas" > title\n',
    '.service/verify/skills/default.md': `# The shop

## Prices
1. \`GET /\`
   - expect body contains \`teas\`
2. \`GET /prices\`
   - expect status 200
   - expect json \`/darjeeling\` is \`7\`

## The till
1. \`GET /till\`
   - expect status 401
2. \`GET /till\`
   - header \`Authorization: Bearer {{secret.TILL_KEY}}\`
   - expect body contains \`open\`
`,
  },
} as const;

const previews = `verify:
  preview:
    - image: shop
      port: 8080
      secrets: [TILL_KEY]
`;

/** Returns a sentence for each fault. Empty: all is well. */
export async function playPreview(run: DemoRun): Promise<readonly string[]> {
  return await playChapter(run, 'A pull request with a page: its preview comes up, is driven and torn down', play);
}

async function play(chapter: Chapter): Promise<void> {
  const { client, scenario, print, expect } = chapter;
  await setUp(chapter);
  // The cursor is read before the pull request is opened, so that no event of its verification is missed.
  const after = await cursorOfNow(client, scenario);
  const number = await openPullRequest(chapter);
  print('opened', `#${number} ${page.title}`);
  const verification = await follow(chapter, { number, after });
  for (const { scenario: of, step, conclusion } of verification.steps.nodes)
    print(conclusion.toLowerCase(), `${of}: ${step}`);
  print(verification.status.toLowerCase(), verification.summary ?? '');
  expect('the verification', verification.status, 'PASSED');
  expect('the number of steps driven', verification.steps.nodes.length, 4);
  expect('whether only its code was judged', verification.degraded, false);
  const { url, endedAt } = verification.preview ?? { url: null, endedAt: null };
  expect('whether its preview is said to be gone', endedAt !== null, true);
  if (url === null) return expect('the address that the preview had', null, 'a URL');
  expect('whether its preview is gone', (await statusOf(client.url, url)) >= 400, true);
  await client.rest('POST', `/api/v1/config?org=${scenario.owner}&repo=${scenario.name}`, scenario.configuration);
}

async function setUp({ client, scenario }: Chapter): Promise<void> {
  const repository = { owner: scenario.owner, name: scenario.name };
  await client.graphql(
    `mutation { registerPreviewImage(input: {name: "shop", kind: COMMAND, source: "node serve.mjs"}) { previewImage { name } } }`,
  );
  await client.graphql(
    `mutation ($repository: RepositoryInput!) {
       setPreviewSecret(input: {key: "TILL_KEY", value: "a key nobody guesses"}) { previewSecret { key } }
       grantPreviewSecret(input: {key: "TILL_KEY", repository: $repository}) { previewSecret { key } } }`,
    { repository },
  );
  await client.rest(
    'POST',
    `/api/v1/config?org=${scenario.owner}&repo=${scenario.name}`,
    scenario.configuration + previews,
  );
}

async function openPullRequest({ host }: Chapter): Promise<number> {
  const folder = await mkdtemp(`${tmpdir()}/interlock-demo-`);
  try {
    const git = async (...args: string[]): Promise<string> => await host.git(folder, ...args);
    await git('clone', '-q', host.remote, '.');
    await git('checkout', '-q', '-b', page.branch);
    await commitFiles(git, folder, { files: page.files, message: page.title });
    await git('push', '-q', host.remote, page.branch);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return await host.openPullRequest(page);
}

interface Verification {
  readonly status: string;
  readonly summary: string | null;
  readonly degraded: boolean;
  readonly preview: { readonly url: string | null; readonly endedAt: string | null } | null;
  readonly steps: {
    readonly nodes: readonly { readonly scenario: string; readonly step: string; readonly conclusion: string }[];
  };
}

interface VerificationChange {
  readonly cursor: string;
  readonly action: string;
  readonly verification: Verification;
}

const ends: ReadonlySet<string> = new Set(['passed', 'failed', 'skipped', 'canceled', 'error']);

/** Prints each status of the verification, and returns the verification when it has ended. */
async function follow(
  chapter: Chapter,
  { number, after }: { readonly number: number; readonly after: string },
): Promise<Verification> {
  const { owner, name } = chapter.scenario;
  const last = await followUntil<VerificationChange>(
    chapter,
    {
      what: `the verification of #${number}`,
      subscription: `subscription ($repository: RepositoryInput!, $number: PullRequestNumber!, $after: String!) {
        verificationChanged(repository: $repository, number: $number, after: $after) { cursor action
          verification { status summary degraded preview { url endedAt } steps(first: 50) { nodes { scenario step conclusion } } } } }`,
      variables: { repository: { owner, name }, number },
      after,
    },
    ({ action, verification }) => {
      const status = action.replace(/^verification_/, '');
      if (ends.has(status)) return true;
      const at = status === 'driving' ? ` at ${verification.preview?.url}` : '';
      chapter.print('preview', `${status.replaceAll('_', ' ')}${at}`);
      return false;
    },
  );
  return last.verification;
}

/**
 * Requests the preview from the server with the preview's Host header. Browsers resolve all names below localhost to
 * this machine, but Node does not.
 */
async function statusOf(server: string, preview: string): Promise<number> {
  const { host } = new URL(preview);
  return await new Promise((resolve, reject) => {
    request(server, { headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
