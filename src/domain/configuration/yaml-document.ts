// Reads YAML as plain values, with the line and column of every key. YAML features that a configuration does not need
// are refused: aliases, tags, duplicate keys, keys that are not text, and texts that take long to parse.
import { isAlias, isMap, isPair, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit } from 'yaml';
import type { Document, Node, Pair, YAMLParseError, YAMLWarning } from 'yaml';
import { duplicateKeys } from './duplicate-keys.ts';
import type { Problem, ProblemCode } from './problem.ts';

export const largestConfigurationBytes = 256 * 1024;
const maxTokens = 50_000;
const deepestFlow = 50;
export const maxProblems = 100;
const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface Place {
  readonly line: number | null;
  readonly column: number | null;
}

export interface YamlDocument {
  /** A key without a value (`batch_size:`) is undefined: it counts as absent, but an unknown name is still refused. */
  readonly value: unknown;
  /** The line and column of the path, or of the nearest existing mapping around it. */
  place(path: readonly string[], at: 'key' | 'value'): Place;
}

type Reading =
  | { readonly ok: true; readonly document: YamlDocument }
  | { readonly ok: false; readonly problems: Problem[] };

export function readYaml(text: string): Reading {
  const refusal = findExcess(text);
  if (refusal !== null) return { ok: false, problems: [refusal] };
  const unprintable = text.search(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\p{Surrogate}/u);
  if (unprintable >= 0) return { ok: false, problems: [unprintableAt(text, unprintable)] };
  const lines = new LineCounter();
  // `faultsOf` reports duplicate keys.
  // With the log level 'silent', a text with several documents would be read without an error.
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const broken = document.errors[0] ?? document.warnings[0];
  if (broken) {
    const place = placeAt(lines, broken.pos[0]);
    const reason = `The document is not valid YAML at line ${place.line}, column ${place.column}: ${brokenText(broken)}`;
    return { ok: false, problems: [{ path: [], reason, code: 'INVALID_YAML', ...place }] };
  }
  const faults = faultsOf(document, lines);
  if (faults.length > 0) return { ok: false, problems: faults };
  const value = withoutNulls(document.toJS({ maxAliasCount: 0 }));
  return { ok: true, document: { value, place: (path, at) => placeOf(document, lines, { path, at }) } };
}

/**
 * Parsing costs up to a second per 256 KiB of brackets, and deep nesting exhausts the stack. So tokens and depth are
 * counted before parsing.
 */
function findExcess(text: string): Problem | null {
  const nowhere = { path: [], line: null, column: null };
  if (text.length > largestConfigurationBytes || Buffer.byteLength(text) > largestConfigurationBytes) {
    return { ...nowhere, reason: 'The configuration is larger than 256 KiB', code: 'TOO_LARGE' };
  }
  let tokens = 0;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (tokens > maxTokens) return { ...nowhere, reason: 'The configuration has too many values', code: 'TOO_LARGE' };
    if (depth > deepestFlow) return { ...nowhere, reason: 'The configuration is nested too deeply', code: 'TOO_LARGE' };
  }
  return null;
}

/** YAML forbids these characters, but the parser accepts them in comments. PostgreSQL cannot store a NUL. */
function unprintableAt(text: string, offset: number): Problem {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  const reason = `The document is not valid YAML at line ${place.line}, column ${place.column}: control characters are not allowed`;
  return { path: [], reason, code: 'INVALID_YAML', ...place };
}

function brokenText(broken: YAMLParseError | YAMLWarning): string {
  if (broken.code === 'MULTIPLE_DOCS') return 'a configuration is a single document';
  if (broken.code === 'TAG_RESOLVE_FAILED') return 'tags are not allowed';
  return broken.message.includes('call stack') ? 'nested too deeply' : broken.message;
}

function faultsOf(document: Document.Parsed, lines: LineCounter): Problem[] {
  const faults: Problem[] = [];
  const duplicates = new Set(duplicateKeys(document));
  const fault = (node: Node, path: string[], reason: string, code: ProblemCode) =>
    faults.push({ path, reason, code, ...placeAt(lines, node.range?.[0] ?? 0) });
  visit(document, {
    Node(_, node, ancestors) {
      if (faults.length >= maxProblems) return visit.BREAK;
      if (isAlias(node)) fault(node, pathOf(ancestors), 'aliases are not allowed: write the value out', 'INVALID_YAML');
      return undefined;
    },
    Pair(_, pair, ancestors) {
      const keyNode = pair.key as Node;
      if (isAlias(keyNode)) return undefined;
      const name = isScalar(keyNode) ? keyNode.value : undefined;
      if (typeof name !== 'string') {
        fault(keyNode, pathOf(ancestors), 'keys must be text: put them in quotes', 'KEY_NOT_ALLOWED');
        return visit.SKIP;
      }
      if (unsafeKeys.has(name))
        fault(keyNode, [...pathOf(ancestors), name], 'is not allowed as a key', 'KEY_NOT_ALLOWED');
      if (duplicates.has(keyNode)) fault(keyNode, [...pathOf(ancestors), name], 'is given twice', 'DUPLICATE_KEY');
      return undefined;
    },
  });
  return faults.slice(0, maxProblems);
}

function pathOf(ancestors: readonly unknown[]): string[] {
  return ancestors.flatMap((ancestor, depth) => {
    if (isPair(ancestor)) return [String((ancestor as Pair<Node>).key)];
    const below = ancestors[depth + 1];
    return isSeq(ancestor) && below !== undefined ? [String(ancestor.items.indexOf(below))] : [];
  });
}

function placeOf(
  document: Document.Parsed,
  lines: LineCounter,
  { path, at }: { readonly path: readonly string[]; readonly at: 'key' | 'value' },
): Place {
  let node: unknown = document.contents;
  let offset = offsetOf(node) ?? 0;
  for (const [depth, name] of path.entries()) {
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(
        (candidate) => isScalar(candidate.key) && candidate.key.value === name,
      );
      if (!pair) break;
      const isLast = depth === path.length - 1;
      node = pair.value;
      offset = (isLast && at === 'key' ? null : offsetOf(node)) ?? offsetOf(pair.key) ?? offset;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = offsetOf(node) ?? offset;
    } else break;
  }
  return placeAt(lines, offset);
}

function offsetOf(node: unknown): number | null {
  return (node as Node | null | undefined)?.range?.[0] ?? null;
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === null ? undefined : withoutNulls(member)]),
  );
}
