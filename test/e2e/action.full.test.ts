// The bundle of the Action, run as a runner of GitHub runs it, against an Interlock that runs as a program.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outputsOf, runBundle, type Ran, type Step } from '../action/bundle.ts';
import { dataDirectory, removeDirectory, startInterlock, stopInterlock, type RunningInterlock } from './interlock.ts';
import { createTeamRepository, type TeamRepository } from './repository.ts';

const ci = 'checks:\n  test:\n    run: test ! -e red\n    timeout: 60\n';
const configuration = `merge_rules:
  labels:
    trigger: mergequeue
verify:
  preview:
    - method: endpoint
`;

let dataDir = '';
let interlock: RunningInterlock;
let shop: TeamRepository;
let tip = '';
beforeAll(async () => {
  dataDir = await dataDirectory();
  interlock = await startInterlock(dataDir, ['--no-demo']);
  const { client } = interlock;
  shop = await createTeamRepository(client, 'shop', { '.service/ci.yml': ci });
  tip = await shop.git('rev-parse', 'HEAD');
  await client.rest('POST', '/api/v1/config?org=team&repo=shop', configuration);
  await client.graphql(
    `mutation { createReleaseProject(input: {name: "shop", repository: {owner: "team", name: "shop"},
       build: {kind: COMMAND, command: "test ! -e red"}}) { releaseProject { id } } }`,
  );
  await client.graphql(
    `mutation { createEnvironment(input: {project: "shop", name: "production", provider: {kind: NONE}}) {
       environment { id } } }`,
  );
});
afterAll(async () => {
  await stopInterlock(interlock);
  await shop.remove();
  await removeDirectory(dataDir);
});

async function run(inputs: Step['inputs'], event: Omit<Step, 'inputs'> = { sha: tip }): Promise<Ran> {
  const { url, token } = interlock.access;
  return await runBundle({ ...event, inputs: { url, token, repository: 'team/shop', ...inputs } });
}

/** Opens a pull request with one new file, and returns the event that a workflow gets about it. */
async function propose(branch: string, file = branch): Promise<Required<Pick<Step, 'pullRequest'>>> {
  await shop.push(branch, { [file]: '1\n' }, 'origin/main');
  const number = await shop.open(branch, `Add ${branch}`);
  return { pullRequest: { number, head: await shop.git('rev-parse', 'HEAD') } };
}

/** What everybody sees of a step that failed: its exit code, its annotation and the heading of its summary. */
function failureOf({ code, stdout, summary }: Ran): object {
  const [, title = '', sentence = ''] = /^::error title=Interlock%3A (.*?)::(.*)$/m.exec(stdout) ?? [];
  return { code, title, sentence, heading: /<h3>Interlock: (.*)<\/h3>/.exec(summary)?.[1] };
}

const refusal = (command: string, sentence: string): object => ({
  code: 1,
  title: `${command} was refused`,
  sentence: expect.stringContaining(sentence),
  heading: `${command} was refused`,
});

describe('queue', () => {
  test('with wait ends when the pull request is merged, and names the commit that landed', async () => {
    const event = await propose('waited');
    const ran = await run({ command: 'queue', wait: 'true' }, event);
    expect(ran, ran.stdout).toMatchObject({ code: 0 });
    const { mergeCommit } = await shop.landing(event.pullRequest.number);
    expect(outputsOf(ran)).toMatchObject({ status: 'merged', 'merge-commit': mergeCommit });
    expect(ran.stdout).toContain(`::add-mask::${interlock.access.token}\n`);
  });

  test('without wait ends while the pull request is in line', async () => {
    const event = await propose('quick');
    const ran = await run({ command: 'queue' }, event);
    expect(ran, ran.stdout).toMatchObject({ code: 0 });
    expect(outputsOf(ran)).toMatchObject({
      status: expect.stringMatching(/^(?:pending|queued|tagged)$/),
      'pull-request': String(event.pullRequest.number),
      'merge-commit': '',
    });
  });

  test('with wait fails if a check fails', async () => {
    const event = await propose('broken', 'red');
    const ran = await run({ command: 'queue', wait: 'true' }, event);
    const title = `#${event.pullRequest.number} is blocked`;
    expect(failureOf(ran)).toMatchObject({ code: 1, title, sentence: expect.stringContaining('test'), heading: title });
    expect(outputsOf(ran)).toMatchObject({ status: 'blocked', 'merge-commit': '' });
  });

  test('is refused for a pull request that does not exist', async () => {
    expect(failureOf(await run({ command: 'queue', 'pull-request': '99' }))).toEqual(
      refusal('queue', 'Pull request not found'),
    );
  });
});

