// Checks the syntax of a file, in the language that its name says. Only languages that Interlock has a parser for are
// checked, because a false finding is worse than no finding.
import { stripTypeScriptTypes } from 'node:module';
import { GraphQLError, parse as parseGraphql } from 'graphql';
import { LineCounter, parseAllDocuments } from 'yaml';
import { duplicateKeys, parseConfiguration, problemText } from '../../domain/configuration/index.ts';
import { parseSkill } from '../../domain/previews/skill.parse.ts';

export interface Fault {
  /** Counted from 1. Null: the fault is about the whole file. */
  readonly line: number | null;
  readonly message: string;
}

interface Language {
  readonly name: string;
  readonly paths: RegExp;
  readonly except?: RegExp;
  check(text: string): readonly Fault[];
}

const languages: readonly Language[] = [
  { name: "Interlock's configuration", paths: /^\.service\/config\.ya?ml$/, check: checkConfiguration },
  { name: 'a skill', paths: /^\.service\/verify\/skills\/[^/]+\.md$/, check: checkSkill },
  {
    name: 'JSON',
    paths: /\.(?:json|webmanifest|geojson)$/i,
    // The programs that read these files allow comments in them.
    except:
      /(?:^|\/)(?:[tj]sconfig[^/]*|\.?eslintrc|\.?babelrc|\.?swcrc|devcontainer|\.vscode\/[^/]*|biome|deno)\.json$/i,
    check: checkJson,
  },
  { name: 'YAML', paths: /\.ya?ml$/i, check: checkYaml },
  { name: 'TypeScript', paths: /\.[mc]?ts$/i, check: checkTypeScript },
  { name: 'JavaScript', paths: /\.[mc]?js$/i, check: checkJavaScript },
  { name: 'GraphQL', paths: /\.(?:graphql|graphqls|gql)$/i, check: checkGraphql },
];

export function languageOf(path: string): Language | null {
  return languages.find(({ paths, except }) => paths.test(path) && except?.test(path) !== true) ?? null;
}

function checkConfiguration(text: string): readonly Fault[] {
  const parsed = parseConfiguration(text);
  return parsed.ok ? [] : parsed.problems.map((problem) => ({ line: problem.line, message: problemText(problem) }));
}

export function checkSkill(text: string): readonly Fault[] {
  const parsed = parseSkill(text);
  return parsed.ok
    ? []
    : parsed.faults.map(({ line, reason }) => ({ line, message: `This skill file cannot be used: ${reason}` }));
}

function checkJson(text: string): readonly Fault[] {
  try {
    JSON.parse(text.replace(/^\u{FEFF}/u, ''));
    return [];
  } catch (error) {
    const message = (error as Error).message;
    return [{ line: numberIn(/line (\d+) column/, message), message: `This is not JSON: ${message}` }];
  }
}

/** A YAML file with template syntax is not checked, because the output of the template is unknown. */
const template = /(?<!\$)\{\{|\{%/;

function checkYaml(text: string): readonly Fault[] {
  if (template.test(text)) return [];
  const lineCounter = new LineCounter();
  const options = { lineCounter, logLevel: 'silent', prettyErrors: false, uniqueKeys: false } as const;
  const documents = [...parseAllDocuments(text, options)];
  const fault = (offset: number, message: string): Fault => ({
    line: lineCounter.linePos(offset).line,
    message: `This is not YAML: ${message}`,
  });
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) return errors.map(({ pos, message }) => fault(pos[0], message));
  return documents.flatMap(duplicateKeys).map(({ range }) => fault(range?.[0] ?? 0, 'Map keys must be unique'));
}

function checkTypeScript(text: string): readonly Fault[] {
  try {
    stripTypeScriptTypes(text);
    return [];
  } catch (error) {
    const { code, message, stack } = error as NodeJS.ErrnoException;
    // Node cannot erase some syntax, such as enums. Such a file is valid TypeScript.
    if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return [];
    // After any other error, such as one for a file that is nested too deeply, Node's parser answers no other call of
    // the thread.
    if (code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX') throw new Error(`The parser failed: ${message}`, { cause: error });
    return [{ line: numberIn(/^[^\n]*:(\d+)\n/, stack ?? ''), message: `This cannot be parsed: ${message}` }];
  }
}

/** JSX and Flow types are not checked, because only the project's build tools can parse them. */
const extended = /<\/|\/>|@flow/;

function checkJavaScript(text: string): readonly Fault[] {
  return extended.test(text) ? [] : checkTypeScript(text);
}

function checkGraphql(text: string): readonly Fault[] {
  try {
    parseGraphql(text, { noLocation: true, maxTokens: 100_000 });
    return [];
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return [{ line: error.locations?.[0]?.line ?? null, message: error.message }];
  }
}

function numberIn(pattern: RegExp, text: string): number | null {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
