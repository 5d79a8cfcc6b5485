export {
  createSlackClient,
  postByWebhook,
  SlackCallFailed,
  type PostedMessage,
  type SlackClient,
  type SlackMessageContent,
} from './client.ts';
