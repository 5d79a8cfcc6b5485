// Prompts that are scripts: how they are read, and that they run exactly as they are written.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fc } from '../support/properties.ts';
import { describe, expect, test } from 'vitest';
import { createScriptAgent } from '../../src/platform/agents/index.ts';
import { AgentRefused, type Plan, type PlannedLeaf } from '../../src/platform/agents/port.ts';
import { parseScript, ScriptFault } from '../../src/platform/agents/script/parse.ts';
import type { Action, Script } from '../../src/platform/agents/script/script.ts';
import { numberedTitles, outlineOf, sessionOf } from './script-session.ts';
import { bench, type Bench } from './workspace.ts';

const agent = createScriptAgent();
const fence = '```';

async function plan(prompt: string, title: string | null = null, by = agent): Promise<Plan> {
  await using b = await bench({}, { mode: 'plan' });
  return await by.plan({ ...outlineOf(prompt), title }, sessionOf(b));
}

async function work(b: Bench, leaf: PlannedLeaf, number = '1.1') {
  return await agent.work({ ...outlineOf('…'), step: { ...leaf, number } }, sessionOf(b));
}

function readingOf(text: string): Script | Error {
  try {
    return parseScript(text);
  } catch (error) {
    return error as Error;
  }
}

const numbers = `# Health of the service

Some words about why, which nobody executes.

1. Add the endpoint
   1. Write the file
      ${fence}ts path=src/health.ts
      export const health = 'ok';
      ${fence}
      verify: test -f src/health.ts
   2. Make a runner
      ${fence}sh path="bin/run it.sh" executable
      #!/bin/sh
      echo "health: ok"
      ${fence}
2. Try it
   ${fence}bash
   words=(one two)
   echo "\${words[1]}" > words.txt
   ${fence}
   - Verify: \`grep -q two words.txt\`
   - ./bin/run\\ it.sh says how it is
3. Tell of it

${fence}diff
--- a/README.md
+++ b/README.md
@@ -1 +1,2 @@
 # App
+It has an endpoint for its health.
${fence}
`;

