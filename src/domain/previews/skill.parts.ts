// The parts of a request in a skill file: headers, body, expectations, captured values.
import { span, type Phrase } from './skill.phrases.ts';
import type { Capture, Expectation, SkillFault, TextTest } from './skill.ts';

export interface PartPhrase extends Phrase {
  /** The text of its code fence. */
  readonly fence: string | null;
}

export type RequestPart =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'body' }
  | { readonly kind: 'expect'; readonly expectation: Expectation }
  | { readonly kind: 'capture'; readonly capture: Capture };

const captureName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function readPart(phrase: PartPhrase): RequestPart | SkillFault {
  return (
    readHeader(phrase) ??
    readBody(phrase) ??
    readExpectation(phrase) ??
    readCapture(phrase) ?? {
      line: phrase.line,
      reason: `expected one of ${forms.join(', ')}; found "${phrase.text.slice(0, 80)}"`,
    }
  );
}

const forms = [
  'header `Name: value`',
  'body: with a code fence',
  'expect status 200',
  'expect status below 400',
  'expect header `Name` is|contains|matches `…`',
  'expect body contains|lacks|matches `…`',
  'expect json `/pointer` is `value`',
  'capture `name` from json `/pointer`, header `Name` or body `expression`',
];

function readHeader({ prose, spans }: Phrase): RequestPart | null {
  const [, name, value] = /^([!#$%&'*+.^_|~0-9A-Za-z-]+):[ \t]*(.*)$/s.exec(spans[0] ?? '') ?? [];
  if (prose !== `header ${span}` || name === undefined || value === undefined) return null;
  return { kind: 'header', name, value };
}

function readBody({ prose, fence }: PartPhrase): RequestPart | null {
  return prose === 'body' && fence !== null ? { kind: 'body' } : null;
}

function readExpectation(phrase: Phrase): RequestPart | null {
  const { line, text } = phrase;
  const expected = readStatus(phrase) ?? readText(phrase) ?? readJson(phrase);
  return expected === null ? null : { kind: 'expect', expectation: { line, text, ...expected } };
}

type Expected = Expectation extends infer One ? (One extends unknown ? Omit<One, 'line' | 'text'> : never) : never;

function readStatus({ prose, spans }: Phrase): Expected | null {
  const said = prose.replace(span, spans[0] ?? '');
  const [, exact, hundreds, below] = /^expect status (?:is )?(?:(\d{3})|(\d)xx|below (\d{3}))$/.exec(said) ?? [];
  if (exact !== undefined) return { of: 'status', least: Number(exact), most: Number(exact) };
  if (hundreds !== undefined) return { of: 'status', least: Number(hundreds) * 100, most: Number(hundreds) * 100 + 99 };
  return below === undefined ? null : { of: 'status', least: 100, most: Number(below) - 1 };
}

function readText({ prose, spans }: Phrase): Expected | null {
  const [first = '', second = ''] = spans;
  const body = kindIn(prose, `expect body (\\w+) ${span}`);
  if (body !== null) return { of: 'body', test: { kind: body, text: first } };
  const header = kindIn(prose, `expect header ${span} (\\w+) ${span}`);
  return header === null ? null : { of: 'header', name: first, test: { kind: header, text: second } };
}

function readJson({ prose, spans }: Phrase): Expected | null {
  const [pointer = '', value = ''] = spans;
  const kind = kindIn(prose, `expect json ${span} (\\w+) ${span}`);
  if (kind === null || !isPointer(pointer)) return null;
  if (kind !== 'is') return { of: 'json', pointer, test: { kind, text: value } };
  return { of: 'json', pointer, test: { kind: 'equals', value: jsonOrText(value) } };
}

function readCapture({ line, text, prose, spans }: Phrase): RequestPart | null {
  const [name = '', from = ''] = spans;
  if (!captureName.test(name)) return null;
  switch (prose) {
    case `capture ${span} from json ${span}`:
      return isPointer(from)
        ? { kind: 'capture', capture: { line, text, name, from: { of: 'json', pointer: from } } }
        : null;
    case `capture ${span} from header ${span}`:
      return { kind: 'capture', capture: { line, text, name, from: { of: 'header', name: from } } };
    case `capture ${span} from body ${span}`:
      return { kind: 'capture', capture: { line, text, name, from: { of: 'body', pattern: from } } };
    default:
      return null;
  }
}

const testKinds: Readonly<Record<string, TextTest['kind']>> = {
  is: 'is',
  equals: 'is',
  contains: 'contains',
  lacks: 'lacks',
  matches: 'matches',
};

function kindIn(prose: string, form: string): TextTest['kind'] | null {
  const said = new RegExp(`^${form}$`).exec(prose)?.[1];
  return said === undefined ? null : (testKinds[said] ?? null);
}

/** RFC 6901. */
function isPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
