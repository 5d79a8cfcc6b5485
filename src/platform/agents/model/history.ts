// Answers of tools make a conversation long. To bound what is sent, the oldest answers are left out first, because the
// model can call the tools again.
import type { ModelMessage, ToolModelMessage } from 'ai';

const kept = 0.75;

export function boundHistory(messages: readonly ModelMessage[], maxCharacters: number): readonly ModelMessage[] {
  const size = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (size <= maxCharacters) return messages;
  let over = size - maxCharacters * kept;
  // The newest answers always stay, because the next turn is about them.
  const newest = messages.findLastIndex(({ role }) => role === 'tool');
  return messages.map((message, at) => {
    if (over <= 0 || message.role !== 'tool' || at === newest) return message;
    const shorter = leaveOut(message);
    over -= sizeOf(message) - sizeOf(shorter);
    return shorter;
  });
}

const shortest = 200;

function leaveOut(message: ToolModelMessage): ToolModelMessage {
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-result' && part.output.type === 'text' && part.output.value.length > shortest
        ? {
            ...part,
            output: {
              type: 'text' as const,
              value: `[Left out here: ${part.output.value.length} characters. Ask again when they are needed.]`,
            },
          }
        : part,
    ),
  };
}

function sizeOf(message: ModelMessage): number {
  return JSON.stringify(message).length;
}
