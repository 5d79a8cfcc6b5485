// Runs Stryker on folders and files, and prints the mutants that no test found and the score of each file.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { SetupError, finish, root } from '../toolchain.mjs';

/** The tests for each source. These tests need no server. */
const testsOf = {
  'src/domain/queue/': 'test/domain/queue/!(cost|speculation.limits|glob).test.ts',
  'src/domain/events/signature.ts': 'test/domain/events/signature.test.ts',
  'src/modules/accounts/authorisation.ts': 'test/domain/accounts/authorisation.test.ts',
  'src/modules/proofs/keys.ts': 'test/queue/proof-signing.test.ts',
  'src/modules/proofs/signing.ts': 'test/queue/proof-signing.test.ts',
};
// Stryker copies only these parts of the project.
const copied = ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.mutation.config.ts'];
const cache = join('node_modules', '.cache', 'interlock');

function testsFor(source) {
  const found = Object.entries(testsOf).find(([sources]) => `${source}/`.startsWith(sources));
  if (found === undefined)
    throw new SetupError(
      `scripts/mutation/run.mjs names no tests for ${source}. It names tests for ${Object.keys(testsOf).join(', ')}.`,
    );
  return found[1];
}

function patternOf(source) {
  return statSync(join(root, withoutLines(source))).isDirectory() ? `${source}/**/*.ts` : source;
}

/** `file.ts:10-50` without its lines. */
function withoutLines(source) {
  return source.replace(/:[\d-]+$/, '');
}

/** @returns {any} */
function optionsFor(sources) {
  return {
    mutate: sources.map(patternOf),
    plugins: [fileURLToPath(new URL('kept-tests.mjs', import.meta.url))],
    testRunner: 'kept-tests',
    keptTests: [...new Set(sources.map((source) => testsFor(withoutLines(source))))],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // The slash means that only names in the root of the project are left out.
    ignorePatterns: readdirSync(root).flatMap((name) => (copied.includes(name) ? [] : [`/${name}`])),
    tempDirName: join(cache, 'stryker'),
    disableTypeChecks: false,
    reporters: ['json'],
    jsonReporter: { fileName: join(cache, 'mutation.json') },
    timeoutMS: 3_000,
    timeoutFactor: 4,
    logLevel: 'warn',
    // `keptTests` is an option of the plugin.
    warnings: { unknownOptions: false },
  };
}

const isFound = ({ status }) => status === 'Killed' || status === 'Timeout' || status === 'RuntimeError';

function scoreOf(results) {
  const found = results.filter(isFound).length;
  return `${((found / results.length) * 100).toFixed(1)} %: ${found} of ${results.length}`;
}

function describeMutant({ fileName, location: { start, end }, mutatorName, replacement, status }) {
  const lines = readFileSync(join(root, fileName), 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const [before, after] = [lines.join('\n'), replacement].map((text) => text.replace(/\s+/g, ' ').slice(0, 160));
  const reach = status === 'NoCoverage' ? 'no test reaches it, ' : '';
  return `${fileName}:${start.line}:${start.column} (${reach}${mutatorName})\n    ${before}\n  → ${after}`;
}

async function run(sources) {
  const startedAt = Date.now();
  const all = await new Stryker(optionsFor(sources)).runMutationTest();
  const results = all
    .filter(({ status }) => status !== 'Ignored' && status !== 'CompileError')
    .map((each) => ({ ...each, fileName: relative(root, each.fileName) }));
  for (const each of results) if (!isFound(each)) console.log(describeMutant(each));
  for (const [file, own] of [...Map.groupBy(results, ({ fileName }) => fileName)].toSorted())
    console.log(`${scoreOf(own)} in ${file}`);
  console.log(`${scoreOf(results)} mutants were found in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
  return 0;
}

process.chdir(root);
finish(run(process.argv.slice(2).map((source) => relative(root, source))));
