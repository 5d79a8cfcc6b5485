// Cron expressions of five fields in a time zone. A run at an hour that the clock skips or repeats happens once.
import { Cron } from 'croner';

export function parseCron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, mode: '5-part', paused: true });
}

/** The first run after an instant, in milliseconds. Null: the expression has no later run. */
export function findNextRun(cron: Cron, at: number): number | null {
  return cron.nextRun(new Date(at))?.getTime() ?? null;
}

/** Why the expression cannot be used. Null: the expression can be used. */
export function cronFault(expression: string): string | null {
  try {
    return findNextRun(parseCron(expression, 'UTC'), 0) === null ? 'must have a next run' : null;
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^\w+: /, '') : String(error);
    return `must be a cron expression of five fields: ${detail}`;
  }
}

/** Why the time zone cannot be used. Null: the time zone can be used. */
export function timezoneFault(name: string): string | null {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return null;
  } catch {
    return 'must be a time zone such as Europe/Berlin or UTC';
  }
}
