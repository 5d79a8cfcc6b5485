export { createSlackRelay, type SlackRelay } from './relay.ts';
