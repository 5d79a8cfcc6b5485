// Fifty days under faults in which pull requests are built one at a time (docs/fault-simulation.md).
import { playDaysUnderFaults } from './days-under-faults.ts';

playDaysUnderFaults('one at a time');
