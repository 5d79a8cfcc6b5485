// The head of a push: which refs are to become what. The pack follows it and is git's own to read.
import { flushPacket, packet, ProtocolError, readPacket } from './pkt-line.ts';

export interface PushCommand {
  readonly from: string;
  readonly to: string;
  readonly ref: string;
}

export interface PushRequest {
  readonly commands: readonly PushCommand[];
  readonly capabilities: readonly string[];
  /** `shallow` lines of a shallow client, to be handed on. */
  readonly shallow: readonly Buffer[];
  /** Where the pack begins in the body. */
  readonly packAt: number;
}

const mostCommands = 5000;

/** Null: the head is not complete yet. Throws ProtocolError when it is none. */
export function parsePushRequest(body: Buffer): PushRequest | null {
  const commands: PushCommand[] = [];
  const shallow: Buffer[] = [];
  let capabilities: string[] = [];
  for (let at = 0; ; ) {
    const next = readPacket(body, at);
    if (next === null) return null;
    at = next.end;
    if (next.kind === 'flush') return { commands, capabilities, shallow, packAt: at };
    const [line = '', words] = next.payload.toString('utf8').replace(/\n$/, '').split('\0');
    if (line.startsWith('shallow ')) {
      shallow.push(next.payload);
      continue;
    }
    const [, from, to, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/.exec(line) ?? [];
    if (from === undefined || to === undefined || ref === undefined)
      throw new ProtocolError('A push names for each ref an old id, a new id and its name');
    if (words !== undefined) capabilities = words.split(' ').filter((word) => word !== '');
    commands.push({ from, to, ref });
    if (commands.length > mostCommands) throw new ProtocolError(`A push may name at most ${mostCommands} refs`);
  }
}

/** The head again, for some of its commands. */
export function formatPushRequest(request: PushRequest, commands: readonly PushCommand[]): Buffer {
  const lines = commands.map(({ from, to, ref }, index) =>
    packet(`${from} ${to} ${ref}${index === 0 ? `\0 ${request.capabilities.join(' ')}` : ''}`),
  );
  return Buffer.concat([...request.shallow.map(packet), ...lines, flushPacket]);
}
