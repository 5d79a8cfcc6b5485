// The answer to a push: `unpack …`, then `ok <ref>` or `ng <ref> <reason>`; git's own lines and ours in one report.
import { flushPacket, packet, readPayloads, sideBand } from './pkt-line.ts';

export interface PushReport {
  readonly unpack: string;
  /** Lines for refs, in git's words; those of report-status-v2 with their option lines. */
  readonly lines: readonly string[];
  /** Progress and complaints for the user's eyes. */
  readonly progress: Buffer;
}

/** Reads what `git receive-pack` wrote. Null when there is no report in it. */
export function parsePushReport(output: Buffer, hasSideBand: boolean): PushReport | null {
  const payloads = readPayloads(output);
  const band = (wanted: number): Buffer =>
    Buffer.concat(payloads.filter((payload) => payload[0] === wanted).map((payload) => payload.subarray(1)));
  const [unpack, ...lines] = (hasSideBand ? readPayloads(band(1)) : payloads).map((payload) =>
    payload.toString('utf8').replace(/\n$/, ''),
  );
  return unpack === undefined ? null : { unpack, lines, progress: hasSideBand ? band(2) : Buffer.alloc(0) };
}

export function refused(ref: string, reason: string): string {
  return `ng ${ref} ${reason}`;
}

/** Nothing, for a client that did not ask for a report. */
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

/** The older `side-band` has smaller packets. git does not offer it, and ignores it in a request. */
export function hasSideBand(capabilities: readonly string[]): boolean {
  return capabilities.includes('side-band-64k');
}

/** One report of several: the worst `unpack` counts. */
export function joinReports(reports: readonly PushReport[]): PushReport {
  return {
    unpack: reports.find(({ unpack }) => unpack !== 'unpack ok')?.unpack ?? 'unpack ok',
    lines: reports.flatMap(({ lines }) => lines),
    progress: Buffer.concat(reports.map(({ progress }) => progress)),
  };
}
