// Days under faults with two base branches, of which people delete one and make it again (docs/fault-simulation.md).
import { playDaysUnderFaults } from './days-under-faults.ts';

playDaysUnderFaults('two base branches', 'speculative builds for two base branches');
