import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { captureFrom, violationOf, type Answer } from '../../../src/domain/previews/expect.ts';
import { judgeSteps } from '../../../src/domain/previews/judge.ts';
import { parseSkill } from '../../../src/domain/previews/skill.parse.ts';
import type { Scenario } from '../../../src/domain/previews/skill.ts';
import { ValueMissing, withValues } from '../../../src/domain/previews/values.ts';
import { cpuMsSince } from '../../support/cpu.ts';

function scenariosOf(text: string): readonly Scenario[] {
  const parsed = parseSkill(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.skill.scenarios;
}

function faultsOf(text: string): string[] {
  const parsed = parseSkill(text);
  return parsed.ok ? [] : parsed.faults.map(({ line, reason }) => `${line}: ${reason}`);
}

const shop = `# Shop

Anybody can buy. These are prose:

## An order

preview: storefront

1. \`POST /orders\`
   - header \`Content-Type: application/json\`
   - body:
     \`\`\`json
     {"token": "{{secret.TOKEN}}"}
     \`\`\`
   - expect status 201
   - expect header \`Location\` matches \`^/orders/\\d+$\`
   - expect body lacks \`error\`
   - expect json \`/order/lines\` is \`2\`
   - capture \`order\` from json \`/order/id\`
2. \`GET /orders/{{order}}\`

## A visitor

- open \`/\`
- fill \`Email\` with \`ada@example.test\`
- choose \`Blue\` in \`Colour\`
- press \`Enter\`
- click button \`Sign in\`
- click \`Continue\`
- expect text \`Hello\`
- expect no text \`Error\`
- expect heading \`Orders\`
- expect title \`Shop\`
- expect address \`/orders\`
`;

describe('a skill file', () => {
  it('has scenarios with requests and actions of a visitor, in order', () => {
    const [order, visitor] = scenariosOf(shop);
    expect(order).toMatchObject({ name: 'An order', preview: 'storefront' });
    expect(order?.steps).toMatchObject([
      {
        kind: 'request',
        line: 9,
        method: 'POST',
        path: '/orders',
        headers: [['Content-Type', 'application/json']],
        body: '{"token": "{{secret.TOKEN}}"}',
        expectations: [
          { of: 'status', least: 201, most: 201 },
          { of: 'header', name: 'Location', test: { kind: 'matches', text: String.raw`^/orders/\d+$` } },
          { of: 'body', test: { kind: 'lacks', text: 'error' } },
          { of: 'json', pointer: '/order/lines', test: { kind: 'equals', value: 2 } },
        ],
        captures: [{ name: 'order', from: { of: 'json', pointer: '/order/id' } }],
      },
      { kind: 'request', method: 'GET', path: '/orders/{{order}}', expectations: [] },
    ]);
    expect(visitor).toMatchObject({ name: 'A visitor', preview: null });
    expect(visitor?.steps.map((step) => (step.kind === 'browser' ? step.act : step.kind))).toEqual([
      'open',
      'fill',
      'choose',
      'press',
      'click',
      'click',
      'expect_text',
      'expect_text',
      'expect_role',
      'expect_title',
      'expect_address',
    ]);
  });

  it('without headings of the second level is one scenario with the name of its title', () => {
    expect(scenariosOf('# Shop\n\n- `GET /`\n')).toMatchObject([{ name: 'Shop', steps: [{ path: '/' }] }]);
  });

  it('may have lists for people before its first scenario', () => {
    expect(scenariosOf('# Shop\n\n- for people\n\n## Home\n\n- `GET /`\n')).toHaveLength(1);
  });

  it.each([
    ['an unknown step', '## A\n\n- look around\n', /^3: expected a request such as/],
    ['a request without a path', '## A\n\n- `GET home`\n', /^3: expected a request/],
    ['another method than those of HTTP', '## A\n\n- `FETCH /`\n', /^3: expected a request/],
    ['an unknown part of a request', '## A\n\n- `GET /`\n  - expect happiness\n', /^4: expected one of/],
    [
      'parts of a step that has no parts',
      '## A\n\n- open `/`\n  - expect status 200\n',
      /^4: expected no items below this item/,
    ],
    ['an invalid expression', '## A\n\n- `GET /`\n  - expect body matches `(`\n', /^4: the expression must be/],
    ['an invalid pointer', '## A\n\n- `GET /`\n  - expect json `a/b` is `1`\n', /^4: expected one of/],
    ['no step at all', '# A\n\nwords\n', /^1: expected a scenario with a step/],
    ['too many steps', `## A\n\n${'- `GET /`\n'.repeat(201)}`, /^1: expected at most 200 steps/],
    ['too many scenarios', '## A\n\n- `GET /`\n\n'.repeat(51), /^1: expected at most 50 scenarios/],
  ])('is refused with the line for %s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(fault)]);
  });

  it('is understood or refused, whatever its text', () => {
    const piece = fc.constantFrom(
      '## ',
      '- ',
      '  - ',
      '`GET /`',
      '`',
      'expect json ',
      '`/a~0`',
      ' is ',
      '\n',
      '```',
      'open ',
      'capture ',
      '□',
      'x',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
        (text) => {
          const parsed = parseSkill(text);
          expect(parsed.ok ? parsed.skill.scenarios.length : parsed.faults.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('is read in time, even if it is meant to be slow', () => {
    const before = process.cpuUsage();
    faultsOf(`## A\n\n- \`GET /\`\n  - expect json \`${'/a'.repeat(20_000)}~\` is \`1\`\n`);
    faultsOf(`## A\n\n${'> '.repeat(2_000)}x\n`);
    expect(cpuMsSince(before)).toBeLessThan(5_000);
  });
});

const answer: Answer = {
  hide: (text) => text,
  status: 200,
  header: (name) => (name.toLowerCase() === 'x-kind' ? 'shop' : null),
  body: '{"a": {"b/c": [1, "two", {"d": null}]}}',
};

function firstOf(part: string): Parameters<typeof violationOf>[0] {
  const [scenario] = scenariosOf(`## A\n\n- \`GET /\`\n  - ${part}\n`);
  const [step] = scenario?.steps ?? [];
  const [expectation] = step?.kind === 'request' ? step.expectations : [];
  if (expectation === undefined) throw new Error(`There is no expectation in ${part}.`);
  return expectation;
}

describe('an answer', () => {
  it.each([
    'expect status 200',
    'expect status `2xx`',
    'expect status below 300',
    'expect header `X-Kind` is `shop`',
    'expect header `X-Kind` contains `ho`',
    'expect header `X-Other` lacks `a`',
    'expect body contains `two`',
    'expect body matches `"b/c":\\s*\\[`',
    'expect json `/a/b~1c/0` is `1`',
    'expect json `/a/b~1c/1` is `two`',
    'expect json `/a/b~1c/2` is `{"d": null}`',
    'expect json `/a/b~1c/1` matches `^tw`',
  ])('fulfils: %s', (part) => {
    expect(violationOf(firstOf(part), answer)).toBeNull();
  });

  it.each([
    ['expect status 404', 'The status was 200.'],
    ['expect header `X-Kind` is `bank`', 'The header was: shop'],
    ['expect header `X-Other` is `a`', 'There was no header X-Other.'],
    ['expect body lacks `two`', 'The body begins:'],
    ['expect json `/a/b~1c/0` is `"1"`', 'It was: 1'],
    ['expect json `/a/x` is `1`', 'The JSON has nothing at /a/x.'],
    ['expect json `/__proto__` is `1`', 'The JSON has nothing at /__proto__.'],
  ])('does not fulfil "%s", and the message says what was seen', (part, message) => {
    expect(violationOf(firstOf(part), answer)).toContain(message);
  });

  it('gives the captured value, or the reason why there is none', () => {
    const of = { line: 1, text: '', name: 'x' };
    expect(captureFrom({ ...of, from: { of: 'json', pointer: '/a/b~1c/1' } }, answer)).toEqual({ value: 'two' });
    expect(captureFrom({ ...of, from: { of: 'body', pattern: '"(t\\w+)"' } }, answer)).toEqual({ value: 'two' });
    expect(captureFrom({ ...of, from: { of: 'header', name: 'x-none' } }, answer)).toEqual({
      fault: 'There was no header x-none.',
    });
  });
});

describe('an expression', () => {
  const of = { line: 1, text: '', name: 'x' };

  it('is searched only in as much of an answer as can be searched quickly', () => {
    const slow = `(?:[ab]?){900}[xyz]{2}`;
    const before = process.cpuUsage();
    const long = { ...answer, body: 'ab'.repeat(2 * 1024 * 1024) };
    expect(captureFrom({ ...of, from: { of: 'body', pattern: slow } }, long)).toHaveProperty('fault');
    // Without the limit, this takes minutes.
    expect(cpuMsSince(before)).toBeLessThan(20_000);
    const simple = captureFrom(
      { ...of, from: { of: 'body', pattern: 'x(.)' } },
      { ...answer, body: `${'a'.repeat(100_000)}xy` },
    );
    expect(simple).toEqual({ value: 'y' });
  });

  it('has at most 1000 characters', () => {
    expect(() => captureFrom({ ...of, from: { of: 'body', pattern: 'a'.repeat(1_001) } }, answer)).toThrow(
      'An expression has at most 1000 characters.',
    );
  });
});

it('values replace their names, and a missing value is reported with its source', () => {
  const values = { captured: new Map([['id', '7']]), secrets: { TOKEN: 's' } };
  expect(withValues('/{{id}}/{{ secret.TOKEN }}/{id}', values)).toBe('/7/s/{id}');
  expect(() => withValues('{{other}}', values)).toThrow(
    new ValueMissing('There is no value other: capture it in an earlier request.'),
  );
  expect(() => withValues('{{secret.toString}}', values)).toThrow(ValueMissing);
});

describe('a run', () => {
  const step = (conclusion: 'passed' | 'failed' | 'skipped') => ({ scenario: 'Home', step: 'GET /', conclusion });
  it.each([
    ['has passed if its steps passed', [step('passed'), step('skipped')], 'passed', '1 step passed, 1 step skipped.'],
    [
      'has failed after one failure',
      [step('passed'), step('failed'), step('skipped')],
      'failed',
      'Home: GET / failed.',
    ],
    [
      'proves nothing if no step was carried out',
      [step('skipped')],
      'error',
      'No step could be carried out, so nothing is proven.',
    ],
  ] as const)('%s', (_, steps, verdict, summary) => {
    expect(judgeSteps(steps)).toEqual({ verdict, summary });
  });
});
