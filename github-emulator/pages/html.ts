// Plain pages: a heading, text, and forms with one button.
import type { FastifyReply } from 'fastify';

export function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter);
}

/** Sends a page. `body` is HTML, and `title` is plain text. */
export async function sendPage(reply: FastifyReply, title: string, body: string, status = 200): Promise<FastifyReply> {
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title>
<style>body{font:16px/1.5 sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.4rem 1rem}</style>
</head><body><h1>${escape(title)}</h1>${body}<p><small>An emulator of GitHub. Nothing here leaves this machine.</small></p></body></html>
`;
  return await reply.status(status).type('text/html; charset=utf-8').send(page);
}

export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value ?? '')}">`)
    .join('');
}

export function select(name: string, values: readonly string[], chosen?: string): string {
  const options = values.map((value) => `<option${value === chosen ? ' selected' : ''}>${escape(value)}</option>`);
  return `<select name="${name}">${options.join('')}</select>`;
}

export function form(action: string, inside: string, button: string): string {
  return `<form method="post" action="${escape(action)}">${inside}<p><button>${escape(button)}</button></p></form>`;
}
