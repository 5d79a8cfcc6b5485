// Examples of the OpenAPI document, recorded from the service while the cases of the contract ran. Values that differ
// between runs are replaced, so that the same service gives the same text.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { stringify } from 'yaml';
import { facadeDirectory } from '../../../rest-facade/documents.ts';

export const examplesFile = path.join(facadeDirectory, 'examples.yaml');

const header =
  '# Recorded from the cases of test/rest/contract that name an `example`: `npx vitest run test/rest/service.test.ts -u`.\n';

const instant = '2026-01-02T03:04:05.000Z';
const measured = { min: 12.5, avg: 31.402, p50: 20.25, p75: 44.125, p90: 80.5, p100: 92 };

export interface Example {
  /** Name of the operation's document. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly request: unknown;
  readonly status: number;
  readonly answer: unknown;
}

export class Examples {
  readonly #found = new Map<string, Map<string | number, unknown>>();
  readonly #commits = new Map<string, string>();
  readonly #today: string;

  constructor(today: string) {
    this.#today = today;
  }

  /** A refusal shows only its answer, because an accepted request already shows a valid request. */
  add({ operation, parameters, request, status, answer }: Example): void {
    const parts = this.#found.get(operation) ?? new Map<string | number, unknown>();
    this.#found.set(operation, parts);
    if (status < 400 && Object.keys(parameters).length > 0) parts.set('parameters', this.#settled(parameters));
    if (status < 400 && request !== undefined) parts.set('request', this.#settled(request));
    parts.set(status, this.#settled(answer));
  }

  text(): string {
    const rank = (part: string | number): number => (part === 'parameters' ? 0 : part === 'request' ? 1 : Number(part));
    const byName = new Map(
      [...this.#found]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, parts]) => [name, new Map([...parts].sort(([a], [b]) => rank(a) - rank(b)))]),
    );
    return header + stringify(byName, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  }

  #settled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#settled(each));
    if (typeof value === 'string') return this.#settledText(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        isTimed(key) && Array.isArray(each)
          ? each.map((day) => ({ ...(this.#settled(day) as object), ...measured }))
          : this.#settled(each),
      ]),
    );
  }

  #settledText(text: string): string {
    return text
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, instant)
      .replaceAll(this.#today, instant.slice(0, 10))
      .replaceAll(/\b[0-9a-f]{40}\b/g, (commit) => this.#commit(commit))
      .replaceAll(/\b[0-9a-f]{10}\b/g, (short) => this.#short(short));
  }

  /** The beginning of a commit that the run has made, as sentences show it. */
  #short(short: string): string {
    const [, known] = [...this.#commits].find(([commit]) => commit.startsWith(short)) ?? [];
    return known?.slice(0, short.length) ?? short;
  }

  /** A different id for each value, and the same ids in every run. */
  #commit(commit: string): string {
    const known = this.#commits.get(commit) ?? createHash('sha1').update(`commit ${this.#commits.size}`).digest('hex');
    this.#commits.set(commit, known);
    return known;
  }
}

/** Whether the numbers of a field are durations. */
function isTimed(key: string): boolean {
  return key === 'time_in_queue' || key === 'wait_times_to_queue';
}
