// The allowed names and content of a preview image. The sandbox decides whether it can be booted.
import { DomainError } from '../errors.ts';
import type { PreviewImageKind } from './preview.ts';

const longestCommand = 65_536;

const rules = {
  docker: {
    pattern: /^[A-Za-z0-9][\w.:/@-]{0,499}$/,
    must: "must be an image's reference, such as registry.example.com/web:1",
  },
  directory: {
    pattern: /^\/(?!.*(^|\/)\.\.(\/|$))[^\p{Cc}]{0,999}$/u,
    must: 'must be an absolute path, without ..',
  },
  command: { pattern: /\S/, must: 'must be a command' },
} as const satisfies Record<PreviewImageKind, { readonly pattern: RegExp; readonly must: string }>;

export function requireImageName(name: string): string {
  if (/^[^\s\p{Cc}]{1,200}$/u.test(name)) return name;
  throw new DomainError('BAD_INPUT', 'name must be 1 to 200 characters without white space', 'name');
}

export function requireImageSource(kind: PreviewImageKind, source: string): string {
  const { pattern, must } = rules[kind];
  if (!pattern.test(source) || source.length > longestCommand)
    throw new DomainError('BAD_INPUT', `source ${must}`, 'source');
  return source;
}
