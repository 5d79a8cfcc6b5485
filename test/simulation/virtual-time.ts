// Time that only the simulation moves: `Date`, the pauses of the service, and `now()` of PostgreSQL.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import pg from 'pg';
import { vi } from 'vitest';

export interface VirtualTime extends AsyncDisposable {
  now(): number;
  /** Sets the time. It may go back, like a clock that is corrected. */
  set(to: number): Promise<void>;
}

/**
 * `pause` holds work that calls `setTimeout` of `node:timers/promises`. If `pause` returns null, the real `setTimeout`
 * runs. PostgreSQL finds `now()` in the schema `virtual` before its own catalog. `current_timestamp` and timers with
 * callbacks keep the real time.
 */
export async function startVirtualTime(
  databaseUrl: string,
  { from, pause }: { readonly from: number; readonly pause: (ms: number) => Promise<void> | null },
): Promise<VirtualTime> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner.query(`
    create schema virtual;
    create table virtual.time (at timestamptz not null);
    insert into virtual.time values (to_timestamp(${from / 1000}));
    create function virtual.now() returns timestamptz stable language sql as 'select at from virtual.time';
    create function virtual.clock_timestamp() returns timestamptz stable language sql as 'select at from virtual.time';
    grant usage on schema virtual to public;
    grant select on virtual.time to public;
    do $$
    declare
      given record;
    begin
      execute format('alter database %I set search_path = public, virtual, pg_catalog', current_database());
      for given in select d.adrelid::regclass as of_table, a.attname, pg_get_expr(d.adbin, d.adrelid) as text
        from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where pg_get_expr(d.adbin, d.adrelid) ~ '^(now|clock_timestamp)[(][)]$'
      loop
        execute format('alter table %s alter column %I set default virtual.%s', given.of_table, given.attname, given.text);
      end loop;
    end $$;
  `);
  const real = timers.setTimeout;
  const replaced = (async (ms = 0, value?: unknown, options?: object) => {
    const waiting = pause(ms);
    if (waiting === null) return await real(ms, value, options);
    await waiting;
    return value;
  }) as typeof timers.setTimeout;
  Object.assign(timers, { setTimeout: replaced });
  syncBuiltinESMExports();
  vi.useFakeTimers({ toFake: ['Date'], now: from });
  return {
    now: () => Date.now(),
    async set(to) {
      vi.setSystemTime(to);
      await owner.query('update virtual.time set at = $1', [new Date(to).toISOString()]);
    },
    async [Symbol.asyncDispose]() {
      vi.useRealTimers();
      Object.assign(timers, { setTimeout: real });
      syncBuiltinESMExports();
      await owner.end();
    },
  };
}
