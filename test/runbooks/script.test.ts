// Runbooks without a model: the prompt is a script. From the text to the pull request.
import { expect, test } from 'vitest';
import { createRunbookDriving } from '../../src/agents.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { runbookWorld, type RunbookWorld } from '../support/runbook-world.ts';

async function scriptWorld(): Promise<RunbookWorld> {
  const r = await runbookWorld();
  const { sandbox } = await findSandbox({ allowPlain: true });
  r.w.loop.runbooks.driving = createRunbookDriving({ model: null }, { sandbox });
  return r;
}

const script = `# A health check

1. Add the check
   1. Write the program
      \`\`\`sh path=bin/health executable
      echo ok
      \`\`\`
      verify: test "$(./bin/health)" = ok
   2. Say where it is
      \`\`\`diff
      --- a/README.md
      +++ b/README.md
      @@ -1 +1,2 @@
       shop
      +bin/health says whether it is up.
      \`\`\`
2. Count what there is
   \`\`\`sh
   ls bin | wc -l > count.txt
   \`\`\`
`;

test('a script is planned, executed and published as it is written, and twice it makes the same files', async () => {
  await using r = await scriptWorld();
  const first = await r.begin(script);
  const second = await r.begin(script);
  for (const number of [first, second]) {
    await r.become(number, '1.1 completed', '1.2 completed', '2.1 completed');
    await r.rest(number);
  }
  const branch = `interlock/runbook-${first}`;
  expect(await r.commits(branch)).toEqual(['Write the program', 'Say where it is', 'Count what there is']);
  expect(await r.file(branch, 'bin/health')).toBe('echo ok');
  expect(await r.file(branch, 'README.md')).toBe('shop\nbin/health says whether it is up.');
  expect(await r.file(branch, 'count.txt')).toBe('1');
  expect(await r.pullRequests(first)).toEqual([`1 open ${branch} into main`]);
  const opened = await r.atHost(await r.pullRequestNumber(first));
  expect(opened).toMatchObject({ title: 'A health check', state: 'open' });
  const trees = await r.w.git('rev-parse', `${branch}^{tree}`, `interlock/runbook-${second}^{tree}`);
  expect(new Set(trees.split('\n')).size).toBe(1);
  expect(await r.log(first)).toContain('Line 8: verify test "$(./bin/health)" = ok.');
});

test('a failed command shows its line, its exit code and its last output line, and a follow-up is also a script', async () => {
  await using r = await scriptWorld();
  const number = await r.begin(
    '1. Try\n   ```sh\n   echo made > made.txt\n   echo no luck >&2; exit 3\n   ```\n2. Later\n   verify: true\n',
  );
  await r.rest(number);
  const [failed, later] = await r.leaves(number);
  expect(failed).toMatch(
    /^1\.1 failed: Line 2, run echo made > made\.txt …: Exited with code 3 after [\d.]+ s: no luck$/,
  );
  expect(later).toBe('2.1 not_started');
  expect(await r.pullRequests(number)).toEqual([]);

  await r.follow(number, '1. Again\n   ```txt path=made.txt\n   made\n   ```\n');
  await r.rest(number);
  expect((await r.leaves(number)).at(-1)).toBe('3.1 completed');
  expect(await r.file(`interlock/runbook-${number}`, 'made.txt')).toBe('made');
});

test('prose is refused with an example, and a script can follow', async () => {
  await using r = await scriptWorld();
  const number = await r.begin('Make everything better, please.');
  await r.rest(number);
  const [refused] = await r.leaves(number);
  expect(refused).toMatch(/^1\.1 failed: Line 1: there is nothing to execute/);
  expect(refused).toContain('1. Say hello');
  expect(refused).toContain('RUNBOOK_MODEL');
});
