// Time that only the simulation moves: `Date`, the pauses of the service, and `now()` of PostgreSQL.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type pg from 'pg';
import { vi } from 'vitest';

export interface VirtualTime extends AsyncDisposable {
  now(): number;
  /** Sets the time. It may go back, like a clock that is corrected. */
  set(to: number): Promise<void>;
}

/**
 * Makes `now()` of PostgreSQL virtual. PostgreSQL finds `now()` in the schema `virtual` before its own catalog.
 * `current_timestamp` keeps the real time. The time is in an unlogged sequence, because a change of it leaves no old
 * version of a row. `pg_sequence_last_value` is marked as stable in this database, so that PostgreSQL puts the text of
 * `now()` into the statements that call it. A filter of 300 rows then takes a quarter of the CPU. Sessions never plan a
 * prepared statement again for its values, because the tables are small.
 */
export async function prepareVirtualTime(owner: pg.Client): Promise<void> {
  await owner.query(`
    create schema virtual;
    create unlogged sequence virtual.ms;
    select setval('virtual.ms', 1);
    alter function pg_catalog.pg_sequence_last_value(regclass) stable;
    create function virtual.now() returns timestamptz stable language sql
      as $$ select to_timestamp(pg_sequence_last_value('virtual.ms') / 1000.0) $$;
    create function virtual.clock_timestamp() returns timestamptz stable language sql
      as $$ select to_timestamp(pg_sequence_last_value('virtual.ms') / 1000.0) $$;
    grant usage on schema virtual to public;
    grant select on virtual.ms to public;
    do $$
    declare
      given record;
    begin
      execute format('alter database %I set search_path = public, virtual, pg_catalog', current_database());
      execute format('alter database %I set plan_cache_mode = force_generic_plan', current_database());
      for given in select d.adrelid::regclass as of_table, a.attname, pg_get_expr(d.adbin, d.adrelid) as text
        from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where pg_get_expr(d.adbin, d.adrelid) ~ '^(now|clock_timestamp)[(][)]$'
      loop
        execute format('alter table %s alter column %I set default virtual.%s', given.of_table, given.attname, given.text);
      end loop;
    end $$;
  `);
}

/**
 * `owner`: a session in a database that `prepareVirtualTime` has prepared. `pause` holds work that calls `setTimeout` of
 * `node:timers/promises`. If `pause` returns null, the real `setTimeout` runs. Timers with callbacks keep the real time.
 */
export async function startVirtualTime(
  owner: pg.Client,
  { from, pause }: { readonly from: number; readonly pause: (ms: number) => Promise<void> | null },
): Promise<VirtualTime> {
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
  const set = async (to: number): Promise<void> => {
    vi.setSystemTime(to);
    await owner.query({ name: 'set-time', text: "select setval('virtual.ms', $1)", values: [Math.round(to)] });
  };
  await set(from);
  return {
    now: () => Date.now(),
    set,
    async [Symbol.asyncDispose]() {
      vi.useRealTimers();
      Object.assign(timers, { setTimeout: real });
      syncBuiltinESMExports();
      await Promise.resolve();
    },
  };
}
