import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { mergeRules } from '../../../src/domain/configuration/merge-rules.keys.ts';
import {
  botTitle,
  coauthorsOf,
  cutBody,
  groupMessage,
  ownMessage,
  rewriteTitle,
  stackMessage,
  withCoauthors,
  type MessageRules,
  type MessageSource,
} from '../../../src/domain/queue/requests/message.ts';
import { strategyContradiction, strategyOf } from '../../../src/domain/queue/landing/merge-strategy.ts';
import { cpuMsSince } from '../../support/cpu.ts';

const defaults = mergeRules.parse({ labels: { trigger: 'mergequeue' } });

function rules(changes: Partial<MessageRules> = {}): MessageRules {
  return { ...defaults.merge_commit, ...changes };
}

function source(changes: Partial<MessageSource> = {}): MessageSource {
  return { number: 7, title: 'Sell tea', body: 'By the cup.', mergeTitle: null, mergeBody: null, ...changes };
}

const rule = (changes: Partial<MessageRules['apply_title_regexes'][number]>) => ({
  pattern: 'a',
  replace: 'b',
  applies_to: 'both' as const,
  match_type: 'string' as const,
  ...changes,
});

describe('the message of a pull request', () => {
  it.each<[string, Partial<MessageSource>, Partial<MessageRules>, string]>([
    ['is its title and body', {}, {}, 'Sell tea (#7)\n\nBy the cup.\n'],
    ['has no body if the pull request has none', { body: ' \n' }, {}, 'Sell tea (#7)\n'],
    ["is git's own, without title and body", {}, { use_title_and_body: false }, 'Merge pull request #7\n'],
    [
      'is that of the request, whatever the rules',
      { mergeTitle: 'As asked', mergeBody: 'a <!-- b -->' },
      { strip_html_comments: true, cut_body_before: 'a', apply_title_regexes: [rule({ pattern: 'As' })] },
      'As asked\n\na <!-- b -->\n',
    ],
    ['has only the title of the request', { mergeTitle: 'As asked' }, {}, 'As asked\n\nBy the cup.\n'],
    ['has its own title if that of the request is blank', { mergeTitle: ' ' }, {}, 'Sell tea (#7)\n\nBy the cup.\n'],
    [
      'has the title of the request without blanks around it',
      { mergeTitle: ' As asked ', mergeBody: '' },
      {},
      'As asked\n',
    ],
    ['has an empty body from the request', { mergeBody: '' }, {}, 'Sell tea (#7)\n'],
    ['has no body if that of the request is blank', { mergeBody: ' \n' }, {}, 'Sell tea (#7)\n'],
    [
      'has the body of the request without blanks around it',
      { mergeBody: '\n As asked. \n' },
      {},
      'Sell tea (#7)\n\nAs asked.\n',
    ],
    [
      'has the title that the rules make for landed commits',
      {},
      { apply_title_regexes: [rule({ pattern: 'tea', replace: 'pots', applies_to: 'merge_commit' })] },
      'Sell pots (#7)\n\nBy the cup.\n',
    ],
  ])('%s', (_, from, by, message) => {
    expect(ownMessage(source(from), rules(by))).toBe(message);
  });

  it('of several pull requests names all of them, by their rewritten titles', () => {
    const members = [
      source(),
      source({ number: 8, title: '[X] Sell pots' }),
      source({ number: 9, mergeTitle: 'Mine' }),
    ];
    const by = rules({ apply_title_regexes: [rule({ pattern: '[X] ', replace: '' })] });
    expect(groupMessage(members, by)).toBe('Land #7, #8 and #9\n\n* Sell tea (#7)\n* Sell pots (#8)\n* Mine (#9)\n');
  });
});

describe('the message of a stack', () => {
  const by = rules({ apply_title_regexes: [rule({ pattern: '[X] ', replace: '', applies_to: 'merge_commit' })] });
  it('is that of the top pull request, and names those below it, the lowest first', () => {
    const below = [source({ number: 5, title: '[X] Sell pots' }), source({ number: 6, mergeTitle: 'Mine' })];
    expect(stackMessage(source(), below, by)).toBe(
      'Sell tea (#7)\n\nBy the cup.\n\nIncludes the pull requests below it in its stack:\n\n* Sell pots (#5)\n* Mine (#6)\n',
    );
  });
  it('is that of the pull request if none is below it', () => {
    expect(stackMessage(source(), [], by)).toBe(ownMessage(source(), by));
  });
  it('of a group of one names this one', () => {
    expect(groupMessage([source()], by)).toBe('Land #7\n\n* Sell tea (#7)\n');
  });
});

