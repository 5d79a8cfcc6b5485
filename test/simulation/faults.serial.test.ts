// Days under faults in the serial mode, and with builds that wait or are repeated (docs/fault-simulation.md).
import { playDaysUnderFaults } from './days-under-faults.ts';

playDaysUnderFaults('one at a time', 'own checks', 'second attempts');
