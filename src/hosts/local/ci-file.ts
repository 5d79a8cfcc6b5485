// `.service/ci.yml`: `checks: {<name>: {run: <shell>, timeout: <seconds, or 90s, 10m, 1h>}}`, and `workflows` of the same
// form, which run for a commit only when they are asked for.
import { parseDocument } from 'yaml';

export const ciFilePath = '.service/ci.yml';
export const ciFileLimit = 64 * 1024;
/** The check that reports a file which cannot be read. */
export const ciFileCheck = 'ci';

export interface CiCheck {
  readonly name: string;
  readonly run: string;
  readonly timeoutSec: number;
}

export type CiFile =
  | { readonly kind: 'checks'; readonly checks: readonly CiCheck[]; readonly workflows: readonly CiCheck[] }
  /** Every reason, each with the path of what is wrong and the cure. */
  | { readonly kind: 'broken'; readonly reasons: readonly string[] };

const defaultTimeoutSec = 600;
const longestTimeoutSec = 6 * 3600;
const mostChecks = 50;

/** Null: there is no such file, hence no checks. */
export function parseCiFile(text: string | null): CiFile {
  if (text === null) return { kind: 'checks', checks: [], workflows: [] };
  const document = parseDocument(text, { uniqueKeys: true, logLevel: 'silent' });
  const syntax = document.errors[0];
  if (syntax !== undefined) return broken(`${ciFilePath}: ${syntax.message.split('\n')[0] ?? 'not valid YAML'}`);
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 0 });
  } catch {
    return broken(`${ciFilePath}: aliases (*name) are not supported; write the value out`);
  }
  if (!isMapping(content)) return broken(`${ciFilePath}: must be a mapping with the keys checks and workflows`);
  const unknown = Object.keys(content).filter((key) => key !== 'checks' && key !== 'workflows');
  if (unknown.length > 0)
    return broken(`${ciFilePath}: ${unknown.join(', ')}: unknown key; known are checks and workflows`);
  const reasons: string[] = [];
  const checks = parseEntries('checks', content['checks'], reasons);
  const workflows = parseEntries('workflows', content['workflows'], reasons);
  return reasons.length > 0 ? { kind: 'broken', reasons } : { kind: 'checks', checks, workflows };
}

function parseEntries(section: 'checks' | 'workflows', value: unknown, reasons: string[]): CiCheck[] {
  const entries = value ?? {};
  if (!isMapping(entries)) {
    reasons.push(`${section}: must be a mapping from a name to {run, timeout}`);
    return [];
  }
  const names = Object.keys(entries);
  if (names.length > mostChecks) {
    reasons.push(`${section}: ${names.length} are too many; at most ${mostChecks}`);
    return [];
  }
  return names.flatMap((name) => parseCheck(`${section} -> ${name}`, { name, entry: entries[name] }, reasons));
}

function parseCheck(
  at: string,
  { name, entry }: { readonly name: string; readonly entry: unknown },
  reasons: string[],
): CiCheck[] {
  const refuse = (reason: string): CiCheck[] => {
    reasons.push(reason);
    return [];
  };
  if (name.trim() === '' || name.length > 100 || /[\x00-\x1f]/.test(name))
    return refuse(`${at}: a name has 1 to 100 printable characters`);
  if (!isMapping(entry)) return refuse(`${at}: must be a mapping {run, timeout}`);
  const unknown = Object.keys(entry).filter((key) => key !== 'run' && key !== 'timeout');
  if (unknown.length > 0) return refuse(`${at} -> ${unknown[0]}: unknown key; known are run and timeout`);
  const run = entry['run'];
  if (typeof run !== 'string' || run.trim() === '') return refuse(`${at} -> run: must be a shell command`);
  const timeoutSec = parseTimeout(entry['timeout']);
  if (timeoutSec === null)
    return refuse(`${at} -> timeout: must be seconds, or a number with s, m or h, and at most 6h`);
  return [{ name, run, timeoutSec }];
}

function parseTimeout(value: unknown): number | null {
  if (value === undefined || value === null) return defaultTimeoutSec;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const [, amount, unit] = /^(\d{1,6})(s|m|h)?$/.exec(String(value)) ?? [];
  if (amount === undefined) return null;
  const seconds = Number(amount) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1);
  return seconds >= 1 && seconds <= longestTimeoutSec ? seconds : null;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function broken(reason: string): CiFile {
  return { kind: 'broken', reasons: [reason] };
}
