// Configurations to read, from usual ones to damaged ones, and a judgement of each reading.
import { fc } from '../../support/properties.ts';
import { parse, stringify } from 'yaml';
import { configurationSchema, parseConfiguration, problemText } from '../../../src/domain/configuration/index.ts';
import type { Configuration, ParsedConfiguration, Problem } from '../../../src/domain/configuration/index.ts';
import { listKeys } from '../../../src/domain/configuration/key.ts';
import { keyTable } from './keys.table.ts';
import { cpuMsSince } from '../../support/cpu.ts';

/** The most CPU that one reading may take, in ms. */
export const slowestMs = 50;
const names = [...new Set(listKeys(configurationSchema).flatMap((entry) => entry.path))];
const hostile = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '<<', '', 'a b', '0', 'näme'];

/** Some keys of the table with accepted or refused values, some of which are distorted. */
const choices = fc.array(
  fc.constantFrom(...keyTable).chain((row) =>
    fc.record({
      path: fc.constant(row.key.split('.')),
      value: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...row.accepts, null) },
        { weight: 1, arbitrary: fc.constantFrom(...row.refuses.map(([value]) => value), null) },
        { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
      ),
      renamed: fc.option(fc.constantFrom(...names, ...hostile), { freq: 100, nil: null }),
    }),
  ),
  { maxLength: 12 },
);

function documentOf(picked: readonly { path: string[]; value: unknown; renamed: string | null }[]): string {
  const root: Record<string, unknown> = { merge_rules: { labels: { trigger: 'mergequeue' } } };
  for (const { path, value, renamed } of picked) {
    let group: Record<string, unknown> = root;
    for (const name of path.slice(0, -1)) {
      const inner = Object.hasOwn(group, name) ? group[name] : undefined;
      if (typeof inner !== 'object' || inner === null)
        Object.defineProperty(group, name, { value: {}, enumerable: true, configurable: true, writable: true });
      group = group[name] as Record<string, unknown>;
    }
    const name = renamed ?? path.at(-1) ?? '';
    // A later path may reach into the value, which other tests share through the table of keys.
    const own = structuredClone(value);
    Object.defineProperty(group, name, { value: own, enumerable: true, configurable: true, writable: true });
  }
  return stringify(root, { aliasDuplicateObjects: false });
}

/** The text with a few changed characters. Most results are broken YAML, some are another document. */
const mutated = fc
  .tuple(
    choices.map(documentOf),
    fc.array(
      fc.record({
        at: fc.nat(4000),
        drop: fc.nat(6),
        put: fc.constantFrom(
          '',
          ' ',
          '\n',
          ':',
          '- ',
          '{',
          '}',
          '[',
          ']',
          '&a ',
          '*a',
          '!t ',
          '"',
          "'",
          '|',
          '>',
          '#',
          '%',
          '\t',
          '\u0000',
          '\ufeff',
          '💥',
          '\r',
          '? ',
          '---\n',
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce(
      (edited, { at, drop, put }) =>
        edited.slice(0, at % (edited.length + 1)) + put + edited.slice((at % (edited.length + 1)) + drop),
      text,
    ),
  );

/** Documents in YAML: some keys, some of them with refused values or names. */
export const documents = choices.map(documentOf);

/** Any text at all. */
const anyText = fc.string({ unit: 'binary', maxLength: 300 });

/** Most are configurations that a user could write. The others are damaged. */
export const texts = fc.oneof(
  { weight: 6, arbitrary: documents },
  { weight: 3, arbitrary: mutated },
  { weight: 1, arbitrary: anyText },
);

export interface Judgement {
  readonly isAccepted: boolean;
  /** The CPU that the reading took, in ms. */
  readonly costMs: number;
  readonly faults: readonly string[];
}

export function judge(text: string): Judgement {
  const { parsed, costMs } = measure(text);
  const faults = [
    costMs < slowestMs ? [] : [`took ${costMs.toFixed(0)} ms`],
    Object.keys(Object.prototype).length === 0 && !('polluted' in {}) ? [] : ['a prototype was touched'],
    parsed.ok ? changesOf(text, parsed.configuration) : faultsOfProblems(text, parsed.problems),
  ].flat();
  return { isAccepted: parsed.ok, costMs, faults };
}

// Pauses of the garbage collector are not the fault of a text. So a slow text is read again, and its best time counts.
function measure(text: string): { readonly parsed: ParsedConfiguration; readonly costMs: number } {
  let best = Infinity;
  for (let attempt = 1; ; attempt += 1) {
    const before = process.cpuUsage();
    const parsed = parseConfiguration(text);
    best = Math.min(best, cpuMsSince(before));
    if (best < slowestMs || attempt === 5) return { parsed, costMs: best };
  }
}

/** Accepted configurations must mean the same when they are written again, as given and with defaults. */
function changesOf(text: string, configuration: Configuration): string[] {
  const written = { 'as given': parse(text) as unknown, 'with defaults': configuration };
  return Object.entries(written).flatMap(([how, value]) => {
    const again = stringify(value, { aliasDuplicateObjects: false });
    // The text is unchanged.
    if (again === text) return [];
    const read = parseConfiguration(again);
    return read.ok && JSON.stringify(read.configuration) === JSON.stringify(configuration)
      ? []
      : [`written again ${how} it means another thing`];
  });
}

function faultsOfProblems(text: string, problems: readonly Problem[]): string[] {
  const lines = text.split(/\r\n|\n|\r/).length;
  const faults = problems.flatMap((problem) => [
    /undefined|\[object|expected .* received/i.test(problemText(problem)) ? [`unclear: ${problemText(problem)}`] : [],
    (problem.line ?? 1) <= lines + 1 ? [] : [`line ${problem.line} of ${lines}`],
  ]);
  return [...faults.flat(), ...(problems.length === 0 ? ['refused without a reason'] : [])];
}