describe('reading a script', () => {
  test('takes top-level numbers as steps, nested numbers as their leaves, and a heading above them as the title', async () => {
    const planned = await plan(numbers);
    expect(planned.title).toBe('Health of the service');
    expect(numberedTitles(planned)).toEqual([
      '1 Add the endpoint',
      '1.1 Write the file',
      '1.2 Make a runner',
      '2 Try it',
      '2.1 Try it',
      '3 Tell of it',
      '3.1 Tell of it',
    ]);
    expect(planned.steps[0]?.leaves[0]?.instructions).toEqual({
      actions: [
        {
          kind: 'write',
          path: 'src/health.ts',
          content: "export const health = 'ok';\n",
          isExecutable: false,
          line: 7,
        },
        { kind: 'verify', command: 'test -f src/health.ts', line: 10 },
      ],
    });
    expect((await plan(numbers, 'Given')).title).toBe('Given');
  });

  test('takes headings as steps, and deeper headings or numbers as their leaves', async () => {
    const sh = `${fence}sh\ntrue\n${fence}`;
    const text = `# Title\n\n## First\n\n### One\n\n${sh}\n\n1. a note\n2. another\n\n### Two\n\n${sh}\n\n## Second\n\n1. Three\n\n   ${sh.replaceAll('\n', '\n   ')}\n2. Four\n   verify: true\n`;
    expect(numberedTitles(await plan(text))).toEqual([
      '1 First',
      '1.1 One',
      '1.2 Two',
      '2 Second',
      '2.1 Three',
      '2.2 Four',
    ]);
    expect(numberedTitles(await plan(`# A\n${sh}\n# B\nverify: true`))).toEqual(['1 A', '1.1 A', '2 B', '2.1 B']);
    expect(numberedTitles(await plan(`# Only this\n${sh}`))).toEqual(['1 Only this', '1.1 Only this']);
  });

  test('takes a prompt of fences alone as one step, with a title from its first command', async () => {
    const planned = await plan(`${fence}sh\nmake all\nmake test\n${fence}\nverify: test -f out`);
    expect(numberedTitles(planned)).toEqual(['1 Run make all …', '1.1 Run make all …']);
    expect(planned.title).toBe('Run make all …');
  });

  test('takes quotations as notes, and gives the same for Windows line ends', () => {
    expect(parseScript(numbers.replaceAll('\n', '\r\n'))).toEqual(parseScript(numbers));
    const quoted = `1. Do it\n   > ${fence}sh\n   > rm -rf /\n   > ${fence}\n\n   verify: true\n`;
    expect(parseScript(quoted).steps[0]?.leaves[0]?.actions).toEqual([{ kind: 'verify', command: 'true', line: 6 }]);
  });

  test.each([
    ['Please make the tests faster.', 1, 'there is nothing to execute: expected a numbered step with a fence.'],
    ['', 1, 'nothing to execute'],
    ['1. Fix the bug\n2. Add tests', 1, '"Fix the bug" has nothing to execute: expected a fence'],
    [`1. A\n   verify: true\n2. B\n\n   words`, 3, '"B" has nothing to execute'],
    [`1. A\n   ${fence}python\n   print(1)\n   ${fence}`, 2, 'a fence of "python" is not executed: expected ```sh'],
    [`1. A\n   ${fence}\n   x\n   ${fence}`, 2, 'a fence of no language is not executed'],
    [`1. A\n\n       code\n`, 3, 'code without a fence'],
    [`1. A\n   ${fence}sh\n   make`, 2, 'this fence is never closed'],
    [`${fence}${fence}sh\nmake\n${fence}`, 1, 'this fence is never closed'],
    [`1. A\n   ${fence}sh\n   ${fence}`, 2, 'this fence is empty'],
    [`1. A\n   ${fence}sh now\n   x\n   ${fence}`, 2, '"sh now" is not understood'],
    [`1. A\n   ${fence}ts path=../x.ts\n   x\n   ${fence}`, 2, 'path="../x.ts" must not have a part ".."'],
    [`1. A\n   ${fence}ts path=\n   x\n   ${fence}`, 2, 'path="" is empty'],
    [`1. A\n   ${fence}ts path=a.ts mode=777\n   x\n   ${fence}`, 2, '"mode=777" is not understood'],
    [`1. A\n   ${fence}ts path="a.ts\n   x\n   ${fence}`, 2, 'is not understood'],
    [`1. A\n   ${fence}diff\n   a change\n   ${fence}`, 2, 'That is no unified diff'],
    [`## A\n### B\n${fence}sh\nx\n${fence}\n## C\n${fence}sh\nx\n${fence}\n### D\nverify: x`, 7, '"C" has parts'],
    [`${fence}sh\nx\n${fence}\n# A\nverify: x`, 1, 'expected a step'],
    [`### Part\nverify: x\n## Step\nverify: x`, 1, 'expected a step before the parts of one'],
    [`1. A\n\nverify: make\n---\n`, 3, 'this is a heading'],
  ])('refuses %j with its line and what was expected', (text, line, message) => {
    const fault = readingOf(text) as ScriptFault;
    expect(fault).toBeInstanceOf(ScriptFault);
    expect(fault.message).toContain(message);
    expect(fault.line).toBe(line);
  });

  test('refuses prose with an example of a script, and says which agent takes prose', async () => {
    const refusal = await plan('Please make the tests faster.').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AgentRefused);
    const { message } = refusal as AgentRefused;
    expect(message).toContain('Line 1');
    expect(message).toContain('docs/runbooks.md');
    const example = message.slice(message.indexOf('\n1. ') + 1, message.indexOf('\n\nPrompts in prose'));
    expect(numberedTitles(await plan(example))).toEqual(['1 Say hello', '1.1 Say hello']);
  });
});

