// Where people reach a preview: a host of its own below ours, so that its pages share no origin with us.

const label = 'preview';
/** As `newSlug` of a sandbox makes them: one label of a host name. */
const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** `https://<slug>.preview.<public host>`. An address of numbers has no names below it: it is `localhost` then. */
export function previewUrl(publicUrl: string, slug: string): string {
  const { protocol } = new URL(publicUrl);
  return `${protocol}//${slug}.${previewHost(publicUrl)}`;
}

/** Null: the host of a request (with its port, if any) is no preview's. The port is not looked at: a proxy before us may change it. */
export function slugOfHost(publicUrl: string, host: string): string | null {
  const name = withoutPort(host.toLowerCase());
  const below = `.${withoutPort(previewHost(publicUrl))}`;
  if (!name.endsWith(below)) return null;
  const slug = name.slice(0, -below.length);
  return slugPattern.test(slug) ? slug : null;
}

function previewHost(publicUrl: string): string {
  const { hostname, port } = new URL(publicUrl);
  const named = isNumeric(hostname) ? 'localhost' : hostname;
  return `${label}.${named}${port === '' ? '' : `:${port}`}`;
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '');
}

/** A URL writes every address as four numbers, or in brackets. */
function isNumeric(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