describe('affected-targets', () => {
  test('reports the targets of the head of the event', async () => {
    const ran = await run({ command: 'affected-targets', targets: '//web\n//api' }, await propose('targets'));
    expect([ran.code, outputsOf(ran)['sentence']]).toEqual([0, expect.stringMatching(/^2 affected targets are /)]);
  });

  test('is refused for a pull request that does not exist', async () => {
    const ran = await run({ command: 'affected-targets', 'pull-request': '99', targets: '//web' });
    expect(failureOf(ran)).toEqual(refusal('affected-targets', 'Pull request not found'));
  });
});

describe('register-preview', () => {
  const preview = { command: 'register-preview', 'preview-url': 'https://preview.example' };

  test('registers a preview, and masks its secrets', async () => {
    const ran = await run({ ...preview, 'preview-secrets': 'PASSWORD=opensesame' }, await propose('preview'));
    expect(ran, ran.stdout).toMatchObject({ code: 0 });
    expect(outputsOf(ran)).toMatchObject({ status: expect.stringMatching(/./), id: expect.stringMatching(/./) });
    expect(ran.stdout).toContain('::add-mask::opensesame\n');
  });

  test('is refused for a preview that the configuration does not have', async () => {
    const ran = await run({ ...preview, 'preview-name': 'shadow' }, await propose('shadow'));
    expect(failureOf(ran)).toEqual(refusal('register-preview', 'endpoint previews: default'));
  });
});

describe('create-release and report-deployment', () => {
  const candidate = (version: string): Record<string, string> => ({ project: 'shop', version });
  const report = { command: 'report-deployment', environment: 'production', status: 'success' };

  test('with wait, a candidate is ready when its build has ended, and its deployment is reported', async () => {
    const ran = await run({ command: 'create-release', ...candidate('1.0-rc1'), build: 'true', wait: 'true' });
    expect(ran, ran.stdout).toMatchObject({ code: 0 });
    expect(outputsOf(ran)).toMatchObject({ status: 'ready', version: '1.0-rc1' });
    const reported = await run({ ...report, ...candidate('1.0-rc1') });
    expect([reported.code, outputsOf(reported)]).toMatchObject([0, { status: 'success', version: '1.0-rc1' }]);
  });

  test('with wait, the step fails if the build fails', async () => {
    await shop.push('red', { red: '1\n' }, 'origin/main');
    const sha = await shop.git('rev-parse', 'HEAD');
    const ran = await run({ command: 'create-release', ...candidate('1.1-rc1'), build: 'true', wait: 'true' }, { sha });
    const title = 'shop 1.1-rc1 is failed';
    expect(failureOf(ran)).toMatchObject({ code: 1, title, heading: title });
  });

  test('without a build, a candidate is ready at once', async () => {
    const ran = await run({ command: 'create-release', ...candidate('1.2-rc1') });
    expect([ran.code, outputsOf(ran)]).toMatchObject([0, { status: 'ready', version: '1.2-rc1' }]);
  });

  test('are refused for a project and an environment that do not exist', async () => {
    const made = await run({ command: 'create-release', ...candidate('1.3-rc1'), project: 'shoe' });
    expect(failureOf(made)).toEqual(refusal('create-release', 'Release project not found'));
    const reported = await run({ ...report, ...candidate('1.0-rc1'), environment: 'moon' });
    expect(failureOf(reported)).toEqual(refusal('report-deployment', 'Release environment not found'));
  });
});

test('every command is refused with a token that Interlock does not know', async () => {
  const steps: readonly { readonly [name: string]: string; readonly command: string }[] = [
    { command: 'queue', 'pull-request': '1' },
    { command: 'affected-targets', 'pull-request': '1', targets: '//web' },
    { command: 'register-preview', 'pull-request': '1', 'preview-url': 'https://preview.example' },
    { command: 'create-release', project: 'shop', version: '9.0-rc1' },
    { command: 'report-deployment', project: 'shop', version: '1.0', environment: 'production', status: 'success' },
  ];
  for (const inputs of steps)
    expect(failureOf(await run({ ...inputs, token: 'wrong' }))).toEqual(refusal(inputs.command, 'token'));
});
