// The documented interface as tests read it: contract/*.yaml, transcribed by hand from the document itself.
import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';

/** A type (`date-time or null`), an object of them (`key?` for one that may be absent), or a list of one. */
export type Notation = string | readonly [Notation] | { readonly [key: string]: Notation };

export interface DocumentedOperation {
  readonly operation: string;
  /** Sections of docs/interface.md, divided by `;`. `4.3 pull_request.number` is the row that begins so. */
  readonly section: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly body?: Notation;
  /** Alternative bodies, by the value that distinguishes them. */
  readonly bodies?: Readonly<Record<string, Notation>>;
  /** Content type of a body that is text. */
  readonly text?: string;
  /** Content type of the answer, where it is not JSON. */
  readonly type?: string;
  readonly answers: Readonly<Record<string, Notation>>;
}

export interface Case {
  readonly name: string;
  readonly section: string;
  readonly request: string;
  /** What stands in the place of `{name}` in the path. */
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  /** The name of the token that the request has. Default: the token of the file's account. */
  readonly as?: string;
  /** The document of the OpenAPI document's operation that it is an example of. */
  readonly example?: string;
  readonly undocumented?: boolean;
  readonly status: number;
  readonly answer?: unknown;
  readonly 'answer-text'?: string;
  /** The answer is YAML of this value. */
  readonly yaml?: unknown;
  readonly 'answer-headers'?: Readonly<Record<string, string>>;
}

/** What a webhook carries; its `action` is one value. */
export interface DocumentedPayload {
  readonly section: string;
  readonly payload: Readonly<Record<string, Notation>>;
}

/** A test beside these cases that holds what they cannot show, by its file and its name. */
export interface Elsewhere {
  readonly section: string;
  readonly file: string;
  readonly test: string;
}

export interface Contract {
  readonly file: string;
  readonly section: string;
  /** The account whose repositories the cases use. Default: the first account. */
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

/** Puts the values of this run in the place of `$names`; a name no run gives stands for any value of its kind. */
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
