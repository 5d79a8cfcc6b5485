// What both files of tests about merging use.
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { parallel, type World } from '../support/world.ts';

/** Makes the first worker that reaches the failpoint hang there, until `letGo` is called. */
export function hangAt(failpoint: string): { readonly isHanging: () => boolean; readonly letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  let passed = 0;
  const disarm = onFailpoint(failpoint, async () => {
    passed += 1;
    if (passed === 1) await gate.promise;
  });
  return {
    isHanging: () => passed > 0,
    letGo: () => {
      disarm();
      gate.resolve();
    },
  };
}

export async function startedLanding(w: World): Promise<string> {
  const [intent] = await w.rows<{ id: string }>("select id from intent where kind = 'land' and state = 'started'");
  return intent?.id ?? '';
}

export const hostMerges = (more = ''): string =>
  parallel({ builds: 2, batch: 1, more: `use_fast_forwarding: false\n${more}` });

export async function mergedEvents(w: World): Promise<[number, boolean][]> {
  const rows = await w.rows<{ payload: { number: number; instantMerge: boolean } }>(
    "select payload from event where action = 'merged' order by id",
  );
  return rows.map(({ payload }) => [payload.number, payload.instantMerge]);
}

export async function countBots(w: World): Promise<number> {
  return (await w.rows('select 1 from bot_pull_request')).length;
}

/** Waits until the checks of as many heads are green. */
export async function greenHeads(w: World, heads: number): Promise<void> {
  await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length >= heads);
}
