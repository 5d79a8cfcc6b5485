// Days under faults with linear speculation (docs/fault-simulation.md).
import { playDaysUnderFaults } from './days-under-faults.ts';

playDaysUnderFaults('batches of two', 'batches of one', 'parts of batches');
