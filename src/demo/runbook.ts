// The chapter about runbooks. A prompt renames a function in three steps, which become a stack of two pull requests. A
// follow-up prompt continues the runbook, and the queue lands its pull requests. The chapter calls REST, as a script
// would.
import { playChapter, type Chapter } from './chapter.ts';
import { until } from './follow.ts';
import type { DemoRun } from './play.ts';

const prompt = `# cost_of in the place of price_of

1. Give it the new name
   1. Where prices are read, the old name stays for now
      \`\`\`sh
      sed 's/^price_of()/cost_of()/' prices.sh > renamed
      echo 'price_of() { cost_of "$1"; }' >> renamed
      mv renamed prices.sh
      \`\`\`
      verify: sh check.sh
   2. Where orders are added up
      \`\`\`sh
      sed 's/price_of/cost_of/g' check.sh > renamed
      mv renamed check.sh
      \`\`\`
      verify: sh check.sh
2. Take the old name away
   1. Nobody asks for it any more
      \`\`\`sh
      sed '/^price_of()/d' prices.sh > renamed
      mv renamed prices.sh
      \`\`\`
      verify: ! grep -rn price_of prices.sh check.sh
      verify: sh check.sh
`;

const followUp = `1. Say how prices are created for
   \`\`\`sh
   echo 'Prices are asked for by \`cost_of\`.' >> README.md
   \`\`\`
`;

interface Shown {
  readonly runbook_number: number;
  readonly status: string;
  readonly steps: { readonly total: number; readonly completed: number };
  readonly pull_requests: readonly { readonly number: number; readonly step_numbers: readonly string[] }[];
}

/** Returns a sentence for each fault. Empty: all is well. */
export async function playRunbook(run: DemoRun): Promise<readonly string[]> {
  return await playChapter(run, 'A runbook renames a function: three steps, two pull requests, and a follow-up', play);
}

async function play(chapter: Chapter): Promise<void> {
  const { client, scenario, print, expect } = chapter;
  const repository = { org: scenario.owner, name: scenario.name };
  // The repository is paused, so that the stack can be seen before it lands.
  await client.rest('POST', '/api/v1/repo', { ...repository, paused: true });
  await client.graphql(
    `mutation ($repository: RepositoryInput!) { updateRunbookDefaults(input: {repository: $repository, queueWhenGreen: true}) { runbookDefaults { queueWhenGreen } } }`,
    { repository: { owner: scenario.owner, name: scenario.name } },
  );
  const created = await client.rest<Shown>('POST', '/api/v1/runbook', {
    repository,
    prompt,
    pr_mode: 'stacked_pr',
    description: 'Customers pay costs, not prices.',
    labels: ['renaming'],
  });
  print('runbook', `${created.runbook_number}: ${progressOf(created)}`);
  const first = await completed(chapter, created, 3);
  printPullRequests(chapter, first.pull_requests);
  expect('the pull requests of three steps', stepsOf(first), '1.1 1.2 | 2.1');
  await client.rest('PATCH', `/api/v1/runbook/${created.runbook_number}`, { prompt: followUp, labels: ['docs'] });
  print('follow-up', 'requested');
  const second = await completed(chapter, first, 4);
  printPullRequests(chapter, second.pull_requests.slice(first.pull_requests.length));
  expect('the pull requests after the follow-up', stepsOf(second).startsWith('1.1 1.2 | 2.1'), true);
  await client.rest('POST', '/api/v1/repo', { ...repository, paused: false });
  await reportLandings(chapter, created.runbook_number, second.pull_requests.length);
}

async function completed({ client, print }: Chapter, of: Shown, total: number): Promise<Shown> {
  let lastText = progressOf(of);
  return await until(`runbook ${of.runbook_number}`, async () => {
    const shown = await client.rest<Shown>('GET', `/api/v1/runbook/${of.runbook_number}`);
    const text = progressOf(shown);
    if (text !== lastText) print('steps', text);
    lastText = text;
    if (shown.status === 'failed') throw new Error(`The runbook failed: ${await problemOf(client, of)}`);
    const isPublished = shown.pull_requests.flatMap((each) => each.step_numbers).length >= total;
    return shown.status === 'completed' && shown.steps.total === total && isPublished ? shown : null;
  });
}

function progressOf({ status, steps }: Shown): string {
  return status === 'generating_steps'
    ? 'its steps are being planned'
    : `${steps.completed} of ${steps.total} steps done`;
}

async function problemOf(client: Chapter['client'], of: Shown): Promise<string> {
  const { runbook } = await client.graphql<{
    runbook: { steps: { leaves: { number: string; error: string | null }[] }[] };
  }>('query ($number: Int!) { runbook(number: $number) { steps { leaves { number error } } } }', {
    number: of.runbook_number,
  });
  return runbook.steps
    .flatMap(({ leaves }) => leaves)
    .flatMap(({ number, error }) => (error === null ? [] : [`${number} ${error}`]))
    .join('; ');
}

function stepsOf({ pull_requests }: Shown): string {
  return pull_requests.map((each) => each.step_numbers.join(' ')).join(' | ');
}

function printPullRequests({ print }: Chapter, opened: Shown['pull_requests']): void {
  for (const { number, step_numbers } of opened)
    print('opened', `#${number} with ${step_numbers.length === 1 ? 'step' : 'steps'} ${step_numbers.join(', ')}`);
}

interface Landed {
  readonly number: number;
  readonly baseBranch: string;
  readonly state: string;
  readonly pullRequest: {
    readonly mergeCommit: string | null;
    readonly landedBatch: { readonly grade: string | null } | null;
  };
}

async function reportLandings(chapter: Chapter, number: number, count: number): Promise<void> {
  const { client, print, expect } = chapter;
  const landed = await until(`the landing of runbook ${number}`, async () => {
    const { runbook } = await client.graphql<{ runbook: { pullRequests: Landed[] } }>(
      `query ($number: Int!) { runbook(number: $number) { pullRequests {
         number baseBranch state pullRequest { mergeCommit landedBatch { grade } } } } }`,
      { number },
    );
    return runbook.pullRequests.every(({ state }) => state === 'MERGED') ? runbook.pullRequests : null;
  });
  for (const { number: each, pullRequest } of landed)
    print(
      'landed',
      `#${each} as ${pullRequest.mergeCommit?.slice(0, 8)}, tree verified (${pullRequest.landedBatch?.grade?.toLowerCase()})`,
    );
  expect('the pull requests of the runbook that landed', landed.length, count);
  expect(
    'whether each landed with a grade',
    landed.every(({ pullRequest }) => typeof pullRequest.landedBatch?.grade === 'string'),
    true,
  );
}
