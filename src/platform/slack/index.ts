export { createSlackClient, SlackCallFailed, type PostedMessage, type SlackClient } from './client.ts';
