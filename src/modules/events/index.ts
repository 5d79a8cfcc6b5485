export { appendEvents, type NewEvent } from './append.ts';
export type { Cursor } from './cursor.ts';
export type { FollowedEvent } from './events.reads.ts';
export { type EventStream, SlowReaderError, type Taker } from './event-stream.ts';
export { createEventHub, type EventHub, type FollowOptions } from './hub.ts';
export { eventRetention } from './retention.ts';
export {
  createSequencer,
  eventsChannel,
  parseNotification,
  type Sequencer,
  sequenceEvents,
  unpositionedEvents,
} from './sequencer.ts';
