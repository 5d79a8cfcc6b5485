// Every fenced block of the documentation is run, validated or parsed, and the target of every link exists. Blocks of
// shell are either part of a walk-through, which test/docs/walk-through.test.ts runs, or call npm, which is checked
// here.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Ajv } from 'ajv';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseConfiguration } from '../../src/domain/configuration/index.ts';
import { parseSkill } from '../../src/domain/previews/skill.parse.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { InvalidWorkflow, parseWorkflow } from '../../github-emulator/actions/workflow-file.ts';
import { parseCiFile } from '../../src/hosts/local/ci-file.ts';
import { invariantNames, invariants } from '../../src/domain/health/invariants.ts';
import { verificationMoves } from '../../src/domain/previews/verification.status.ts';
import { deploymentMoves } from '../../src/domain/releases/deployment.status.ts';
import { stepMoves } from '../../src/domain/runbooks/steps.ts';
import { parseScript } from '../../src/platform/agents/script/parse.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { type Block, listPages, readPage } from './pages.ts';
import { drawMoves, drawStateDiagram } from './state-diagram.ts';
import { isWalkThrough } from './walk-throughs.ts';

const pages = listPages();
const blocks = pages.flatMap((page) =>
  page.blocks.map((block) => ({ ...block, path: page.path, where: `${page.path}:${block.line}` })),
);
const inLanguage = (...languages: string[]) => blocks.filter((block) => languages.includes(block.language));

describe('links', () => {
  it.each(pages.map((page) => [page.path, page] as const))(
    'of %s lead to files and headings that exist',
    (path, page) => {
      const broken = page.links.filter((link) => !leadsSomewhere(path, link));
      expect(broken).toEqual([]);
    },
  );
});

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : normalize(join(dirname(path), file));
  const absolute = join(projectRoot, target);
  if (target.startsWith('..') || !existsSync(absolute)) return false;
  if (anchor === undefined) return true;
  return statSync(absolute).isFile() && target.endsWith('.md') && readPage(target).anchors.includes(anchor);
}

describe('fenced blocks', () => {
  it('name a known language', () => {
    const known = ['sh', 'graphql', 'yaml', 'json', 'mermaid', 'text', 'ts', 'sql', 'markdown'];
    expect(blocks.filter((block) => !known.includes(block.language)).map((block) => block.where)).toEqual([]);
  });

  it('of SQL are only in docs/operations.md, from where test/docs/sql.test.ts runs them', () => {
    expect([...new Set(inLanguage('sql').map((block) => block.path))]).toEqual(['docs/operations.md']);
  });

  it.each(inLanguage('markdown').map((block) => [block.where, block] as const))(
    'of Markdown are scripts of runbooks, or skill files of previews: %s',
    (_, block) => {
      if (block.path === 'docs/previews.md') expect(parseSkill(block.text)).toMatchObject({ ok: true });
      else expect(parseScript(block.text).steps.length).toBeGreaterThan(0);
    },
  );

  it.each(inLanguage('graphql').map((block) => [block.where, block] as const))(
    'of GraphQL are valid: %s',
    (_, block) => {
      expect(validate(interlockSchema(), parse(block.text)).map((error) => error.message)).toEqual([]);
    },
  );

  it.each(inLanguage('json').map((block) => [block.where, block] as const))('of JSON are JSON: %s', (_, block) => {
    expect(() => JSON.parse(block.text) as unknown).not.toThrow();
  });

  it.each(inLanguage('yaml').map((block) => [block.where, block] as const))(
    'of YAML are a configuration, a file of checks, a workflow of GitHub or values of the chart: %s',
    (_, block) => {
      const faults = block.path === 'docs/install-on-a-cluster.md' ? faultsOfValues : faultsOfYaml;
      expect(faults(block.text)).toEqual([]);
    },
  );

  it.each(inLanguage('ts').map((block) => [block.where, block] as const))(
    'of TypeScript are copies of code in the sources: %s',
    (_, block) => {
      const [first = '', ...rest] = block.text.split('\n');
      const path = /^\/\/ (\S+)$/.exec(first)?.[1];
      expect(path).toBeDefined();
      expect(withoutIndent(readFileSync(join(projectRoot, path ?? ''), 'utf8'))).toContain(
        withoutIndent(rest.join('\n')),
      );
    },
  );

  it.each(
    inLanguage('sh')
      .filter((block) => !isWalkThrough(block.path, block))
      .map((block) => [block.where, block] as const),
  )('of shell outside of a walk-through call scripts and flags that exist: %s', (_, block) => {
    expect(faultsOfCommands(block)).toEqual([]);
  });
});

function withoutIndent(text: string): string {
  return text.replaceAll(/^ +/gm, '');
}

function faultsOfYaml(text: string): readonly string[] {
  if (/^checks:/m.test(text)) {
    const file = parseCiFile(text);
    return file.kind === 'broken' ? file.reasons : [];
  }
  if (/^jobs:/m.test(text)) return faultsOfWorkflow(text);
  const reading = parseConfiguration(text);
  return reading.ok ? [] : reading.problems.map((problem) => `${problem.path.join(' -> ')}: ${problem.reason}`);
}

