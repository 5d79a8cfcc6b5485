import { describe, expect, test } from 'vitest';
import {
  allowedActors,
  helpText,
  isPassedOver,
  readCommands,
  type Command,
} from '../../../src/domain/queue/requests/commands.ts';

describe('a comment', () => {
  const cases: readonly (readonly [body: string, commands: readonly Command[]])[] = [
    ['Looks good to me', []],
    ['/interlock queue', [{ kind: 'queue' }]],
    ['/interlock merge', [{ kind: 'queue' }]],
    ['Please:\r\n  /interlock   MERGE  \r\nthanks', [{ kind: 'queue' }]],
    ['/interlock dequeue', [{ kind: 'dequeue' }]],
    ['/interlock cancel', [{ kind: 'dequeue' }]],
    ['/interlock skip-line', [{ kind: 'skip_line', reason: null }]],
    ['/interlock skip-line the shop is down', [{ kind: 'skip_line', reason: 'the shop is down' }]],
    ['/interlock skip-validation', [{ kind: 'skip_validation' }]],
    ['/interlock backport release/1.x', [{ kind: 'backport', branch: 'release/1.x' }]],
    ['/interlock', [{ kind: 'help' }]],
    ['/interlock refresh\n/interlock sync', [{ kind: 'refresh' }, { kind: 'sync' }]],
    ['/interlock help', [{ kind: 'help' }]],
    ['say /interlock queue', []],
    ['see ```\n/interlock queue', [{ kind: 'queue' }]],
    ['~\n/interlock queue', [{ kind: 'queue' }]],
    ['```\n```js\n/interlock queue\n```', []],
    ['```\n/interlock queue\n``` \n/interlock sync', [{ kind: 'sync' }]],
    ['/interlocked queue', []],
    ['> /interlock queue', []],
    ['    /interlock queue', []],
    ['```\n/interlock queue\n```', []],
    ['```\n/interlock queue\n```\n/interlock sync', [{ kind: 'sync' }]],
    ['~~~sh\n/interlock queue\n```\n/interlock queue', []],
    [
      Array.from({ length: 9 }, () => '/interlock sync').join('\n'),
      Array.from({ length: 5 }, () => ({ kind: 'sync' })),
    ],
  ];
  test.each(cases)('%j has the commands of the table', (body, commands) =>
    expect(readCommands(body)).toEqual(commands),
  );

  test.each([
    ['/interlock merge after lunch', '`merge` takes no text after it.'],
    ['/interlock `lgtm`', '`lgtm` is not a command. `/interlock help` lists the commands.'],
    ['/interlock lgtm', '`lgtm` is not a command. `/interlock help` lists the commands.'],
    ['/interlock backport', 'backport needs the name of one branch: `/interlock backport release-1`.'],
    ['/interlock backport a b', 'backport needs the name of one branch: `/interlock backport release-1`.'],
  ])('%j is answered: %s', (body, text) => expect(readCommands(body)).toEqual([{ kind: 'invalid', text }]));
});

test('the help names each command once', () => {
  expect(helpText(['queue', 'help'])).toBe(
    'Commands, each on a line of its own:\n\n- `/interlock queue` (or `merge`) asks to merge this pull request.\n- `/interlock help` lists these commands.',
  );
});

test.each([
  ['five attempts in five minutes', 5, 300_000, true],
  ['four attempts, however long', 4, 3_600_000, false],
  ['many attempts in less than five minutes', 50, 299_999, false],
])(
  'a comment whose commands fail is skipped after five attempts in five minutes: %s',
  (_name, attempts, failingForMs, isSkipped) => {
    expect(isPassedOver({ attempts, failingForMs })).toBe(isSkipped);
  },
);

test('restrictions are combined, and apply only to the commands that they name', () => {
  const restrictions = [
    { commands: ['skip_line', 'dequeue'], allowedActors: ['@ada'] },
    { commands: ['skip_line'], allowedActors: ['@acme/on-call'] },
  ] as const;
  expect(allowedActors(restrictions, 'skip_line')).toEqual(['@ada', '@acme/on-call']);
  expect(allowedActors(restrictions, 'dequeue')).toEqual(['@ada']);
  expect(allowedActors(restrictions, 'queue')).toBeNull();
});
