export { createSlackRelay, type SlackOptions, type SlackRelay } from './relay.ts';
