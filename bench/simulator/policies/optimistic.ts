// Optimistic speculation, as it is compared in "Keeping Master Green at Scale" (Ananthanarayanan and others, EuroSys
// 2019, section 8): every change is built on all those before it that conflict with it, as if they all passed; when one
// fails, what was built with it is stopped and started again without it. The conflict graph is that of the paper's
// analyzer (section 5), which it gives to all it compares.
// Ours, where it is silent: a failure counts as soon as it is seen, not only when the change reaches the front; workers
// go to the earliest change that wants one.
import type { Policy } from '../../../src/domain/simulation/policy.ts';
import { singlePath } from '../speculation/single-path.ts';
import { conflictGraph } from '../speculation/paths.ts';

export function optimistic(): Policy {
  return singlePath({ standsBehind: conflictGraph });
}
