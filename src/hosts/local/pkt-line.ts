// The pkt-line format of git: a packet is four hexadecimal digits with its length, then the payload. `0000` is a flush
// packet. No npm package exports a reader of this format; the one in isomorphic-git is private.

/** The client sent bytes that are not the git protocol. The message is sent to the client. */
export class ProtocolError extends Error {}

export const flushPacket = Buffer.from('0000');
/** The length of the largest packet that git reads, its four digits included. */
const largestPacket = 65_520;

export function packet(payload: string | Buffer): Buffer {
  const body = Buffer.from(payload);
  // A length with five digits would be misread as a shorter packet and its content.
  if (body.length + 4 > largestPacket) throw new Error(`A packet cannot hold ${body.length} bytes`);
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body]);
}

export type Packet =
  | { readonly kind: 'data'; readonly payload: Buffer; readonly end: number }
  | { readonly kind: 'flush'; readonly end: number };

/**
 * The packet at an offset. Null: the buffer ends before the packet does. Throws ProtocolError if the bytes are not a
 * packet.
 */
export function readPacket(buffer: Buffer, at: number): Packet | null {
  if (buffer.length < at + 4) return null;
  const digits = buffer.toString('latin1', at, at + 4);
  if (!/^[0-9a-f]{4}$/i.test(digits)) throw new ProtocolError('This is not the git protocol');
  const length = Number.parseInt(digits, 16);
  if (length === 0) return { kind: 'flush', end: at + 4 };
  if (length < 4 || length > largestPacket) throw new ProtocolError('This is not the git protocol');
  return buffer.length < at + length
    ? null
    : { kind: 'data', payload: buffer.subarray(at + 4, at + length), end: at + length };
}

/** The payloads of all complete packets of the buffer. Flush packets are left out. */
export function readPayloads(buffer: Buffer): Buffer[] {
  const payloads: Buffer[] = [];
  for (let at = 0; ; ) {
    const next = readPacket(buffer, at);
    if (next === null) return payloads;
    if (next.kind === 'data') payloads.push(next.payload);
    at = next.end;
  }
}

/** The content as packets of one side band. Band 1 is the answer, and band 2 is progress that git shows to the user. */
export function sideBand(band: 1 | 2, content: Buffer): Buffer {
  const packets: Buffer[] = [];
  const max = largestPacket - 5;
  for (let at = 0; at < content.length; at += max) {
    packets.push(packet(Buffer.concat([Buffer.from([band]), content.subarray(at, at + max)])));
  }
  return Buffer.concat(packets);
}
