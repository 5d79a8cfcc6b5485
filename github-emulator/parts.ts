// The parts of the emulator, in the order in which they get events.
import { actionsPart } from './actions/index.ts';
import { checksPart } from './checks/index.ts';
import { graphqlPart } from './graphql/index.ts';
import type { MakePart } from './part.ts';
import { pagesPart } from './pages/index.ts';
import { pullsPart } from './pulls/index.ts';
import { restPart } from './rest/index.ts';
import { rulesPart } from './rules/index.ts';

export const parts: readonly MakePart[] = [
  pullsPart,
  restPart,
  pagesPart,
  rulesPart,
  checksPart,
  actionsPart,
  graphqlPart,
];
