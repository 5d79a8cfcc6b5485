// Turns events into lines for people. It stores only what the lines need: titles, the tip, the live batches, and the
// blocked pull requests.
export interface LoggedEvent {
  readonly action: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Null: the event is not printed. */
export type EventPrinter = (event: LoggedEvent) => string | null;

type Batch = readonly number[];

const causes: Readonly<Record<string, string>> = {
  bisect: ', one half of a red batch',
  optimistic: ', which may pass for the red ones before it',
  probe: ', alone, to see whether it is to blame',
  retry: ', once more',
};

export function createEventPrinter(titles: ReadonlyMap<number, string>): EventPrinter {
  const live: Batch[] = [];
  const blocked = new Set<number>();
  let tip: string | null = null;

  function end(batch: Batch): void {
    const index = live.findIndex((one) => isSame(one, batch));
    if (index >= 0) live.splice(index, 1);
  }

  function start(batch: Batch, payload: LoggedEvent['payload']): string {
    const parent = String(payload['parentCommit']);
    tip ??= parent;
    const on = parent === tip ? `main at ${short(parent)}` : `the batch before it, ${short(parent)}`;
    const replaced = live.find((one) => one.some((number) => batch.includes(number)));
    if (replaced !== undefined) end(replaced);
    live.push(batch);
    const instead = replaced === undefined || isSame(replaced, batch) ? '' : `, instead of ${name(replaced)}`;
    return line('batch', `${name(batch)} on ${on}${causes[String(payload['cause'])] ?? instead}`);
  }

  return ({ action, payload }) => {
    const batch = membersOf(payload);
    switch (action) {
      case 'batch_started':
        return start(batch, payload);
      case 'batch_bisected':
        end(batch);
        return line('bisected', `${name(batch)}: red together, so it is halved`);
      case 'batch_failed':
        end(batch);
        return batch.every((number) => blocked.has(number)) ? null : line('red', name(batch));
      case 'batch_merged':
        end(batch);
        tip = String(payload['commit']);
        return line('landed', `${name(batch)} as ${short(tip)}, tree verified (${String(payload['grade'])})`);
      case 'reset':
        return typeof payload['resetText'] === 'string' ? line('reset', payload['resetText']) : null;
      case 'blocked': {
        const number = Number(payload['number']);
        blocked.add(number);
        return line('blocked', `#${number} ${titles.get(number) ?? ''}: ${String(payload['statusText'])}`);
      }
      default:
        return null;
    }
  };
}

/** The pull requests that the event takes out of the line. */
export function endedBy({ action, payload }: LoggedEvent): readonly number[] {
  if (action === 'batch_merged') return membersOf(payload);
  return action === 'blocked' ? [Number(payload['number'])] : [];
}

export function line(word: string, text: string): string {
  return `${word.padEnd(9)} ${text}`;
}

function membersOf(payload: LoggedEvent['payload']): Batch {
  const members = Array.isArray(payload['pullRequests']) ? payload['pullRequests'] : [];
  return members.map((member: number | { readonly number: number }) =>
    typeof member === 'number' ? member : member.number,
  );
}

const name = (batch: Batch): string => batch.map((number) => `#${number}`).join(' ');
const short = (commit: string): string => commit.slice(0, 8);
const isSame = (a: Batch, b: Batch): boolean => a.join() === b.join();
