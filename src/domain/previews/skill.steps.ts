// The steps a skill file may have.
import { span, type Phrase } from './skill.phrases.ts';
import {
  clickableRoles,
  type BrowserAct,
  type ClickableRole,
  type RequestStep,
  type BrowserStep,
  type SkillFault,
} from './skill.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function readStep(phrase: Phrase): RequestStep | BrowserStep | SkillFault {
  const { line, text } = phrase;
  const request = readRequest(phrase);
  if (request !== null) return request;
  const act = readAct(phrase);
  if (act !== null) return { kind: 'browser', line, text, ...act };
  return {
    line,
    reason: `expected a request such as "\`GET /path\`", or one of the browser's steps: ${browserForms.join(', ')}; found "${text.slice(0, 80)}"`,
  };
}

/** Listed in the message about a step that is not understood. */
const browserForms = [
  'open `/path`',
  'click button `Name`',
  'click `text`',
  'fill `Label` with `value`',
  'choose `option` in `Label`',
  'press `Key`',
  'expect text `…`',
  'expect no text `…`',
  'expect heading `…`',
  'expect title `…`',
  'expect address `/path`',
];

function readRequest({ line, text, prose, spans }: Phrase): RequestStep | null {
  if (prose !== span && prose !== `request ${span}`) return null;
  const [method = '', path, ...more] = (spans[0] ?? '').split(' ');
  if (!methods.includes(method) || path === undefined || !path.startsWith('/') || more.length > 0) return null;
  return { kind: 'request', line, text, method, path, headers: [], body: null, expectations: [], captures: [] };
}

function readAct({ prose, spans }: Phrase): BrowserAct | null {
  const [first = '', second = ''] = spans;
  const role = roleIn(prose);
  switch (prose) {
    case `open ${span}`:
      return first.startsWith('/') ? { act: 'open', path: first } : null;
    case `click ${span}`:
    case `click text ${span}`:
      return { act: 'click', role: null, name: first };
    case `fill ${span} with ${span}`:
      return { act: 'fill', label: first, value: second };
    case `choose ${span} in ${span}`:
      return { act: 'choose', label: second, option: first };
    case `press ${span}`:
      return { act: 'press', key: first };
    case `expect text ${span}`:
      return { act: 'expect_text', shown: first, isThere: true };
    case `expect no text ${span}`:
      return { act: 'expect_text', shown: first, isThere: false };
    case `expect heading ${span}`:
      return { act: 'expect_role', role: 'heading', name: first };
    case `expect title ${span}`:
      return { act: 'expect_title', shown: first };
    case `expect address ${span}`:
      return { act: 'expect_address', path: first };
    case `click ${role} ${span}`:
    case `click the ${role} ${span}`:
      return role === null ? null : { act: 'click', role, name: first };
    case `expect ${role} ${span}`:
      return role === null ? null : { act: 'expect_role', role, name: first };
    default:
      return null;
  }
}

function roleIn(prose: string): ClickableRole | null {
  return clickableRoles.find((role) => prose.endsWith(` ${role} ${span}`)) ?? null;
}
