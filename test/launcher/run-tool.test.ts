// How a program that failed ends: its exit code, its message or document, and no secret in either.
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { exitCodes } from '../../src/platform/exit-codes.ts';
import { installationFlags } from '../../src/launcher/called-as.ts';
import { StartError } from '../../src/launcher/start-error.ts';
import { printFailure } from '../../src/run-tool.ts';

const printed: string[] = [];
beforeEach(() => {
  printed.splice(0);
  vi.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  delete process.env['DEPLOY_SECRET'];
});

function wrongOption(): unknown {
  try {
    return new Command('backup')
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parse(['node', 'x', '--quick']);
  } catch (error) {
    return error;
  }
}

test.each([
  ['a wrong option', wrongOption(), 2, { code: 'USAGE', message: "unknown option '--quick'" }],
  ['a refusal of a program', new StartError('The folder is not empty.'), 1, { code: 'REFUSED' }],
  ['a wrong argument', new StartError('Name a folder.', 'usage'), 2, { code: 'USAGE', message: 'Name a folder.' }],
  ['a refusal of the service', new DomainError('CONFLICT', 'It exists.', 'input.name'), 1, { field: 'input.name' }],
  ['a wrong input of the service', new DomainError('BAD_INPUT', 'It is no name.'), 2, { code: 'BAD_INPUT' }],
  ['a missing scope', new DomainError('FORBIDDEN', 'It needs admin.'), 4, { code: 'FORBIDDEN' }],
  [
    'a database that went away',
    Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
    3,
    { code: 'UNREACHABLE', message: 'The database does not answer (ECONNREFUSED). Try again.' },
  ],
  ['a fault of the program', new TypeError('x is not a function'), 5, { code: 'FAILED' }],
])('%s has its exit code and its document', (_what, error, exitCode, document) => {
  expect(exitCodes[printFailure(error, true)]).toBe(exitCode);
  expect(printed).toHaveLength(1);
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({ error: document });
});

const secret = 'aB3dE5gH7jK9mN1pQ3sT5vW7';

test.each([
  ['a secret of the environment', 'It failed with %s.', secret],
  ['a password in an address', 'connect postgres://interlock:%s@db.example.test/interlock', secret],
  ['a token at the beginning of a line', 'GitHub answered:\n%s', `ghp_${secret}`],
  ['a private key', '%s', `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n"${secret}"\n-----END RSA PRIVATE KEY-----`],
])('%s is not printed, neither in a message nor in a stack nor in a document', (what, text, value) => {
  if (what === 'a secret of the environment') process.env['DEPLOY_SECRET'] = value;
  const message = text.replace('%s', value);
  for (const isJson of [false, true])
    for (const error of [
      new StartError(message),
      new TypeError('It failed.', { cause: new Error(message) }),
      new AggregateError([new Error(message)]),
    ]) {
      printFailure(error, isJson);
      expect(printed.at(-1)).not.toContain(secret);
      expect(printed.at(-1)).toContain('[secret]');
    }
});

test('the row that PostgreSQL quotes in an error is not printed', () => {
  printFailure(Object.assign(new Error('violates a constraint'), { detail: `Failing row contains (${secret}).` }));
  expect(printed.join()).toContain('violates a constraint');
  expect(printed.join()).not.toContain(secret);
});

test.each([
  [{ data: '.interlock' }, '--data .interlock'],
  [
    { data: "/srv/Ada's data", databaseUrl: 'postgres://a:b@c/d' },
    String.raw`--data '/srv/Ada'\''s data' --database-url <url>`,
  ],
])('a command that a program recommends names the same installation', (installation, flags) => {
  expect(installationFlags(installation)).toBe(flags);
});
