// The pages that a browser gets if a preview cannot be shown. They reveal nothing about apps, addresses or rows.

export interface PreviewProblem {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly retryAfterSec?: number;
}

export const troubles = {
  unknown: { status: 404, title: 'No such preview', message: 'There is no preview at this address.' },
  gone: {
    status: 410,
    title: 'This preview has ended',
    message: 'It is taken down when its verification ends, or its time is over. Push a commit, or ask for another run.',
  },
  starting: {
    status: 503,
    title: 'This preview is starting',
    message: 'Its setup script has not ended, or its port does not accept connections yet.',
    retryAfterSec: 2,
  },
  busy: {
    status: 503,
    title: 'This preview is busy',
    message: 'It answers too many requests at once.',
    retryAfterSec: 1,
  },
  unreachable: {
    status: 502,
    title: 'The app does not answer',
    message: 'The preview stands, but its app took no connection, or broke it off.',
    retryAfterSec: 2,
  },
  late: { status: 504, title: 'The app does not answer', message: 'The app took too long to answer.' },
  large: { status: 413, title: 'Too large', message: 'A request to a preview has 100 MiB at most.' },
  notSupported: { status: 501, title: 'Not supported', message: 'A preview upgrades connections only to WebSocket.' },
} as const satisfies Readonly<Record<string, PreviewProblem>>;

export function pageOf({ title, message, retryAfterSec }: PreviewProblem): string {
  const again = retryAfterSec === undefined ? '' : `<meta http-equiv="refresh" content="${retryAfterSec}">`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${again}</head><body><h1>${title}</h1><p>${message}</p></body></html>\n`;
}

export function headersOf(problem: PreviewProblem, page: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(page)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
    ...(problem.retryAfterSec !== undefined && { 'retry-after': String(problem.retryAfterSec) }),
  };
}
