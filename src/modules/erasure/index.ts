export { carryOutErasures } from './carry-out.ts';