/** Helm merges these values into the defaults, so each required value may be missing. */
function faultsOfValues(text: string): string[] {
  const schema = JSON.parse(
    readFileSync(join(projectRoot, 'deploy/chart/values.schema.json'), 'utf8'),
    (key, value: unknown) => (key === 'required' ? undefined : value),
  ) as object;
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  ajv.validate(schema, parseYaml(text));
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Parses a workflow. test/hosts/github/workflows.test.ts runs the workflows. */
function faultsOfWorkflow(text: string): string[] {
  try {
    parseWorkflow('.github/workflows/docs.yml', text);
    return [];
  } catch (error) {
    if (error instanceof InvalidWorkflow) return [error.message];
    throw error;
  }
}

const scripts = (
  JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts;
const programs: Readonly<Record<string, string>> = {
  start: 'src/main.ts',
  verify: 'src/verify.ts',
  doctor: 'src/doctor.ts',
  import: 'src/import.ts',
  recover: 'src/recover.ts',
  backup: 'src/backup.ts',
  restore: 'src/restore.ts',
  export: 'src/export.ts',
  simulate: 'src/simulate.ts',
  bench: 'bench/main.ts',
  test: 'scripts/test.mjs',
};

/**
 * Finds scripts, flags, test files and settings that do not exist in calls of `npm start`, `npm test`, `npm run
 * <script>` and `npx vitest run <path>`, and in `export`.
 */
function faultsOfCommands({ text }: Block): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const vitest = /^npx vitest run (\S+)/.exec(line)?.[1];
      if (vitest !== undefined) return existsSync(join(projectRoot, vitest)) ? [] : [`${vitest} does not exist`];
      if (line.startsWith('export ')) return faultsOfSettings(line);
      const command = /^npm (?:(start|test)|run (?:-s )?([\w:-]+))(?: -- (.*))?$/.exec(line);
      if (command === null) return [`neither run nor checked: ${line}`];
      const script = command[1] ?? command[2] ?? '';
      if (!(script in scripts)) return [`there is no script ${script}`];
      return faultsOfArguments(script, command[3] ?? '');
    });
}

function faultsOfSettings(line: string): string[] {
  const names = [...line.matchAll(/ ([A-Z][A-Z_]*)=\S+/g)].map((match) => match[1] ?? '');
  const described = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
  return names.filter((name) => !described.includes(`\`${name}\``)).map((name) => `docs/operations.md has no ${name}`);
}

function faultsOfArguments(script: string, text: string): string[] {
  const flags = [...text.matchAll(/(?:^|\s)(--[\w-]+)/g)].map((match) => match[1] ?? '');
  if (script === 'test' && flags.length === 0)
    return text === '' || existsSync(join(projectRoot, text)) ? [] : [`${text} does not exist`];
  if (flags.length === 0) return [];
  const program = programs[script];
  const source = program === undefined ? '' : readFileSync(join(projectRoot, program), 'utf8');
  return flags.filter((flag) => !source.includes(`'${flag}`)).map((flag) => `npm run ${script} has no ${flag}`);
}

it('ARCHITECTURE.md shows the same statuses as the tables of transitions', () => {
  const diagrams = readPage('ARCHITECTURE.md').blocks.filter((block) => block.language === 'mermaid');
  expect(diagrams.map((block) => block.text)).toEqual([
    drawStateDiagram(),
    drawMoves(deploymentMoves, 'pending'),
    drawMoves(stepMoves, 'not_started'),
    drawMoves(verificationMoves, 'pending'),
  ]);
});

it('docs/operations.md lists all flags and variables of npm start', () => {
  const source = readFileSync(join(projectRoot, 'src/main.ts'), 'utf8');
  const declared = [...source.matchAll(/'(--[\w-]+)(?: [^']*)?',\s*'/g)].map((match) => match[1] ?? '');
  const variables = [...source.matchAll(/\.env\(\s*'(\w+)'/g)].map((match) => match[1] ?? '');
  const operations = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
  expect(declared.length).toBeGreaterThan(5);
  expect(variables.length).toBeGreaterThan(3);
  expect(
    [...declared.filter((flag) => flag !== '--demo'), ...variables].filter((word) => !operations.includes(`\`${word}`)),
  ).toEqual([]);
});

it('docs/operations.md lists the invariants with the sentences of the doctor, and their number', () => {
  const operations = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8');
  const section = operations.split('\n## Invariants\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name, sentence]) => [name, sentence]);
  expect(rows).toEqual(invariantNames.map((name) => [name, invariants[name].sentence]));
  const isLiveness = invariantNames.map((name) => invariants[name].kind === 'liveness');
  expect(isLiveness.slice(-5)).toEqual([true, true, true, true, true]);
  expect([isLiveness.length, isLiveness.filter(Boolean).length]).toEqual([20, 5]);
  expect(section).toContain('Twenty rules');
  expect(section).toContain('The last five rules say that work goes on');
});
