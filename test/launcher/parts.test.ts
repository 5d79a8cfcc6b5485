import { expect, onTestFinished, test } from 'vitest';
import { openPostgres, openTemporal } from '../../src/launcher/parts.ts';
import { startPostgres } from '../../src/launcher/postgres.ts';
import { searchAttributes, startTemporal } from '../../src/launcher/temporal.ts';
import { temporaryDirectory } from './processes.ts';

const log = () => undefined;
const temporalOptions = { namespace: 'interlock', searchAttributes, fast: true, log };

test('a database that the user names is used, and not stopped', async () => {
  const dataDir = await temporaryDirectory();
  const theirs = await startPostgres({ dataDir, fast: true, log });
  onTestFinished(() => theirs.stop());
  const opened = await openPostgres(theirs.url, { dataDir: '/nowhere', log });
  await opened.stop();
  expect((await openPostgres(theirs.url, { dataDir: '/nowhere', log })).url).toBe(theirs.url);
});

test('a database that does not answer is reported with advice and without its password', async () => {
  const refusal = openPostgres('postgres://me:secret@127.0.0.1:1/interlock', { dataDir: '/nowhere', log });
  await expect(refusal).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1\/interlock cannot be reached \(.*ECONNREFUSED.*\)\. Start the database, correct --database-url \(DATABASE_URL\), or leave this setting out to use the embedded database\.$/,
  );
  await expect(openPostgres('nonsense', { dataDir: '/nowhere', log })).rejects.toThrow('The database URL is no URL.');
});

test('a Temporal that the user names is prepared, and not stopped', async () => {
  const dataDir = await temporaryDirectory();
  const theirs = await startTemporal({ ...temporalOptions, dataDir, searchAttributes: {} });
  onTestFinished(() => theirs.stop());
  const opened = await openTemporal(theirs.address, { ...temporalOptions, dataDir: '/nowhere' });
  expect(opened).toMatchObject({ address: theirs.address, namespace: 'interlock', uiUrl: null });
  await opened.stop();
  await openTemporal(theirs.address, { ...temporalOptions, dataDir: '/nowhere' });
});

test('without an address, the embedded PostgreSQL and Temporal are started', async () => {
  const dataDir = await temporaryDirectory();
  const database = await openPostgres(undefined, { dataDir, log });
  onTestFinished(() => database.stop());
  const temporal = await openTemporal('', { ...temporalOptions, dataDir });
  onTestFinished(() => temporal.stop());
  expect(new URL(database.url).host).toMatch(/^(127\.0\.0\.1|%2F.*):\d+$/);
  expect(temporal.address).toContain('127.0.0.1');
});