describe('running a script', () => {
  test('runs it as it is written, and reports each command and its last line of output', async () => {
    await using b = await bench({ 'README.md': '# App\n' });
    const leaves = (await plan(numbers)).steps.flatMap((step) => step.leaves);
    const reports = [];
    for (const leaf of leaves) reports.push(await work(b, leaf));
    expect(b.text('src/health.ts')).toBe("export const health = 'ok';\n");
    expect(b.text('bin/run it.sh')).toBe('#!/bin/sh\necho "health: ok"\n');
    expect(statSync(join(b.folders.checkout, 'bin/run it.sh')).mode & 0o777).toBe(0o755);
    expect(b.text('words.txt')).toBe('two\n');
    expect(b.text('README.md')).toBe('# App\nIt has an endpoint for its health.\n');
    expect(reports).toEqual([
      {
        summary: 'Wrote src/health.ts. Verified `test -f src/health.ts`.',
        commitMessage: 'Write the file\n\n- write src/health.ts\n- verify test -f src/health.ts\n',
      },
      { summary: 'Wrote bin/run it.sh.', commitMessage: 'Make a runner\n\n- write bin/run it.sh\n' },
      {
        summary: 'Ran `words=(one two) …`. Verified `grep -q two words.txt`.',
        commitMessage: 'Try it\n\n- run words=(one two) …\n- verify grep -q two words.txt\n',
      },
      {
        summary: 'Applied a patch: README.md was patched.',
        commitMessage: 'Tell of it\n\n- apply a patch\n',
      },
    ]);
  });

  test('shows in the summary what a command printed last', async () => {
    await using b = await bench();
    const [leaf] = (await plan(`${fence}sh\necho "it's first"; echo "12 passed"; echo\n${fence}`)).steps[0]!.leaves;
    expect((await work(b, leaf!)).summary).toBe(
      'Ran `echo "it\'s first"; echo "12 passed"; echo`, which printed last: 12 passed.',
    );
  });

  test.each([
    [
      `${fence}sh\necho one\necho broken >&2; exit 3\n${fence}`,
      'Line 1, run echo one …: Exited with code 3 after',
      ': broken',
    ],
    [`${fence}bash\nfalse\ntrue\n${fence}`, 'Line 1, run false …: Exited with code 1', ''],
    [`${fence}sh\nfalse\ntrue\n${fence}`, 'Line 1, run false …: Exited with code 1', ''],
    ['verify: test -f none', 'Line 1, verify test -f none: Exited with code 1', ''],
    [
      `${fence}diff\n--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n${fence}`,
      'Line 1, apply a patch: There is no none.',
      '',
    ],
    [`${fence}yml path=.github/workflows/x.yml\na\n${fence}`, 'workflow file', 'updateRunbookDefaults'],
  ])('fails with exit code and last line, and runs nothing after the failed part: %j', async (text, message, more) => {
    await using b = await bench();
    const planned = await plan(`1. It\n\n${text}\n\n${fence}txt path=late.txt\nlate\n${fence}`);
    const refusal = await work(b, planned.steps[0]!.leaves[0]!).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AgentRefused);
    expect((refusal as Error).message.replace('Line 3', 'Line 1')).toContain(message);
    expect((refusal as Error).message).toContain(more);
    expect(readdirSync(b.folders.checkout)).toEqual([]);
  });

  test('is neither done nor refused for good if it was stopped', async () => {
    await using b = await bench();
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    const [leaf] = (await plan('verify: true')).steps[0]!.leaves;
    const session = sessionOf(b, stop.signal);
    await expect(agent.work({ ...outlineOf('…'), step: { ...leaf!, number: '1.1' } }, session)).rejects.toThrow(
      'stopped',
    );
    expect(session.calls).toEqual([]);
  });

  test('refuses instructions of another agent', async () => {
    await using b = await bench();
    for (const instructions of [null, {}, { actions: [] }, { goal: 'x' }, 'x'])
      await expect(work(b, { title: 'x', instructions })).rejects.toBeInstanceOf(AgentRefused);
  });
});

