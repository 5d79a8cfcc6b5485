// Reads the contract: contract/*.yaml, transcribed by hand from docs/interface.md.
import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';

/** A type (`date-time or null`), an object of types (`key?` for an optional key), or a list with one type. */
export type Notation = string | readonly [Notation] | { readonly [key: string]: Notation };

export interface DocumentedOperation {
  readonly operation: string;
  /**
   * Sections of docs/interface.md, separated by `;`. `4.3 pull_request.number` is the row that begins with these words.
   */
  readonly section: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly body?: Notation;
  /** Alternative bodies, by the value that distinguishes them. */
  readonly bodies?: Readonly<Record<string, Notation>>;
  /** The content type of a text body. */
  readonly text?: string;
  /** The content type of the answer, if it is not JSON. */
  readonly type?: string;
  readonly answers: Readonly<Record<string, Notation>>;
}

export interface Case {
  readonly name: string;
  readonly section: string;
  readonly request: string;
  /** The values of `{name}` in the path. */
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  /** The name of the token for the request. The default is the token of the file's account. */
  readonly as?: string;
  /** The name of the GraphQL document, if this case is an example of its operation. */
  readonly example?: string;
  readonly undocumented?: boolean;
  readonly status: number;
  readonly answer?: unknown;
  readonly 'answer-text'?: string;
  /** The answer is YAML of this value. */
  readonly yaml?: unknown;
  readonly 'answer-headers'?: Readonly<Record<string, string>>;
}

/** The content of a webhook. Its `action` is a single value. */
export interface DocumentedPayload {
  readonly section: string;
  readonly payload: Readonly<Record<string, Notation>>;
}

/** A test in another file that tests what these cases cannot, by its file and its title. */
export interface Elsewhere {
  readonly section: string;
  readonly file: string;
  readonly test: string;
}

export interface Contract {
  readonly file: string;
  readonly section: string;
  /** The account whose repositories the cases use. The default is the first account. */
  readonly account?: string;
  readonly operations: readonly DocumentedOperation[];
  readonly cases: readonly Case[];
  readonly payloads: readonly DocumentedPayload[];
  readonly elsewhere: readonly Elsewhere[];
}

export function loadContracts(): Contract[] {
  return readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({
      operations: [],
      cases: [],
      payloads: [],
      elsewhere: [],
      ...(parse(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'), { merge: true }) as Pick<Contract, 'section'>),
      file,
    }));
}

/** Replaces `$names` by the values of this run. A name without a value matches any value of its kind. */
export function fill(given: unknown, names: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(given)) return given.map((each) => fill(each, names));
  if (typeof given === 'object' && given !== null) {
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, fill(value, names)]));
  }
  if (typeof given !== 'string' || !given.startsWith('$')) return given;
  const name = given.slice(1);
  if (!Object.hasOwn(names, name)) throw new Error(`Nothing is called ${given}`);
  return names[name];
}
