// The parts of the emulator, in the order in which they hear events.
import type { MakePart } from './part.ts';
import { pagesPart } from './pages/index.ts';
import { pullsPart } from './pulls/index.ts';
import { restPart } from './rest/index.ts';

export const parts: readonly MakePart[] = [pullsPart, restPart, pagesPart];
