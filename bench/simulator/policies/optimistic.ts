// Optimistic speculation, one of the policies that "Keeping Master Green at Scale" compares (Ananthanarayanan and
// others, EuroSys 2019, section 8). Every change is built on all earlier changes that conflict with it, as if they all
// passed. When a change fails, the builds that contain it are stopped and started again without it. The conflict graph
// comes from affected targets (section 5), as for all policies in the paper.
//
// The paper leaves these details open, and they were chosen here: A failure counts at once, and not only when the
// change is first in line. An idle worker builds the earliest change that needs a build.
import type { Policy } from '../../../src/domain/simulation/policy.ts';
import { singlePath } from '../speculation/single-path.ts';
import { conflictGraph } from '../speculation/paths.ts';

export function optimistic(): Policy {
  return singlePath({ waitsFor: conflictGraph });
}
