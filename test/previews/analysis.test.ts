import { describe, expect, it } from 'vitest';
import { createAnalysis } from '../../src/platform/analysis/index.ts';
import type { AnalysisReport, AnalysisRequest } from '../../src/platform/analysis/port.ts';
import { checkFiles } from '../../src/platform/analysis/checks.ts';
import { cpuMsSince } from '../support/cpu.ts';
import { modelServer, type ModelReply, type ModelServer } from '../support/model-server.ts';

type Files = Readonly<Record<string, string>>;

interface Head {
  readonly base?: Files;
  readonly head: Files;
  readonly skill?: string;
  readonly signal?: AbortSignal;
}

/** Makes a request from the files at the base and at the head. Files that differ are the changed files. */
function request({ base = {}, head, skill, signal = new AbortController().signal }: Head): AnalysisRequest {
  const paths = [...new Set([...Object.keys(base), ...Object.keys(head)])].filter((path) => base[path] !== head[path]);
  return {
    title: 'Greet in the morning',
    head: 'b'.repeat(40),
    base: 'a'.repeat(40),
    changes: paths.map((path) => ({ path, mode: head[path] === undefined ? null : '100644' })),
    read: async ({ commit, path, maxBytes }) => {
      const text = (commit.startsWith('a') ? base : head)[path];
      return await Promise.resolve(text === undefined || text.length > maxBytes ? null : text);
    },
    skill: skill === undefined ? null : { path: '.service/verify/skills/default.md', text: skill },
    signal,
  };
}

async function analyse(head: Head): Promise<AnalysisReport> {
  return await createAnalysis({ review: null }).analyse(request(head));
}

const conflict = 'one\n<<<<<<< HEAD\nhello\n=======\ngood morning\n>>>>>>> topic\n';

