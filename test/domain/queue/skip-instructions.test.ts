// Texts that make GitHub start no workflow. They are found in heads of users, and changed in commits of Interlock.
import { expect, it } from 'vitest';
import { checks } from '../../../src/domain/queue/explain/preconditions.ts';
import { findSkipInstruction, withoutSkipInstructions } from '../../../src/domain/queue/requests/skip-instructions.ts';

it.each([
  ['Add tea [skip ci]', '[skip ci]', 'Add tea (skip ci)'],
  ['[ci skip] Add tea', '[ci skip]', '(ci skip) Add tea'],
  ['Add tea\n\nNot now: [no ci].', '[no ci]', 'Add tea\n\nNot now: (no ci).'],
  ['Add tea [skip actions] [actions skip]', '[skip actions]', 'Add tea (skip actions) (actions skip)'],
  ['Add tea [Skip CI]', '[Skip CI]', 'Add tea (Skip CI)'],
  ['Add tea\n\n\nskip-checks: true\n', 'skip-checks: true', 'Add tea\n\n\n(skip-checks: true)\n'],
  ['Add tea\n\nskip-checks: true \t\nMore', 'skip-checks: true', 'Add tea\n\n(skip-checks: true)\nMore'],
  ['Add tea\n\nskip-checks:true', 'skip-checks:true', 'Add tea\n\n(skip-checks:true)'],
])('%j has a skip instruction', (message, instruction, disarmed) => {
  expect(findSkipInstruction(message)).toBe(instruction);
  expect(withoutSkipInstructions(message)).toBe(disarmed);
  expect(findSkipInstruction(disarmed)).toBeNull();
});

it.each([
  'Add tea',
  'Never skip ci',
  'Add [skip tea]',
  'skip-checks: false',
  'skip-checks: true enough',
  'Explain skip-checks: true',
])('%j has no skip instruction', (message) => {
  expect(findSkipInstruction(message)).toBeNull();
  expect(withoutSkipInstructions(message)).toBe(message);
});

it('explain repeats the summary of a check that requires an action, and no other summary', () => {
  const seen = { endedAt: 1, summary: 'Push a commit without this instruction.' };
  const explained = checks(
    {
      checks: [
        { name: 'test', conclusion: 'action_required', ...seen },
        { name: 'lint', conclusion: 'failure', ...seen },
      ],
      required: null,
      startedAt: 0,
    },
    'author',
  );
  expect(explained.map(({ sentence }) => sentence)).toEqual([
    'The check test ended: action_required. Push a commit without this instruction.',
    'The check lint ended: failure.',
  ]);
});