describe('a body', () => {
  it.each<[string, string, Partial<MessageRules>, string]>([
    ['is cut before a marker, together with the marker', 'a\n--- begin ---\nb', { cut_body_before: 'begin' }, 'b'],
    ['is cut after a marker, together with the marker', 'a\nend\nb', { cut_body_after: 'end' }, 'a'],
    ['is cut between both markers', 'a\n>>\nb\n<<\nc', { cut_body_before: '>>', cut_body_after: '<<' }, 'b'],
    ['is not cut if the markers are missing', 'a\nb', { cut_body_before: '>>', cut_body_after: '<<' }, 'a\nb'],
    [
      'is cut only at the end if the first marker is missing',
      'a\n<<\nb',
      { cut_body_before: '>>', cut_body_after: '<<' },
      'a',
    ],
    [
      'is cut by an end marker that comes after the beginning',
      '<<\na\n>>\nb\n<<\nc',
      { cut_body_before: '>>', cut_body_after: '<<' },
      'b',
    ],
    ['is cut at the first of several markers', 'a\n--\nb\n--\nc', { cut_body_before: '--' }, 'b\n--\nc'],
    ['is cut by one marker for both', 'a\n--\nb\n--\nc', { cut_body_before: '--', cut_body_after: '--' }, 'b'],
    ['is cut with the line ends of a browser', 'a\r\n--\r\nb\r\nc', { cut_body_before: '--' }, 'b\nc'],
    ['loses its comments', 'a <!-- x --> b\n<!--\ny\n-->\n\nc', { strip_html_comments: true }, 'a  b\n\nc'],
    ['loses a comment without an end', 'a\n<!-- b\nc', { strip_html_comments: true }, 'a'],
    [
      'is cut by a marker that is a comment',
      'a\n<!-- here -->\nb<!--c-->',
      { cut_body_before: '<!-- here -->', strip_html_comments: true },
      'b',
    ],
    ['is not changed without rules', 'a <!-- x -->', {}, 'a <!-- x -->'],
    ['is cut to nothing', '--\na', { cut_body_after: '--' }, ''],
  ])('%s', (_, body, by, left) => {
    expect(cutBody(body, rules(by))).toBe(left);
  });

  it('is cut quickly, even with very many comments', () => {
    const before = process.cpuUsage();
    cutBody('<!--'.repeat(200_000), rules({ strip_html_comments: true }));
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  });
});

describe('a title is rewritten', () => {
  it.each<[string, string, Partial<Parameters<typeof rule>[0]>[], string]>([
    ['at every occurrence of a text', 'a-a', [{}], 'b-b'],
    ['by a text without special meaning', 'a.c abc', [{ pattern: 'a.c', replace: '$1' }], '$1 abc'],
    [
      'by the groups of an expression',
      'fix(tea): boil',
      [{ pattern: '^(\\w+)\\((\\w+)\\): ', replace: '$2: $1 ', match_type: 'regex' }],
      'tea: fix boil',
    ],
    ['by one rule after the other', 'a', [{ replace: 'ab' }, { pattern: 'ab', replace: 'c' }], 'c'],
    ['only by rules for this place', 'a', [{ applies_to: 'draft_pr' }], 'a'],
    ['never to an empty text', 'a', [{ replace: '' }], 'a'],
    ['never to a blank text', 'a', [{ replace: ' ' }], 'a'],
    ['without blanks around it', 'a b', [{ replace: '' }], 'b'],
    ['to at most 1,000 characters', 'a', [{ replace: 'b'.repeat(1_000) }], 'b'.repeat(1_000)],
    ['to 1,000 characters with a mark, if it is longer', 'a', [{ replace: 'b'.repeat(1_001) }], `${'b'.repeat(999)}…`],
  ])('%s', (_, title, by, rewritten) => {
    expect(rewriteTitle(title, 'merge_commit', rules({ apply_title_regexes: by.map(rule) }))).toBe(rewritten);
  });

  it('in the bot pull request, if a rule says so', () => {
    const by = rules({
      apply_title_regexes: [rule({ pattern: 'Sell', replace: 'Buy', applies_to: 'draft_pr' })],
    });
    expect(botTitle([source(), source({ number: 8 })], 'main', by)).toBe('Validate #7, #8 for main: Buy tea, Buy tea');
    expect(ownMessage(source(), by)).toContain('Sell tea (#7)');
  });

  it('to a text without half of an emoji, where the title of the bot pull request is cut', () => {
    const title = `${'a'.repeat(199 - 'Validate #7 for main: '.length - 1)}\u{1F680}${'b'.repeat(9)}`;
    expect(botTitle([source({ title })], 'main', rules())).toMatch(/a\u{FFFD}…$/u);
  });

  it('to a short text, however often a rule makes it longer', () => {
    const doubling = Array.from({ length: 20 }, () => rule({ pattern: 'a', replace: 'a'.repeat(200) }));
    expect(rewriteTitle('a', 'merge_commit', rules({ apply_title_regexes: doubling }))).toHaveLength(1_000);
  });
});

