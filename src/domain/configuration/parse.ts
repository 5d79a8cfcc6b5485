import { editDistance } from '../edit-distance.ts';
import { childSchemas, elementSchema, listKeys } from './key.ts';
import type { KeyEntry } from './key.ts';
import { configurationSchema } from './keys.ts';
import type { Configuration } from './keys.ts';
import type { Problem } from './problem.ts';
import { maxProblems, readYaml } from './yaml-document.ts';
import type { YamlDocument } from './yaml-document.ts';
import type { z } from 'zod';

export type ParsedConfiguration =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: Problem[] };

const allKeys = listKeys(configurationSchema);

/** Parses a configuration (interface 2.6, 4.5). Reports all problems at once, in the order of the text. */
export function parseConfiguration(text: string): ParsedConfiguration {
  const reading = readYaml(text);
  if (!reading.ok) return { ok: false, problems: reading.problems };
  const { document } = reading;
  const parsed = configurationSchema.safeParse(document.value);
  const invalid = parsed.success ? [] : parsed.error.issues.flatMap((issue) => problemsOfIssue(issue, document));
  const unsupported = problemsOfUnsupported(document, invalid);
  if (parsed.success && unsupported.length === 0) return { ok: true, configuration: parsed.data };
  const problems = [
    ...unsupported,
    ...invalid.filter((problem) => !unsupported.some((other) => isWithin(problem.path, other.path))),
  ];
  return { ok: false, problems: problems.sort(byPlace).slice(0, maxProblems) };
}

function problemsOfIssue(
  issue: z.core.$ZodIssue,
  document: YamlDocument,
  base: readonly PropertyKey[] = [],
): Problem[] {
  const path = [...base, ...issue.path].map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxProblems).map((name) => unknownKey([...path, name], document));
  }
  if (issue.code === 'invalid_union') {
    // The value is a mapping, so the problems inside the mapping are reported instead of the list of alternatives.
    const issuesOfMapping = issue.errors.find((issues) =>
      issues.every((inner) => inner.path.length > 0 || inner.code === 'unrecognized_keys'),
    );
    if (issuesOfMapping)
      return issuesOfMapping.flatMap((inner) => problemsOfIssue(inner, document, [...base, ...issue.path]));
  }
  if (path.length === 0) {
    return [
      {
        path,
        reason: 'The configuration must be a mapping of keys',
        code: 'INVALID_VALUE',
        ...document.place(path, 'value'),
      },
    ];
  }
  const code = issue.message === 'is required' ? 'REQUIRED' : 'INVALID_VALUE';
  return [{ path, reason: issue.message, code, ...document.place(path, 'value') }];
}

function unknownKey(path: string[], document: YamlDocument): Problem {
  const nearest = nearestKey(path.at(-1) ?? '', siblingsOf(path), allKeys);
  const hint = nearest === null ? '' : `; the nearest known key is ${nearest}`;
  const reason = `is not a known key${hint}`;
  return { path, reason, code: 'UNKNOWN_KEY', nearestKey: nearest, ...document.place(path, 'key') };
}

function siblingsOf(path: readonly string[]): string[] {
  let schema: z.core.$ZodType | undefined | null = configurationSchema;
  for (const name of path.slice(0, -1)) schema = schema && (elementSchema(schema) ?? childSchemas(schema)[name]);
  return schema ? Object.keys(childSchemas(schema)) : [];
}

/**
 * A key that this version does not act on is never ignored: only values that describe what happens anyway are accepted.
 */
function problemsOfUnsupported(document: YamlDocument, invalid: readonly Problem[]): Problem[] {
  return allKeys.flatMap((entry) => {
    const value = valueAt(document.value, entry.path);
    if (value === undefined || entry.accepts === null || entry.accepts.some((accepted) => isSame(accepted, value)))
      return [];
    if (entry.supported && invalid.some((problem) => isWithin(problem.path, entry.path))) return [];
    const path = [...entry.path];
    return [{ path, reason: unsupportedReason(entry, value), code: 'NOT_SUPPORTED', ...document.place(path, 'value') }];
  });
}

function unsupportedReason(entry: KeyEntry, value: unknown): string {
  if (!entry.supported) return 'is not supported yet';
  return `${String(value)} is not supported yet, only ${entry.accepts?.join(' and ')}`;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined;
    inner = (inner as Record<string, unknown>)[name];
  }
  return inner;
}

function isSame(accepted: unknown, value: unknown): boolean {
  if (Array.isArray(accepted)) return Array.isArray(value) && accepted.length === 0 && value.length === 0;
  return accepted === value;
}

function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, depth) => path[depth] === name);
}

function byPlace(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

const longestKey = 100;

/**
 * The key that was probably meant: first an allowed key of the same mapping with almost the same spelling, then a key
 * with exactly this name in another mapping (with its whole path), then the key of the same mapping that differs least.
 * Null: no key is allowed here.
 */
function nearestKey(name: string, siblings: readonly string[], all: readonly KeyEntry[]): string | null {
  const spelling = name
    .slice(0, longestKey)
    .replaceAll(/(?<=[a-z])([A-Z])/g, '_$1')
    .replaceAll('-', '_')
    .toLowerCase();
  const ranked = siblings
    .map((key) => ({ key, distance: editDistance(spelling, key) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best && best.distance <= Math.max(1, Math.floor(best.key.length / 4))) return best.key;
  const elsewhere = all.find((entry) => entry.path.at(-1) === spelling);
  if (elsewhere) return elsewhere.path.join('.');
  return best?.key ?? null;
}
