// Pull requests follow the branches they are about.
import type { MakePart } from '../part.ts';

export const pullsPart: MakePart = () => ({});
