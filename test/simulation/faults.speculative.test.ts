// Days under faults with speculative builds (docs/fault-simulation.md).
import { playDaysUnderFaults } from './days-under-faults.ts';

playDaysUnderFaults('speculative builds', 'speculative builds without targets');
