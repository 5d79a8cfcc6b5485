// The agent of an installation without a model. It executes a script in the sandbox. The change lands with a proof that
// says why the landing was allowed.
import { describe, expect, it } from 'vitest';
import { createRunbookDriving } from '../../src/agents.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { runbookWorld } from '../support/runbook-world.ts';

const prompt = `
# Count the words

1. Begin
   1. Write the text

      \`\`\`txt path=docs/text.txt
      one two three
      \`\`\`

   2. Count its words

      \`\`\`sh
      wc -w < docs/text.txt | tr -d ' ' > docs/words.txt
      \`\`\`

2. Look

   \`\`\`sh
   grep -q 3 docs/words.txt
   \`\`\`
`;

describe('a script', () => {
  it('that writes without end is stopped, its step fails, and nothing of it stays in the repository', async () => {
    await using r = await runbookWorld();
    const { sandbox } = await findSandbox({ allowPlain: true });
    const driving = createRunbookDriving({ model: null }, { sandbox });
    const limits = { grownBytes: 20_000_000, fileBytes: 10_000_000 };
    const small: typeof driving.createTools = (workspace, mode) => driving.createTools({ ...workspace, limits }, mode);
    r.w.loop.runbooks.driving = { ...driving, createTools: small };
    const fill = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/urandom > "file$i"; done';
    const number = await r.begin(`1. Fill the disk\n   \`\`\`sh\n   ${fill}\n   \`\`\`\n`);
    await r.rest(number);
    expect(await r.leaves(number)).toEqual([
      expect.stringMatching(/^1\.1 failed: .*Stopped after .*its files take more than \d+ MB together/s),
    ]);
    expect(await r.w.git('for-each-ref', '--format=%(refname)', 'refs/interlock/runbooks/')).toBe('');
    expect(await r.w.git('count-objects')).toMatch(/ [0-9]{1,3} kilobytes$/);
  });

  it('is executed step by step, and its changes land with a proof', async () => {
    await using r = await runbookWorld({ runsCi: true });
    const { sandbox } = await findSandbox({ allowPlain: true });
    r.w.loop.runbooks.driving = createRunbookDriving({ model: null }, { sandbox });
    const number = await r.begin(prompt, { queueWhenGreen: true });
    await r.w.until(async () => (await r.pullRequests(number))[0]?.startsWith('1 merged') === true);
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed', '1.2 completed', '2.1 completed']);
    expect(await r.file('main', 'docs/words.txt')).toBe('3');
    expect((await r.atHost(await r.pullRequestNumber(number))).title).toBe('Count the words');
    expect(await r.w.rows('select 1 from proof')).toHaveLength(1);
  });

  it('in prose is refused, and the error says how to write one', async () => {
    await using r = await runbookWorld();
    r.w.loop.runbooks.driving = createRunbookDriving({ model: null }, { sandbox: null });
    const number = await r.begin('Please make the service faster.');
    await r.rest(number);
    const [leaf] = await r.leaves(number);
    expect(leaf).toMatch(/^1\.1 failed: /);
    expect(leaf).toContain('```sh');
  });
});