describe('the analysis of changed files', () => {
  it.each([
    { path: 'package.json', text: '{\n  "name": "shop",\n}\n', line: 3, message: /not JSON/ },
    { path: 'deploy/app.yaml', text: 'a: 1\nb: [1, 2\nc: 3\n', line: 3, message: /not YAML/ },
    { path: '.github/workflows/ci.yml', text: 'on: push\nrun: ${{ a }}\n  b: c\n', line: 2, message: /not YAML/ },
    { path: 'src/greet.ts', text: 'const a: string = "hello";\nconst b = ;\n', line: 2, message: /cannot be parsed/ },
    { path: 'src/greet.mjs', text: 'export const a = () => {\n', line: null, message: /cannot be parsed/ },
    { path: 'schema.graphql', text: 'type Query {\n  greeting: \n}\n', line: 3, message: /Syntax Error/ },
    { path: 'greeting.txt', text: conflict, line: 2, message: /markers of a merge conflict/ },
    { path: 'src/crlf.ts', text: conflict.replaceAll('\n', '\r\n'), line: 2, message: /markers of a merge conflict/ },
    {
      path: '.service/verify/skills/default.md',
      text: '## Home\n\n- `GET /`\n- Frobnicate the page\n',
      line: 4,
      message: /cannot be used/,
    },
    { path: '.service/config.yml', text: 'merge_rules:\n  labels: {triger: go}\n', line: 2, message: /labels/ },
  ])('fails a head for a fault in $path', async ({ path, text, line, message }) => {
    const report = await analyse({ head: { [path]: text } });

    expect(report.verdict).toBe('failed');
    expect(report.findings[0]).toMatchObject({
      path,
      weight: 'failure',
      message: expect.stringMatching(message) as string,
    });
    if (line !== null) expect(report.findings[0]?.line).toBe(line);
    expect(report.summary).toMatch(/1 file was checked .* with [1-9]\d* failures?\./);
  });

  it.each([
    { path: 'package.json', text: '\u{FEFF}{"name": "shop"}\n' },
    { path: 'tsconfig.json', text: '{\n  // strict, of course\n  "compilerOptions": {"strict": true},\n}\n' },
    {
      path: 'chart/templates/app.yaml',
      text: 'name: {{ .Values.name }}\n{{- if .Values.more }}\nmore: true\n{{- end }}\n',
    },
    { path: 'all.yaml', text: 'a: 1\n---\nb: !custom 2\n' },
    {
      path: 'src/kind.ts',
      text: 'export enum Kind { A }\n@decorated class B { constructor(private readonly c: string) {} }\n',
    },
    { path: 'src/page.js', text: 'export const Page = () => <main>Hello</main>;\n' },
    { path: 'src/page.tsx', text: 'export const Page = () => <main>Hello</main>;\n' },
    { path: 'docs/guide.md', text: 'A heading\n=======\n\n<<<<<<< is how a conflict begins.\n' },
    { path: '.service/verify/skills/default.md', text: '## Home\n\n- `GET /`\n' },
    { path: 'logo.json', text: 'PK\0\0' },
    { path: 'greet.py', text: 'def greet(:\n' },
  ])('finds no fault in $path', async ({ path, text }) => {
    expect(await analyse({ head: { [path]: text } })).toMatchObject({ verdict: 'passed', findings: [] });
  });

  it('gives notes for the faults of a file that already had a fault at the base', async () => {
    const broken = '{"name": }\n';
    const report = await analyse({ base: { 'a.json': broken }, head: { 'a.json': `${broken}\n`, 'b.json': broken } });

    expect(report.verdict).toBe('failed');
    expect(report.findings.map(({ path, weight }) => [path, weight])).toEqual([
      ['a.json', 'note'],
      ['b.json', 'failure'],
    ]);
  });

  it('checks the skill file at the path that the configuration names', async () => {
    const of = request({ head: { 'docs/try.md': '## Home\n\n- `GET /`\n- Frobnicate the page\n' } });
    const analysis = createAnalysis({ review: null });

    expect(await analysis.analyse(of)).toMatchObject({ verdict: 'passed' });
    expect(await analysis.analyse({ ...of, skill: { path: 'docs/try.md', text: '' } })).toMatchObject({
      verdict: 'failed',
      findings: [{ path: 'docs/try.md', line: 4 }],
    });
  });

  it('does not check deleted files, and names files that are too large', async () => {
    const report = await analyse({
      base: { 'gone.json': '{' },
      head: { 'large.json': `{${' '.repeat(600_000)}`, 'small.json': '{}' },
    });

    expect(report).toMatchObject({ verdict: 'passed', findings: [], costMicros: 0 });
    expect(report.summary).toBe(
      '1 file was checked for syntax and conflict markers, with 0 failures. Larger than 512 KiB, and not checked: large.json.',
    );
  });

  it('does not follow the aliases of a YAML file', async () => {
    const lines = ['a0: &a0 [x, x]', ...Array.from({ length: 60 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)];
    expect(await analyse({ head: { 'bomb.yaml': `${lines.join('\n')}\n` } })).toMatchObject({ verdict: 'passed' });
  });

  const longMapping = (count: number): string => Array.from({ length: count }, (_, n) => `k${n}: 1\n`).join('');

  it('reads a YAML file of many keys, and finds a key that it has twice', async () => {
    const before = process.cpuUsage();
    expect(await analyse({ head: { 'long.yaml': longMapping(12_000) } })).toMatchObject({ verdict: 'passed' });
    expect(await analyse({ head: { 'long.yaml': `${longMapping(12_000)}k7: 2\n` } })).toMatchObject({
      verdict: 'failed',
      findings: [{ line: 12_001, message: 'This is not YAML: Map keys must be unique' }],
    });
    expect(cpuMsSince(before)).toBeLessThan(6_000);
  });

  it('names a file at which the parser fails, and finds the faults of the next file', async () => {
    const deep = `export const a = ${'('.repeat(10_000)}1${')'.repeat(10_000)};\n`;
    const report = await analyse({ head: { 'deep.ts': deep, 'fault.ts': 'const = = 1;\n' } });

    expect(report).toMatchObject({ verdict: 'failed', findings: [{ path: 'fault.ts' }] });
    expect(report.summary).toContain('Not checked, because the parser failed: deep.ts.');
  });

  it('leaves out and names a file that takes too long', async () => {
    expect(await checkFiles(request({ head: { 'long.yaml': longMapping(40_000) } }), 1)).toEqual({
      findings: [],
      fileCount: 0,
      leftOut: ['Not checked within 0.001 s: long.yaml.'],
    });
  });

  it.each([
    ['schema.graphql', `query { ${'a { '.repeat(30_000)}`],
    ['deep.json', '['.repeat(100_000)],
    ['deep.yaml', '['.repeat(20_000)],
  ])('finds a fault in %s, which is nested too deeply', async (path, text) => {
    expect(await analyse({ head: { [path]: text } })).toMatchObject({ verdict: 'failed' });
  });

  it('stops if its signal aborts', async () => {
    const working = analyse({ head: { 'a.json': '{}' }, signal: AbortSignal.abort(new Error('A newer head came.')) });
    await expect(working).rejects.toThrow('A newer head came.');
  });
});

describe('the review of a model', () => {
  const change: Head = {
    base: { 'greet.py': 'print("hello")\n', 'old.py': 'pass\n' },
    head: { 'greet.py': 'print("good morning"\n' },
    skill: '## Greeting\n\n- `GET /` answers 200\n',
  };
  const answer = {
    summary: 'It greets in the morning.',
    findings: [
      { path: 'greet.py', line: 1, message: 'The parenthesis is never closed.', weight: 'failure' },
      { path: 'elsewhere.py', line: null, message: 'Nobody changed this.', weight: 'failure' },
    ],
  };

  function analysisBy(server: ModelServer, budgetMicros = 500_000) {
    return createAnalysis({
      review: {
        budgetMicros,
        model: {
          provider: 'anthropic',
          model: 'some-model',
          apiKey: server.apiKey,
          baseUrl: server.baseUrl,
          prices: { input: 3, cachedInput: 0.3, output: 15 },
          contextTokens: 128_000,
        },
      },
    });
  }

  async function serverOf(reply: ModelReply): Promise<ModelServer> {
    return await modelServer(() => reply);
  }

  it('gets the changes and the skill file, and is added to the other findings', async () => {
    await using server = await serverOf({ calls: [{ name: 'submit_review', args: answer }] });

    const report = await analysisBy(server).analyse(
      request({ ...change, head: { ...change.head, 'package.json': '{' } }),
    );

    expect(report.verdict).toBe('failed');
    expect(report.findings.map(({ path, line }) => [path, line])).toEqual([
      ['package.json', 1],
      ['greet.py', 1],
    ]);
    expect(report.summary).toMatch(/with 1 failure\. It greets in the morning\.$/);
    expect(report.costMicros).toBe(600);
    const asked = server.requests[0]?.messages[0]?.text;
    expect(asked).toContain('-print("hello")\n+print("good morning"');
    expect(asked).toContain('--- old.py\n+++ (deleted)');
    expect(asked).toContain('`GET /` answers 200');
    expect(server.requests[0]?.tools.map(({ name }) => name)).toEqual(['submit_review']);
    expect(server.refusals).toEqual([]);
  });

  it('that has only notes passes a head', async () => {
    const findings = [{ path: 'greet.py', line: null, message: 'It could be shorter.', weight: 'note' }];
    await using server = await serverOf({ calls: [{ name: 'submit_review', args: { summary: 'Fine.', findings } }] });

    expect(await analysisBy(server).analyse(request(change))).toMatchObject({ verdict: 'passed', findings });
  });

  it.each([
    {
      why: 'refuses',
      reply: { status: 401, message: 'No.' },
      message: /No model reviewed the changes: .* answered 401: No\./,
    },
    {
      why: 'talks instead',
      reply: { text: 'Looks good to me!' },
      message: /No model reviewed the changes: .* times in a row/,
    },
    { why: 'answers nonsense', reply: { bytes: '<html></html>' }, message: /No model reviewed the changes: / },
  ])('does not hold a verification up if the model $why', async ({ reply, message }) => {
    await using server = await serverOf(reply);

    const report = await analysisBy(server).analyse(request(change));

    expect(report).toMatchObject({ verdict: 'passed', findings: [] });
    expect(report.summary).toMatch(message);
  });

  it('makes no request that its budget does not pay for', async () => {
    await using server = await serverOf({ calls: [{ name: 'submit_review', args: answer }] });

    const report = await analysisBy(server, 100).analyse(request(change));

    expect(report.summary).toMatch(/No model reviewed the changes: .*budget/);
    expect(server.requests).toEqual([]);
  });

  it('leaves out files that are too large, and names them', async () => {
    await using server = await serverOf({ calls: [{ name: 'submit_review', args: answer }] });
    const large = 'x = 1\n'.repeat(40_000);

    await analysisBy(server).analyse(request({ ...change, head: { ...change.head, 'a.py': large, 'b.bin': '\0' } }));

    const asked = server.requests[0]?.messages[0]?.text ?? '';
    expect(asked.length).toBeLessThan(20_000);
    expect(asked).toMatch(/too large to be shown:\n<data-\w+>\na\.py\nb\.bin\n/);
  });

  it('stops while the model answers', async () => {
    const stop = new AbortController();
    await using server = await modelServer(() => {
      stop.abort(new Error('A newer head came.'));
      return { hangs: true };
    });

    await expect(analysisBy(server).analyse(request({ ...change, signal: stop.signal }))).rejects.toThrow(
      'A newer head came.',
    );
  });
});
