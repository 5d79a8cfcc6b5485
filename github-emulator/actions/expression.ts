// Expressions of workflow files: contexts, literals, comparisons, and the functions that conditions commonly use. An
// expression that the emulator cannot evaluate is an error of the workflow file, and never silently false.

export type Value = string | number | boolean | null | { readonly [key: string]: Value };
export interface Scope {
  readonly contexts: Readonly<Record<string, Value>>;
  /** The combined result of the earlier jobs or steps, for success(), failure() and cancelled(). */
  readonly status: 'success' | 'failure' | 'cancelled';
}

export class ExpressionError extends Error {}

const tokenPattern =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<number>-?\d+(?:\.\d+)?)|(?<name>[A-Za-z_][\w-]*)|(?<symbol>&&|\|\||==|!=|<=|>=|[!<>().,[\]]))/y;

interface Token {
  readonly kind: 'text' | 'number' | 'name' | 'symbol';
  readonly text: string;
}

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  const end = source.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const at = tokenPattern.lastIndex;
    const groups = tokenPattern.exec(source)?.groups;
    if (groups === undefined) throw new ExpressionError(`Unexpected symbol: '${source.slice(at).trim()}' in ${source}`);
    for (const kind of ['text', 'number', 'name', 'symbol'] as const) {
      const text = groups[kind];
      if (text !== undefined) tokens.push({ kind, text });
    }
  }
  return tokens;
}

const isTruthy = (value: Value): boolean => value !== null && value !== false && value !== '' && value !== 0;

function toText(value: Value): string {
  if (value === null) return '';
  return typeof value === 'object' ? 'Object' : String(value);
}

function toNumber(value: Value): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'object') return Number.NaN;
  return typeof value === 'string' && value.trim() === '' ? 0 : Number(value);
}

// Strings are compared without their case. Values of different types are compared as numbers.
function isEqual(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase();
  return typeof a === typeof b && typeof a !== 'object' ? a === b : toNumber(a) === toNumber(b);
}

function call(name: string, args: readonly Value[], status: Scope['status']): Value {
  const [first = null, second = null] = args;
  const [text, part] = [toText(first).toLowerCase(), toText(second).toLowerCase()];
  switch (name.toLowerCase()) {
    case 'startswith':
      return text.startsWith(part);
    case 'endswith':
      return text.endsWith(part);
    case 'contains':
      return text.includes(part);
    case 'format':
      return toText(first).replace(/\{(\d+)\}/g, (_, index: string) => toText(args[Number(index) + 1] ?? null));
    case 'always':
      return true;
    case 'success':
      return status === 'success';
    case 'failure':
      return status === 'failure';
    case 'cancelled':
      return status === 'cancelled';
    default:
      throw new ExpressionError(`The emulator has no function ${name}().`);
  }
}

/**
 * A recursive descent parser, which evaluates while it parses. It begins with the operator of the lowest precedence.
 */
function parse(tokens: readonly Token[], scope: Scope): Value {
  let at = 0;
  const take = (symbol: string): boolean => {
    const taken = tokens[at]?.kind === 'symbol' && tokens[at]?.text === symbol;
    if (taken) at += 1;
    return taken;
  };
  const expect = (symbol: string): void => {
    if (!take(symbol)) throw new ExpressionError(`Expected '${symbol}' before '${tokens[at]?.text ?? 'the end'}'.`);
  };
  const or = (): Value => {
    let left = and();
    while (take('||')) {
      const right = and();
      left = isTruthy(left) ? left : right;
    }
    return left;
  };
  const and = (): Value => {
    let left = comparison();
    while (take('&&')) {
      const right = comparison();
      left = isTruthy(left) ? right : left;
    }
    return left;
  };
  const comparison = (): Value => {
    const left = unary();
    if (take('==')) return isEqual(left, unary());
    if (take('!=')) return !isEqual(left, unary());
    if (take('<=')) return toNumber(left) <= toNumber(unary());
    if (take('>=')) return toNumber(left) >= toNumber(unary());
    if (take('<')) return toNumber(left) < toNumber(unary());
    return take('>') ? toNumber(left) > toNumber(unary()) : left;
  };
  const unary = (): Value => (take('!') ? !isTruthy(unary()) : postfix(primary()));
  const postfix = (value: Value): Value => {
    if (take('.')) return postfix(member(value, tokens[at++]?.text ?? ''));
    if (!take('[')) return value;
    const key = or();
    expect(']');
    return postfix(member(value, toText(key)));
  };
  const primary = (): Value => {
    if (take('(')) {
      const inner = or();
      expect(')');
      return inner;
    }
    const token = tokens[at++];
    if (token?.kind === 'text') return token.text.slice(1, -1).replaceAll("''", "'");
    if (token?.kind === 'number') return Number(token.text);
    if (token?.kind !== 'name') throw new ExpressionError(`Unexpected '${token?.text ?? 'end of expression'}'.`);
    if (take('(')) return call(token.text, argumentsOf(), scope.status);
    return named(token.text);
  };
  const argumentsOf = (): Value[] => {
    const values: Value[] = [];
    while (!take(')')) {
      if (values.length > 0) expect(',');
      values.push(or());
    }
    return values;
  };
  const named = (name: string): Value => {
    if (name === 'true' || name === 'false') return name === 'true';
    if (name === 'null') return null;
    const context = scope.contexts[name.toLowerCase()];
    if (context === undefined) throw new ExpressionError(`Unrecognized named-value: '${name}'.`);
    return context;
  };
  const value = or();
  if (at < tokens.length) throw new ExpressionError(`Unexpected symbol: '${tokens[at]?.text}'.`);
  return value;
}

const member = (value: Value, key: string): Value =>
  (typeof value === 'object' && value !== null ? value[key] : null) ?? null;

export const evaluate = (source: string, scope: Scope): Value => parse(tokenize(source), scope);

/** Replaces each `${{ … }}` of a text. */
export function interpolate(text: string, scope: Scope): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, source: string) => toText(evaluate(source, scope)));
}

const statusFunction = /\b(?:always|success|failure|cancelled)\s*\(/i;

/** Evaluates a condition. A condition without a status function is true only if all earlier jobs or steps succeeded. */
export function evaluateCondition(condition: string | null, scope: Scope): boolean {
  const source = condition?.replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1') ?? 'success()';
  const holds = isTruthy(evaluate(source, scope));
  return statusFunction.test(source) ? holds : holds && scope.status === 'success';
}
