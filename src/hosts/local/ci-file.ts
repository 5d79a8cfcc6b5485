// Parses `.service/ci.yml`: `checks: {<name>: {run: <shell>, timeout: <seconds, or 90s, 10m, 1h>}}`. `workflows` has
// the same form and also the names of `inputs`, such as `inputs: [version]`. A workflow runs for a commit only when it
// is started by name.
import { LineCounter, parseDocument } from 'yaml';
import { duplicateKeys } from '../../domain/configuration/index.ts';
import { plainLine } from '../../domain/plain-text.ts';
import { isServiceCheck } from '../../domain/queue/evidence/service-checks.ts';
import { maxInputs } from '../port.ts';

export const ciFilePath = '.service/ci.yml';
export const ciFileLimit = 64 * 1024;
/** The name of the check that fails if the file cannot be read. */
export const ciFileCheck = 'ci';

export interface CiCheck {
  readonly name: string;
  readonly run: string;
  readonly timeoutSec: number;
}

export interface CiWorkflow extends CiCheck {
  /** The names of the inputs that the workflow declares. */
  readonly inputs: readonly string[];
}

export type CiFile =
  | { readonly kind: 'checks'; readonly checks: readonly CiCheck[]; readonly workflows: readonly CiWorkflow[] }
  /**
   * Every error of the file. Each text has the path in the file, and says what to do about the error. It is one line
   * without control characters.
   */
  | { readonly kind: 'broken'; readonly reasons: readonly string[] };

const defaultTimeoutSec = 600;
const longestTimeoutSec = 6 * 3600;
const maxChecks = 50;

/** Null: the file is missing, and there are no checks. */
export function parseCiFile(text: string | null): CiFile {
  if (text === null) return { kind: 'checks', checks: [], workflows: [] };
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', lineCounter });
  const syntax = document.errors[0];
  if (syntax !== undefined) return broken(`${ciFilePath}: ${syntax.message.split('\n')[0] ?? 'not valid YAML'}`);
  const twice = duplicateKeys(document)[0];
  if (twice !== undefined) {
    const { line, col } = lineCounter.linePos(twice.range?.[0] ?? 0);
    return broken(`${ciFilePath}: Map keys must be unique at line ${line}, column ${col}`);
  }
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
  const checks = parseEntries('checks', content['checks'], reasons).map(({ inputs: _none, ...check }) => check);
  const workflows = parseEntries('workflows', content['workflows'], reasons);
  return reasons.length > 0 ? broken(...reasons) : { kind: 'checks', checks, workflows };
}

function parseEntries(section: 'checks' | 'workflows', value: unknown, reasons: string[]): CiWorkflow[] {
  const entries = value ?? {};
  if (!isMapping(entries)) {
    reasons.push(`${section}: must be a mapping from a name to {run, timeout}`);
    return [];
  }
  const names = Object.keys(entries);
  if (names.length > maxChecks) {
    reasons.push(`${section}: ${names.length} are too many; at most ${maxChecks}`);
    return [];
  }
  const known = section === 'checks' ? ['run', 'timeout'] : ['run', 'timeout', 'inputs'];
  return names.flatMap((name) => parseEntry(`${section} -> ${name}`, { name, entry: entries[name], known }, reasons));
}

function parseEntry(
  at: string,
  { name, entry, known }: { readonly name: string; readonly entry: unknown; readonly known: readonly string[] },
  reasons: string[],
): CiWorkflow[] {
  const refuse = (reason: string): CiWorkflow[] => {
    reasons.push(reason);
    return [];
  };
  if (name.trim() === '' || name.length > 100 || /\p{Cc}/u.test(name))
    return refuse(`${at}: a name has 1 to 100 printable characters`);
  if (isServiceCheck(name))
    return refuse(`${at}: names that begin with interlock/ are reserved for the service; choose another name`);
  if (!isMapping(entry)) return refuse(`${at}: must be a mapping {${known.join(', ')}}`);
  const unknown = Object.keys(entry).find((key) => !known.includes(key));
  if (unknown !== undefined)
    return refuse(`${at} -> ${unknown}: unknown key; known are ${known.slice(0, -1).join(', ')} and ${known.at(-1)}`);
  const run = entry['run'];
  if (typeof run !== 'string' || run.trim() === '') return refuse(`${at} -> run: must be a shell command`);
  const timeoutSec = parseTimeout(entry['timeout']);
  if (timeoutSec === null)
    return refuse(`${at} -> timeout: must be seconds, or a number with s, m or h, and at most 6h`);
  const inputs = parseInputs(entry['inputs']);
  if (inputs === null)
    return refuse(
      `${at} -> inputs: must list at most ${maxInputs} different names of letters, digits, _ and -, not beginning with a digit`,
    );
  return [{ name, run, timeoutSec, inputs }];
}

function parseInputs(value: unknown): string[] | null {
  const inputs: unknown = value ?? [];
  if (!Array.isArray(inputs) || inputs.length > maxInputs) return null;
  const names = inputs.filter((name) => typeof name === 'string' && /^[A-Za-z_][\w-]{0,99}$/.test(name)) as string[];
  // Inputs become environment variables. Two names that differ only in case or in `-` and `_` would be the same
  // variable.
  return names.length === inputs.length && new Set(names.map(inputVariable)).size === names.length ? names : null;
}

/** The environment variable in which a run receives an input. */
export function inputVariable(name: string): string {
  return `INPUT_${name.toUpperCase().replaceAll('-', '_')}`;
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

function broken(...reasons: readonly string[]): CiFile {
  return { kind: 'broken', reasons: reasons.map(plainLine) };
}
