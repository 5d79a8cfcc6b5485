// The report of a push: `unpack …`, then `ok <ref>` or `ng <ref> <reason>` for each ref. It has both git's own lines
// and the refusals of Interlock.
import { flushPacket, packet, readPayloads, sideBand } from './pkt-line.ts';

export interface PushReport {
  readonly unpack: string;
  /** The lines of refs, in git's format, with the option lines of report-status-v2. */
  readonly lines: readonly string[];
  /** Progress and error messages that git shows to the user. */
  readonly progress: Buffer;
}

/** Parses the output of `git receive-pack`. Null: the output has no report. */
export function parsePushReport(output: Buffer, hasSideBand: boolean): PushReport | null {
  const payloads = readPayloads(output);
  const band = (wanted: number): Buffer =>
    Buffer.concat(payloads.filter((payload) => payload[0] === wanted).map((payload) => payload.subarray(1)));
  const [unpack, ...lines] = (hasSideBand ? readPayloads(band(1)) : payloads).map((payload) =>
    payload.toString('utf8').replace(/\n$/, ''),
  );
  return unpack === undefined ? null : { unpack, lines, progress: hasSideBand ? band(2) : Buffer.alloc(0) };
}

export function refusalLine(ref: string, reason: string): string {
  return `ng ${ref} ${reason}`;
}

/** The report as packets. Empty for a client that did not request a report. */
export function formatPushReport(report: PushReport, capabilities: readonly string[]): Buffer {
  const isAsked = capabilities.some((word) => word === 'report-status' || word === 'report-status-v2');
  if (!isAsked) return Buffer.alloc(0);
  const body = Buffer.concat([
    packet(`${report.unpack}\n`),
    ...report.lines.map((line) => packet(`${line}\n`)),
    flushPacket,
  ]);
  if (!hasSideBand(capabilities)) return body;
  return Buffer.concat([sideBand(2, report.progress), sideBand(1, body), flushPacket]);
}

/**
 * Whether the client accepts side bands. The older capability `side-band` is not supported, because `git receive-pack`
 * does not support it either.
 */
export function hasSideBand(capabilities: readonly string[]): boolean {
  return capabilities.includes('side-band-64k');
}

/** Joins several reports. The first `unpack` line that is not `unpack ok` is kept. */
export function joinReports(reports: readonly PushReport[]): PushReport {
  return {
    unpack: reports.find(({ unpack }) => unpack !== 'unpack ok')?.unpack ?? 'unpack ok',
    lines: reports.flatMap(({ lines }) => lines),
    progress: Buffer.concat(reports.map(({ progress }) => progress)),
  };
}