describe('co-authors', () => {
  const ada = { name: 'Ada', email: 'ada@example.test' };
  const by = (authorName: string, authorEmail: string, message = 'Change\n') => ({ authorName, authorEmail, message });

  it('are all other authors, once, in order', () => {
    const commits = [
      by('Bob', 'bob@example.test'),
      by(
        'Ada',
        'ADA@example.test',
        'Change\n\nCo-Authored-By: Cyd <cyd@example.test>\nco-authored-by: Bob <bob@example.test>\n',
      ),
      by('Interlock', 'us@example.test', 'Merge\n'),
      by('Bobby', 'Bob@Example.test'),
    ];
    expect(coauthorsOf(commits, ada, ['us@example.test'])).toEqual([
      { name: 'Bob', email: 'bob@example.test' },
      { name: 'Cyd', email: 'cyd@example.test' },
    ]);
  });

  it.each([
    ['are read from a trailer with a blank', 'Co-authored-by: Eve <eve@example.test>', ['Eve', 'eve@example.test']],
    ['are read from a trailer without a blank', 'co-authored-by:Eve <eve@example.test>', ['Eve', 'eve@example.test']],
    [
      'are read from a trailer with several blanks',
      'Co-authored-by:\t  Eve  <eve@example.test> \t',
      ['Eve', 'eve@example.test'],
    ],
    ['are not read inside of a line', 'See Co-authored-by: Eve <eve@example.test>', null],
    ['are not read from a trailer with text behind it', 'Co-authored-by: Eve <eve@example.test> and others', null],
    ['are not read from a trailer without a name', 'Co-authored-by: <eve@example.test>', null],
  ])('%s', (_, line, expected) => {
    const found = coauthorsOf([by('Ada', ada.email, `Change\n\n${line}\n`)], ada, []);
    expect(found.map(({ name, email }) => [name, email])).toEqual(expected === null ? [] : [expected]);
  });

  it('have names of one line, and addresses without blanks', () => {
    expect(coauthorsOf([by('Eve\r\nof<Acme>', ' eve@example.test\n')], ada, [])).toEqual([
      { name: 'Eve of Acme', email: 'eve@example.test' },
    ]);
    expect(coauthorsOf([by('Us', 'us@example.test')], ada, [' US@example.test '])).toEqual([]);
  });

  it('have a line each', () => {
    const two = [
      { name: 'Bob', email: 'b@x' },
      { name: 'Cyd', email: 'c@x' },
    ];
    expect(withCoauthors('Title\n', two)).toBe('Title\n\nCo-authored-by: Bob <b@x>\nCo-authored-by: Cyd <c@x>\n');
  });

  it.each([
    [
      'are in a paragraph of their own behind a text that names a trailer',
      'Title\n\nSee Signed-off-by: Ada\n',
      'Title\n\nSee Signed-off-by: Ada\n\nCo-authored-by: Bob <b@x>\n',
    ],
    ['are in a paragraph of their own', 'Title\n\nBody.\n', 'Title\n\nBody.\n\nCo-authored-by: Bob <b@x>\n'],
    ['follow a title', 'Title\n', 'Title\n\nCo-authored-by: Bob <b@x>\n'],
    ['follow a title that looks like a trailer', 'Written-by: me\n', 'Written-by: me\n\nCo-authored-by: Bob <b@x>\n'],
    [
      'follow existing trailers',
      'Title\n\nBody.\n\nSigned-off-by: Ada <a@x>\n',
      'Title\n\nBody.\n\nSigned-off-by: Ada <a@x>\nCo-authored-by: Bob <b@x>\n',
    ],
    ['are not named twice', 'Title\n\nCo-authored-by: Robert <B@X>\n', 'Title\n\nCo-authored-by: Robert <B@X>\n'],
  ])('%s', (_, message, named) => {
    expect(withCoauthors(message, [{ name: 'Bob', email: 'b@x' }])).toBe(named);
  });

  it('are added once, even if this is repeated, and no name breaks its line', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (body, name, email) => {
        const coauthors = coauthorsOf([by(name, email)], ada, []);
        const once = withCoauthors(`Title\n\n${body.replaceAll('\n', ' ')}\n`, coauthors);
        expect(withCoauthors(once, coauthors)).toBe(once);
        for (const line of once.split('\n').slice(3).filter(Boolean))
          expect(line).toMatch(/^Co-authored-by: [^<>]+ <[^<>]+>$/);
      }),
    );
  });
});

describe('a strategy', () => {
  const asked = {
    ...defaults.merge_strategy,
    name: 'merge' as const,
    override_labels: { squash: 'as one', merge: '', rebase: 'as they are' },
  };
  it.each<[string[], string, RegExp | null]>([
    [[], 'merge', null],
    [['other', 'as one'], 'squash', null],
    [['as they are'], 'rebase', null],
    [[''], 'merge', null],
    [['as one', 'as they are'], 'merge', /as one \(squash\), as they are \(rebase\)/],
  ])('of a pull request with the labels %j is %s', (labels, strategy, contradiction) => {
    expect(strategyOf(labels, asked)).toBe(strategy);
    if (contradiction === null) expect(strategyContradiction(labels, asked)).toBeNull();
    else expect(strategyContradiction(labels, asked)).toMatch(contradiction);
  });

  it('without a label is not asked for by an empty label', () => {
    expect(strategyOf([''], { ...asked, name: 'rebase' })).toBe('rebase');
  });
});
