// Days under faults with stacks (docs/fault-simulation.md).
import { playDaysUnderFaults } from './days-under-faults.ts';

playDaysUnderFaults('stacks', 'speculative builds of stacks');
