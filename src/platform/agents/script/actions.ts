// Reads one fenced block, or one `verify:` line, of a script as an action.
import type { Code } from 'mdast';
import { pathFault } from '../../../domain/runbooks/path.ts';
import { patchFault } from '../tools/patch.ts';
import type { Action } from './script.ts';

type Read = { readonly action: Action; readonly fault: '' } | { readonly action: null; readonly fault: string };

const expected = 'expected ```sh, ```bash or ```diff, or a fence that names its file, such as ```ts path=src/a.ts';

/** `source` is the text of the whole fenced block, with its fences. */
export function actionOf(code: Code, line: number, source: string): Read {
  if (!/^\s*(`{3,}|~{3,})/.test(source)) return fault(`this is code without a fence: ${expected}.`);
  if (!isClosed(source)) return fault('this fence is never closed.');
  const info = `${code.lang ?? ''} ${code.meta ?? ''}`.trim();
  const attributes = attributesOf(info);
  if (attributes === null) return fault(`"${info}" is not understood: ${expected}.`);
  if (attributes.path !== null) return writing(contentOf(code, source), line, attributes);
  const text = code.value;
  const language = (code.lang ?? '').toLowerCase();
  switch (language) {
    case 'sh':
    case 'shell':
    case 'bash':
      if (attributes.others.length > 0) return fault(`"${info}" is not understood: ${expected}.`);
      if (text.trim() === '') return fault('this fence is empty: expected a command.');
      return done({ kind: 'run', shell: language === 'bash' ? 'bash' : 'sh', command: text, line });
    case 'diff':
    case 'patch': {
      const wrong = patchFault(`${text}\n`);
      return wrong === null ? done({ kind: 'patch', patch: `${text}\n`, line }) : fault(wrong);
    }
    default:
      return fault(`a fence of ${info === '' ? 'no language' : JSON.stringify(info)} is not executed: ${expected}.`);
  }
}

interface Attributes {
  readonly path: string | null;
  readonly isExecutable: boolean;
  readonly others: readonly string[];
}

/**
 * Reads an info string such as `ts path=src/a.ts executable` or `path="with a space.txt"`. Null: a quote is not closed.
 */
function attributesOf(info: string): Attributes | null {
  const words: readonly string[] = info.match(/(?:[^\s"]|"[^"]*")+|"/g) ?? [];
  if (words.includes('"')) return null;
  const path = words.map((word) => /^path=(.*)$/s.exec(word)?.[1]).find((value) => value !== undefined);
  return {
    path: path === undefined ? null : path.replaceAll('"', ''),
    isExecutable: words.includes('executable'),
    others: words.slice(1).filter((word) => !word.startsWith('path=') && word !== 'executable'),
  };
}

function writing(content: string, line: number, { path, isExecutable, others }: Attributes): Read {
  const wrong = pathFault(path ?? '');
  if (wrong !== null) return fault(`path=${JSON.stringify(path)} ${wrong}.`);
  if (others.length > 0)
    return fault(`"${others.join(' ')}" is not understood behind a path: expected nothing, or executable.`);
  return done({ kind: 'write', path: path ?? '', content, isExecutable, line });
}

/**
 * The parser returns the same value for an empty fence and for a fence around one blank line. Only `source` shows the
 * difference.
 */
function contentOf({ value }: Code, source: string): string {
  return value === '' && source.split('\n').length === 2 ? '' : `${value}\n`;
}

/** Reads the lines `verify: <command>`. The command may be in backticks. */
export function verificationsIn(text: string, firstLine: number): readonly Action[] {
  return text.split('\n').flatMap((written, index): Action[] => {
    const command = /^\s*verify:(.*)$/i.exec(written)?.[1]?.trim();
    if (command === undefined || command === '') return [];
    const plain = /^`([^`]+)`\.?$/.exec(command)?.[1] ?? command;
    return [{ kind: 'verify', command: plain, line: firstLine + index }];
  });
}

// In Markdown the end of the text closes a fence. Without this check, a script that was cut off would be taken for a
// complete one.
function isClosed(source: string): boolean {
  const fence = /^\s*(`{3,}|~{3,})/.exec(source)?.[1] ?? '```';
  const last = (source.split('\n').at(-1) ?? '').trim();
  return source.includes('\n') && last.startsWith(fence) && last === fence.charAt(0).repeat(last.length);
}

function done(action: Action): Read {
  return { action, fault: '' };
}

function fault(message: string): Read {
  return { action: null, fault: message };
}
