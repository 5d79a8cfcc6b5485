export { eventsAreDue, rollUpEvents } from './roll-up.ts';
