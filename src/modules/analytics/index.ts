export { rollUpEvents } from './roll-up.ts';