// A fence may contain anything: other fences, tabs, blank lines, Markdown.
const textLine = fc.oneof(
  fc.constantFrom(
    '',
    '```',
    '~~~',
    '# no heading',
    '1. no step',
    '> no quote',
    '\ttab',
    '  ',
    'verify: nothing',
    '---',
  ),
  fc.string({ unit: fc.constantFrom(...'ab `~#*_<>[]()\\&\t$"\''.split('')), maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }).map((text) => text.replace(/[\r\n\0]/g, '')),
);
const body = fc.array(textLine, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'));
const word = fc.string({ unit: fc.constantFrom(...'abcxyz019'.split('')), minLength: 1, maxLength: 8 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('run' as const),
    shell: fc.constantFrom('sh' as const, 'bash' as const),
    command: body.filter((text) => text.trim() !== ''),
    line: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('write' as const),
    path: word.map((name) => `src/${name} x.ts`),
    content: body.map((text) => `${text}\n`),
    isExecutable: fc.boolean(),
    line: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('patch' as const),
    patch: word.map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1,2 @@\n \n+\t${name}\n`),
    line: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('verify' as const),
    command: word.map((name) => `test "${name}" = '*_\\\`'`),
    line: fc.constant(0),
  }),
);
const title = fc.tuple(word, word).map((words) => words.join(' '));
const leaf = fc.record({ title, actions: fc.array(action, { minLength: 1, maxLength: 3 }) });
const script: fc.Arbitrary<Script> = fc.record({
  title,
  steps: fc.array(fc.record({ title, leaves: fc.array(leaf, { minLength: 2, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

function printed(action: Action): string {
  const fenced = (info: string, text: string): string => {
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
    const marks = '`'.repeat(longest + 1);
    return `${marks}${info}\n${text}\n${marks}`;
  };
  switch (action.kind) {
    case 'run':
      return fenced(action.shell, action.command);
    case 'write':
      return fenced(`ts path="${action.path}"${action.isExecutable ? ' executable' : ''}`, action.content.slice(0, -1));
    case 'patch':
      return fenced('diff', action.patch.slice(0, -1));
    case 'verify':
      return `verify: ${action.command}`;
    default: {
      const never: never = action;
      return never;
    }
  }
}

function indented(text: string, by: string): string {
  // Does not use ^ and $, because they also see a line end in U+2028, where Markdown sees none.
  const lines = text.split('\n');
  return lines.map((line) => (line === '' ? line : by + line)).join('\n');
}

function asNumbers({ title, steps }: Script): string {
  const leafText = ({ title, actions }: Script['steps'][number]['leaves'][number], index: number): string =>
    `${index + 1}. ${title}\n\n${indented(actions.map(printed).join('\n\n'), '   ')}\n`;
  return `# ${title}\n\n${steps
    .map((step, index) => `${index + 1}. ${step.title}\n\n${indented(step.leaves.map(leafText).join('\n'), '   ')}`)
    .join('\n')}`;
}

function asHeadings({ title, steps }: Script): string {
  return `# ${title}\n\n${steps
    .map(
      (step) =>
        `## ${step.title}\n\n${step.leaves.map((leaf) => `### ${leaf.title}\n\n${leaf.actions.map(printed).join('\n\n')}`).join('\n\n')}`,
    )
    .join('\n\n')}\n`;
}

function withoutLines(script: Script): Script {
  return JSON.parse(JSON.stringify(script, (key, value: unknown) => (key === 'line' ? 0 : value))) as Script;
}

describe('round trips', () => {
  test('a script printed as headings and read again is the same', () => {
    fc.assert(
      fc.property(script, (before) => {
        expect(withoutLines(parseScript(asHeadings(before)))).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  test('a script printed as nested numbers and read again is the same', () => {
    fc.assert(
      fc.property(script, (before) => {
        expect(withoutLines(parseScript(asNumbers(before)))).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  test('a prompt of any text is a script with something to run, or it is refused', () => {
    const piece = fc.oneof(
      textLine,
      fc.constantFrom('1. a', '   2. b', '- c', '## h', '### i', '```sh', '```diff', '    x', '> q', 'verify: x'),
      fc.constantFrom('[a]: b', '<a>', '<!--', '***', '\0', '\r', '\uFEFF', '\uD800', '   ```', '1. ```sh', '- 1. a'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (lines) => {
        const outcome = readingOf(lines.join('\n'));
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ScriptFault);
        else
          for (const step of outcome.steps)
            for (const { actions, title } of step.leaves) expect([title, actions.length]).not.toContain(0);
      }),
      { numRuns: 1_500 },
    );
  });

  test.each([
    ['quotes in quotes', '> '.repeat(20_000)],
    ['lists in lists', `${'- '.repeat(20_000)}a`],
    ['numbers in numbers', '1. '.repeat(20_000)],
    ['brackets', '['.repeat(50_000)],
    ['emphasis', '*a _'.repeat(20_000)],
    ['backticks', Array.from({ length: 600 }, (_, index) => '`'.repeat(index)).join(' ')],
    ['far too long', 'x'.repeat(600_000)],
  ])('%s without end are refused, and the thread is never blocked for long', async (_, prompt) => {
    const { outcome, longestMs } = await withLongestTick(plan(prompt));
    expect(outcome).toBeInstanceOf(AgentRefused);
    expect(longestMs).toBeLessThan(2_000);
  });

  test('a prompt that takes too long to read is refused without blocking the thread, and the next prompt is read', async () => {
    const impatient = createScriptAgent({ readingMs: 1_000 });
    const { outcome, longestMs } = await withLongestTick(plan('a\n-\n'.repeat(40_000), null, impatient));
    expect(outcome).toEqual(new AgentRefused('This prompt was not read within 1 s: make it shorter.'));
    expect(longestMs).toBeLessThan(500);
    expect(numberedTitles(await plan('verify: true'))).toEqual(['1 Verify true', '1.1 Verify true']);
  });
});

/**
 * The outcome, and the longest CPU time of this thread between two ticks. (The clock would also measure the rest of the
 * machine.)
 */
async function withLongestTick(planned: Promise<Plan>): Promise<{ outcome: unknown; longestMs: number }> {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const ticking = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }, 5);
  const outcome = await planned.catch((error: unknown) => error);
  clearInterval(ticking);
  return { outcome, longestMs };
}

test('the example in docs/runbooks.md is a script', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/runbooks.md'), 'utf8');
  const example = /^````markdown\n(.*?)^````$/ms.exec(page)?.[1];
  expect(numberedTitles(await plan(example ?? ''))).toContain('1.1 Write the script');
});
